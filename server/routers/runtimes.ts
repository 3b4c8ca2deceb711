// Runtimes and environments, as the console shows them.
import { z } from 'zod'
import { environmentsOf, runtimesOf } from '../services/runtime-list.ts'
import { procedureFor, router } from '../trpc/init.ts'

export const runtimesRouter = router({
  list: procedureFor('read')
    .input(z.object({ environment: z.string().max(64).optional() }).default({}))
    .query(({ ctx, input }) => runtimesOf(ctx.scope, input.environment)),
  /** In order of promotion; for switchers, publish dialogs and key forms. */
  environments: procedureFor('read').query(({ ctx }) => environmentsOf(ctx.scope)),
})
