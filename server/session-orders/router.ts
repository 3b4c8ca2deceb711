import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { GiveOrderInput, SessionPlaceInput } from './session-order-input.ts'
import { giveOrder, loadSessionControl } from './session-orders.ts'

export const sessionOrdersRouter = router({
  control: procedureFor('read')
    .input(SessionPlaceInput)
    .query(({ ctx, input }) => loadSessionControl(ctx.scope, input.sessionId)),
  give: procedureFor('session.control')
    .input(GiveOrderInput)
    .mutation(({ ctx, input }) => giveOrder(ctx.scope, input)),
})
