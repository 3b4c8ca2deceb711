import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { PromptInput, VersionNumber } from '@/server/platform/trpc/inputs.ts'
import { listPromptVersions } from './analytics-frame.sql.ts'
import { CHARTS, loadChart } from './charts.ts'
import { compareVersions } from './compare.ts'
import { analyticsFrame } from './frame.ts'

const Instant = z
  .number()
  .int()
  .min(0)
  .max(Date.UTC(9999, 0, 1))

const Filter = z
  .object({
    environment: z.string().max(80).optional(),
    prompt: PromptInput.optional(),
    from: Instant,
    until: Instant,
  })
  .refine(({ from, until }) => from < until, {
    message: 'The end of the range must be after its start.',
  })

export const analyticsRouter = router({
  frame: procedureFor('read')
    .input(z.object({ filter: Filter }))
    .query(({ ctx, input }) => analyticsFrame(ctx.scope, input.filter, Date.now())),

  chart: procedureFor('read')
    .input(z.object({ chart: z.enum(CHARTS), filter: Filter, version: VersionNumber.optional() }))
    .query(async ({ ctx, input }) => {
      const { chart, filter, version } = input
      const { prompt } = filter
      if (version === undefined || prompt === undefined)
        return await loadChart(ctx.scope, { chart, filter, now: Date.now() })
      const versions = await listPromptVersions(ctx.scope.projectId, prompt)
      const digests = versions
        .filter(({ number }) => number === version)
        .map(({ digest }) => digest)
      return await loadChart(ctx.scope, { chart, filter: { ...filter, digests }, now: Date.now() })
    }),

  compare: procedureFor('read')
    .input(
      z.object({
        filter: Filter.safeExtend({ prompt: PromptInput }),
        versions: z.array(VersionNumber).min(1).max(2),
      }),
    )
    .query(({ ctx, input }) =>
      compareVersions(ctx.scope, { ...input.filter, versions: input.versions }),
    ),
})
