import { procedureFor, router } from '@/server/platform/trpc/init.ts'
import { PromptInput } from '@/server/platform/trpc/inputs.ts'
import { DismissInput, LearnPlaceInput, RestoreInput, TakeRulesInput } from './suggestion-input.ts'
import {
  cancelLearning,
  dismissSuggestion,
  findLearnEnvironment,
  listPromptsToLearn,
  loadSuggestions,
  restoreSuggestion,
  startLearning,
  takeSuggestions,
} from './suggestions.ts'

export const suggestionsRouter = router({
  find: procedureFor('read')
    .input(LearnPlaceInput)
    .query(({ ctx, input }) => loadSuggestions(ctx.scope, input)),
  environment: procedureFor('read')
    .input(PromptInput)
    .query(({ ctx, input }) => findLearnEnvironment(ctx.scope, input)),
  prompts: procedureFor('read').query(({ ctx }) => listPromptsToLearn(ctx.scope)),
  start: procedureFor('draft.edit')
    .input(LearnPlaceInput)
    .mutation(({ ctx, input }) => startLearning(ctx.scope, input)),
  cancel: procedureFor('draft.edit')
    .input(LearnPlaceInput)
    .mutation(({ ctx, input }) => cancelLearning(ctx.scope, input)),
  take: procedureFor('draft.edit')
    .input(TakeRulesInput)
    .mutation(({ ctx, input }) => takeSuggestions(ctx.scope, input)),
  dismiss: procedureFor('draft.edit')
    .input(DismissInput)
    .mutation(({ ctx, input }) => dismissSuggestion(ctx.scope, input)),
  restore: procedureFor('draft.edit')
    .input(RestoreInput)
    .mutation(({ ctx, input }) => restoreSuggestion(ctx.scope, input)),
})
