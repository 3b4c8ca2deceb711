// Providers see the state before the pass. A provider that fails loses only its own block.

import { promptState, providerState } from '../kinds/feedback/prompt-state.ts'
import type { Said } from '../kinds/feedback/provider.ts'
import { firedByFile, firedConditions } from '../kinds/feedback/trigger.ts'
import type { Effect, FeedbackDelivery } from '../model/effect.ts'
import { type Facts, fileFact } from '../model/fact.ts'
import { getIn, setIn } from '../model/persistent-map.ts'
import type { SessionState, StateDraft } from '../model/state.ts'
import type { TriggerCondition } from '../model/trigger.ts'
import type { CompiledConfig, CompiledProvider } from './compile.ts'

export interface Finished {
  readonly call_id: string
  readonly tool: string
  readonly seq: number
  readonly at: number
  readonly facts: Facts | undefined
}

const NOTHING: readonly Effect[] = []

/** `draft` already includes the finished call. All providers are evaluated before any delivery is recorded. */
export function collectFeedback(
  config: CompiledConfig,
  draft: StateDraft,
  finished: Finished,
): readonly Effect[] {
  let effects: Effect[] | null = null
  for (const provider of config.providers) {
    const effect = collectEffect(provider, draft, finished)
    if (effect === null) continue
    effects ??= []
    effects.push(effect)
    if (isLastWord(config, provider, effect)) break
  }
  if (effects === null) return NOTHING
  for (const effect of effects) {
    if (effect.kind === 'feedback.delivered') note(draft, effect.data, finished)
  }
  return effects
}

function isLastWord(config: CompiledConfig, provider: CompiledProvider, effect: Effect): boolean {
  return (
    config.exclusiveFeedback && provider.mode === 'enforce' && effect.kind === 'feedback.delivered'
  )
}

function note(draft: StateDraft, delivery: FeedbackDelivery, { at, seq }: Finished): void {
  const prompt = promptState(draft)
  const { deliveries } = providerState(prompt, delivery.provider)
  const known = {
    callsAtDelivery: prompt.calls,
    deliveredAt: at,
    deliveredSeq: seq,
    deliveries: deliveries + 1,
  }
  const providers = setIn(prompt.providers, delivery.provider, known)
  draft.prompts = setIn(draft.prompts, draft.prompt, { ...prompt, providers })
  if (firedByFile(delivery.conditions)) {
    draft.firedFiles = setIn(draft.firedFiles, delivery.provider, seq)
  }
}

/** `state` already includes the call. */
export function findConditions(
  compiled: CompiledProvider,
  state: SessionState,
  { at, facts }: Pick<Finished, 'at' | 'facts'>,
): readonly TriggerCondition[] {
  const prompt = promptState(state)
  return firedConditions(compiled, providerState(prompt, compiled.id), {
    at,
    calls: prompt.calls,
    fileExists: compiled.file === null ? false : fileFact(facts, compiled.file).exists,
    fileFired: getIn(state.firedFiles, compiled.id) !== undefined,
  })
}

function collectEffect(
  compiled: CompiledProvider,
  state: SessionState,
  finished: Finished,
): Effect | null {
  const conditions = findConditions(compiled, state, finished)
  if (conditions.length === 0) return null
  const said = ask(compiled, state, finished)
  if (said === null) return null
  const { id: provider, type, pointer, mode } = compiled
  if ('error' in said) return { kind: 'feedback.failed', data: { provider, error: said.error } }
  const { name = compiled.provider.name, severity, summary, observations, suggestions } = said
  const delivery: FeedbackDelivery = {
    provider,
    ...(state.semantics < 2 ? {} : { type }),
    name,
    pointer,
    mode,
    conditions,
    severity,
    summary,
    observations,
    suggestions,
    call_index: promptState(state).calls,
    prompt: state.prompt,
    call_id: finished.call_id,
  }
  return { kind: 'feedback.delivered', data: delivery }
}

function ask({ provider }: CompiledProvider, state: SessionState, finished: Finished): Said | null {
  const { tool, at, facts } = finished
  try {
    return provider.advise({ state, tool, at, facts })
  } catch {
    return { error: 'The provider could not be evaluated.' }
  }
}
