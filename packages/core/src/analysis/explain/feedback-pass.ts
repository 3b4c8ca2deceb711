import { findConditions } from '../../engine/collect.ts'
import type { CompiledConfig, CompiledProvider } from '../../engine/compile.ts'
import { counted } from '../../engine/count-call.ts'
import { promptState, providerState } from '../../kinds/feedback/prompt-state.ts'
import type { Provider } from '../../kinds/feedback/provider.ts'
import { firedByFile } from '../../kinds/feedback/trigger.ts'
import type { Effect } from '../../model/effect.ts'
import type { EventOf } from '../../model/event.ts'
import type { JsonObject } from '../../model/json.ts'
import type { SessionState } from '../../model/state.ts'
import type { TriggerCondition } from '../../model/trigger.ts'
import type { Mark } from './cause.ts'
import { promptKey, type Trail } from './trail.ts'

export interface Passed {
  readonly provider: CompiledProvider
  /** `not_due`: no condition of the trigger held; `not_reached`: an exclusive provider before it delivered. */
  readonly outcome: 'delivered' | 'failed' | 'silent' | 'not_due' | 'not_reached'
  readonly conditions: readonly TriggerCondition[]
  readonly code: string
  readonly params: JsonObject
  readonly marks: readonly Mark[]
}

export interface PassContext {
  readonly config: CompiledConfig
  readonly before: SessionState
  readonly event: EventOf<'tool.invoked'>
  readonly effects: readonly Effect[]
  readonly trail: Trail
}

export function feedbackPass(context: PassContext): readonly Passed[] {
  const { config, before, event } = context
  const after = counted(config, before, event)
  const last = findLastEvaluated(context)
  return config.providers.map((provider, place) => {
    const conditions = findConditions(provider, after, { at: event.at, facts: event.data.facts })
    const effect = findFeedback(provider.id, context.effects)
    const head = { provider, conditions }
    if (effect?.kind === 'feedback.failed') {
      const params = { error: effect.data.error }
      return { ...head, outcome: 'failed', code: 'feedback.failed', params, marks: [here(context)] }
    }
    if (effect !== null) {
      const marks = collectPassMarks(provider, conditions, context)
      const params = { conditions: [...conditions], summary: effect.data.summary }
      return { ...head, outcome: 'delivered', code: 'feedback.delivered', params, marks }
    }
    const outcome = place > last ? 'not_reached' : conditions.length === 0 ? 'not_due' : 'silent'
    return { ...head, outcome, code: `feedback.${outcome}`, params: {}, marks: [] }
  })
}

function here({ event }: PassContext): Mark {
  return { seq: event.seq, role: 'fact' }
}

type FeedbackEffect = Extract<Effect, { readonly kind: 'feedback.delivered' | 'feedback.failed' }>

function findFeedback(provider: string, effects: readonly Effect[]): FeedbackEffect | null {
  for (const effect of effects) {
    const isFeedback = effect.kind === 'feedback.delivered' || effect.kind === 'feedback.failed'
    if (isFeedback && effect.data.provider === provider) return effect
  }
  return null
}

/** Infinity: all were evaluated. */
function findLastEvaluated({ config, effects }: PassContext): number {
  if (!config.exclusiveFeedback) return Number.POSITIVE_INFINITY
  const place = config.providers.findIndex(
    ({ id, mode }) =>
      mode === 'enforce' && findFeedback(id, effects)?.kind === 'feedback.delivered',
  )
  return place === -1 ? Number.POSITIVE_INFINITY : place
}

function collectPassMarks(
  { id, provider }: CompiledProvider,
  conditions: readonly TriggerCondition[],
  context: PassContext,
): readonly Mark[] {
  const marks: Mark[] = []
  const { deliveredSeq } = providerState(promptState(context.before), id)
  if (deliveredSeq !== null) marks.push({ seq: deliveredSeq, role: 'previous_delivery' })
  if (provider.external || firedByFile(conditions)) marks.push(here(context))
  return [...marks, ...listTracked(provider.tracks, context)]
}

function listTracked(
  tracks: Provider['tracks'],
  { config, before, event, trail }: PassContext,
): readonly Mark[] {
  switch (tracks) {
    case null:
      return []
    case 'deadline':
      return trail.deadlineSeq === null ? [] : [{ seq: trail.deadlineSeq, role: 'deadline' }]
    case 'repetition':
      return toRepeated(trail.repetition.get(before.prompt)?.seqs ?? [])
    case 'failures': {
      const key = promptKey(before.prompt, config.canonicalTool(event.data.tool))
      // A failed call is itself the last one of its series of failures.
      return toRepeated([...(trail.failures.get(key) ?? []), event.seq])
    }
    default:
      return tracks satisfies never
  }
}

function toRepeated(seqs: readonly number[]): readonly Mark[] {
  return seqs.map((seq) => ({ seq, role: 'repeated' }))
}
