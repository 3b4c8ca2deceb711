// The Overview: one procedure per card, so that each fails alone.
import { z } from 'zod'
import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { attention } from './attention.ts'
import { runDemo } from './demo-run.ts'
import { figures } from './figures.ts'
import { firstSteps, recentReleases } from './overview.sql.ts'

const ScopedFields = z.object({ environment: z.string().max(64).optional() })
const Scoped = ScopedFields.default({})

export const overviewRouter = router({
  attention: procedureFor('read')
    .input(ScopedFields.extend({ all: z.boolean().optional() }).default({}))
    .query(({ ctx, input }) => attention(ctx.scope, input)),
  figures: procedureFor('read')
    .input(Scoped)
    .query(({ ctx, input }) => figures(ctx.scope, input)),
  releases: procedureFor('read')
    .input(Scoped)
    .query(({ ctx, input }) => recentReleases(ctx.scope, input.environment)),
  steps: procedureFor('read').query(({ ctx }) => firstSteps(ctx.scope)),
  runDemo: procedureFor('demo.run').mutation(() => runDemo()),
})
