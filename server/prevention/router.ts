import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { ExampleInput, FoundInput, PreventionIdInput, TakeInput } from './prevention-input.ts'
import {
  cancelPrevention,
  loadPrevention,
  startExample,
  startPrevention,
  takeCandidate,
} from './preventions.ts'

export const preventionRouter = router({
  find: procedureFor('read')
    .input(FoundInput)
    .query(({ ctx, input }) => loadPrevention(ctx.scope, input)),
  start: procedureFor('draft.edit')
    .input(FoundInput)
    .mutation(({ ctx, input }) => startPrevention(ctx.scope, input)),
  startExample: procedureFor('draft.edit')
    .input(ExampleInput)
    .mutation(({ ctx, input }) => startExample(ctx.scope, input)),
  cancel: procedureFor('draft.edit')
    .input(PreventionIdInput)
    .mutation(({ ctx, input }) => cancelPrevention(ctx.scope, input.id)),
  take: procedureFor('draft.edit')
    .input(TakeInput)
    .mutation(({ ctx, input }) => takeCandidate(ctx.scope, input)),
})
