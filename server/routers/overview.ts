// The Overview: a procedure for each card, so that each fails alone.
import { z } from 'zod'
import { runDemo } from '../services/demo-run.ts'
import { attention, figures, releases, steps } from '../services/overview.ts'
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
    .query(({ ctx, input }) => releases(ctx.scope, input)),
  steps: procedureFor('read').query(({ ctx }) => steps(ctx.scope)),
  /** Starts the demo agent as a process of its own. */
  runDemo: procedureFor('demo.run').mutation(() => runDemo()),
})
