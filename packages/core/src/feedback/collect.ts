// One feedback pass after a finished call: every provider whose trigger fired and that has something to say, in declared
// order, judged against the state before the pass.
import type { CompiledConfig, CompiledProvider } from '../compile.ts'
import type { FeedbackDelivery } from '../effect.ts'
import { type Facts, fileFact } from '../fact.ts'
import { emptyMap, getIn, setIn } from '../persistent-map.ts'
import {
  NO_DELIVERY,
  type PromptState,
  type ProviderState,
  type SessionState,
  type StateDraft,
} from '../state.ts'
import { firedConditions } from './trigger.ts'

export interface Finished {
  readonly callId: string
  readonly seq: number
  readonly at: number
  readonly facts: Facts | undefined
}

const NEW_PROMPT: PromptState = { calls: 0, providers: emptyMap() }

export function promptState(state: SessionState): PromptState {
  return getIn(state.prompts, state.prompt) ?? NEW_PROMPT
}

export function providerState(state: SessionState, providerId: string): ProviderState {
  return getIn(promptState(state).providers, providerId) ?? NO_DELIVERY
}

/** The draft must already count the finished call; providers are judged against it before any delivery is noted. */
export function collectFeedback(
  config: CompiledConfig,
  draft: StateDraft,
  finished: Finished,
): readonly FeedbackDelivery[] {
  const deliveries: FeedbackDelivery[] = []
  for (const provider of config.providers) {
    const delivery = deliver(provider, draft, finished)
    if (delivery === null) continue
    deliveries.push(delivery)
    if (config.exclusiveFeedback && provider.mode === 'enforce') break
  }
  for (const delivery of deliveries) note(draft, delivery, finished)
  return deliveries
}

function note(draft: StateDraft, delivery: FeedbackDelivery, { at, seq }: Finished): void {
  const { calls, providers } = promptState(draft)
  const { deliveries } = providerState(draft, delivery.provider)
  const known = {
    callsAtDelivery: calls,
    deliveredAt: at,
    deliveredSeq: seq,
    deliveries: deliveries + 1,
  }
  const noted = { calls, providers: setIn(providers, delivery.provider, known) }
  draft.prompts = setIn(draft.prompts, draft.prompt, noted)
  if (delivery.conditions.includes('on_file_created')) {
    draft.firedFiles = setIn(draft.firedFiles, delivery.provider, seq)
  }
}

function deliver(
  compiled: CompiledProvider,
  state: SessionState,
  finished: Finished,
): FeedbackDelivery | null {
  const { calls } = promptState(state)
  const conditions = firedConditions(compiled.trigger, providerState(state, compiled.id), {
    at: finished.at,
    calls,
    fileExists: compiled.file === null ? false : fileFact(finished.facts, compiled.file).exists,
    fileFired: getIn(state.firedFiles, compiled.id) !== undefined,
  })
  if (conditions.length === 0) return null
  const advice = compiled.provider.advise(state, finished.at)
  if (advice === null) return null
  return {
    provider: compiled.id,
    name: compiled.provider.name,
    pointer: compiled.pointer,
    mode: compiled.mode,
    conditions,
    severity: advice.severity,
    summary: advice.summary,
    observations: advice.observations,
    suggestions: advice.suggestions,
    call_index: calls,
    prompt: state.prompt,
    call_id: finished.callId,
  }
}
