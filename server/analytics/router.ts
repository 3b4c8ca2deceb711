import { z } from 'zod'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { PromptInput, VersionNumber } from '@/server/platform/trpc/inputs.ts'
import { listPromptVersions } from './analytics-frame.sql.ts'
import { CHARTS, DENIAL_GROUPS, loadChart } from './charts.ts'
import { compareVersions } from './compare.ts'
import { analyticsFrame } from './frame.ts'
import type { RollupFilter } from './rollup-sums.sql.ts'
import { loadSummary, SUMMARY_TOPICS } from './summary.ts'

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

/** A version is meaningful only together with its prompt. */
async function toVersionFilter(
  { projectId }: ProjectScope,
  filter: z.output<typeof Filter>,
  version: number | undefined,
): Promise<RollupFilter> {
  if (version === undefined || filter.prompt === undefined) return filter
  const versions = await listPromptVersions(projectId, filter.prompt)
  const chosen = versions.filter(({ number }) => number === version)
  return { ...filter, digests: chosen.map(({ digest }) => digest) }
}

export const analyticsRouter = router({
  frame: procedureFor('read')
    .input(z.object({ filter: Filter }))
    .query(({ ctx, input }) => analyticsFrame(ctx.scope, input.filter, Date.now())),

  summary: procedureFor('read')
    .input(
      z.object({
        topic: z.enum(SUMMARY_TOPICS),
        filter: Filter,
        version: VersionNumber.optional(),
      }),
    )
    .query(async ({ ctx, input: { topic, filter, version } }) =>
      loadSummary(ctx.scope, topic, {
        filter: await toVersionFilter(ctx.scope, filter, version),
        now: Date.now(),
      }),
    ),

  chart: procedureFor('read')
    .input(
      z.object({
        chart: z.enum(CHARTS),
        filter: Filter,
        version: VersionNumber.optional(),
        group: z.enum(DENIAL_GROUPS).optional(),
      }),
    )
    .query(async ({ ctx, input: { chart, filter, version, group } }) =>
      loadChart(ctx.scope, {
        chart,
        group,
        filter: await toVersionFilter(ctx.scope, filter, version),
        now: Date.now(),
      }),
    ),

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
