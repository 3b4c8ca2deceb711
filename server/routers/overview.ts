// The Overview: a procedure for each card, so that each fails alone.
import { z } from 'zod'
import { firstSteps, recentReleases } from '../read-models/overview.ts'
import { runDemo } from '../services/demo-run.ts'
import { attention } from '../services/overview/attention.ts'
import { figures } from '../services/overview/figures.ts'
import { procedureFor, router } from '../trpc/init.ts'

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
  /** Starts the demo agent as a process of its own. */
  runDemo: procedureFor('demo.run').mutation(() => runDemo()),
})
