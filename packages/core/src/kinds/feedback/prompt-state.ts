// Counts and trigger intervals resume when a session returns to the prompt.
import { emptyMap, getIn } from '../../model/persistent-map.ts'
import {
  NO_DELIVERY,
  type PromptState,
  type ProviderState,
  type SessionState,
} from '../../model/state.ts'

const NEW_PROMPT: PromptState = {
  calls: 0,
  providers: emptyMap(),
  failures: emptyMap(),
  repetition: null,
}

export function promptState(state: SessionState): PromptState {
  return getIn(state.prompts, state.prompt) ?? NEW_PROMPT
}

export function providerState({ providers }: PromptState, providerId: string): ProviderState {
  return getIn(providers, providerId) ?? NO_DELIVERY
}
