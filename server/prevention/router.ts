import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { DecisionInput, PreventionIdInput, TakeInput } from './prevention-input.ts'
import { cancelPrevention, loadPrevention, startPrevention, takeCandidate } from './preventions.ts'

export const preventionRouter = router({
  find: procedureFor('read')
    .input(DecisionInput)
    .query(({ ctx, input }) => loadPrevention(ctx.scope, input)),
  start: procedureFor('draft.edit')
    .input(DecisionInput)
    .mutation(({ ctx, input }) => startPrevention(ctx.scope, input)),
  cancel: procedureFor('draft.edit')
    .input(PreventionIdInput)
    .mutation(({ ctx, input }) => cancelPrevention(ctx.scope, input.id)),
  take: procedureFor('draft.edit')
    .input(TakeInput)
    .mutation(({ ctx, input }) => takeCandidate(ctx.scope, input)),
})
