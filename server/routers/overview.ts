// The Overview in one read.
import { z } from 'zod'
import { runDemo } from '../services/demo-run.ts'
import { overviewOf } from '../services/overview.ts'
import { procedureFor, router } from '../trpc/init.ts'

export const overviewRouter = router({
  get: procedureFor('read')
    .input(z.object({ environment: z.string().max(64).optional() }).default({}))
    .query(({ ctx, input }) => overviewOf(ctx.scope, input.environment)),
  /** Starts the demo agent as a process of its own. */
  runDemo: procedureFor('demo.run').mutation(() => runDemo()),
})
