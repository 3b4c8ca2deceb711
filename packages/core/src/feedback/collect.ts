// One feedback pass after a finished call: every provider whose trigger fired and that has something to say, in declared
// order, judged against the state before the pass.
import type { CompiledConfig, CompiledProvider } from '../compile.ts'
import type { FeedbackDelivery } from '../effect.ts'
import { type Facts, fileFact } from '../fact.ts'
import { emptyMap, getIn, setIn } from '../persistent-map.ts'
import { NO_DELIVERY, type PromptState, type ProviderState, type SessionState } from '../state.ts'
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

/** The state must already count the finished call. */
export function collectFeedback(
  config: CompiledConfig,
  before: SessionState,
  finished: Finished,
): { readonly state: SessionState; readonly deliveries: readonly FeedbackDelivery[] } {
  const prompt = promptState(before)
  let { providers } = prompt
  let { firedFiles } = before
  const deliveries: FeedbackDelivery[] = []
  for (const provider of config.providers) {
    const delivery = deliver(provider, before, finished)
    if (delivery === null) continue
    deliveries.push(delivery)
    const known = providerState(before, provider.id)
    providers = setIn(providers, provider.id, {
      callsAtDelivery: prompt.calls,
      deliveredAt: finished.at,
      deliveredSeq: finished.seq,
      deliveries: known.deliveries + 1,
    })
    if (delivery.conditions.includes('on_file_created')) {
      firedFiles = setIn(firedFiles, provider.id, finished.seq)
    }
    if (config.exclusiveFeedback && provider.mode === 'enforce') break
  }
  if (deliveries.length === 0) return { state: before, deliveries }
  const prompts = setIn(before.prompts, before.prompt, { ...prompt, providers })
  return { state: { ...before, prompts, firedFiles }, deliveries }
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
    ...advice,
    call_index: calls,
    prompt: state.prompt,
    call_id: finished.callId,
  }
}
