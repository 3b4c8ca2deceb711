// Compares verdicts and texts for the agent, but not a rule's position in its document or the events on which a result rests.
import type { Effect, ToolDecision } from '../../model/effect.ts'
import type { JsonValue } from '../../model/json.ts'
import { isSameJson } from '../../model/same-json.ts'
import { isShadowDenial } from './sentences.ts'

export interface DecisionDifference {
  readonly seq: number
  /** `call <id>`, `feedback <provider> <call>` or `stop`. */
  readonly subject: string
  /** null: no decision. */
  readonly before: Effect | null
  readonly after: Effect | null
  /** True when the agent would have noticed: the call was allowed instead of refused, or the reverse, or the text differs. */
  readonly acts: boolean
}

/** In the order of `before`, then those that only `after` has. */
export function decisionDifferences(
  seq: number,
  before: readonly Effect[],
  after: readonly Effect[],
): readonly DecisionDifference[] {
  if (before === after || (before.length === 0 && after.length === 0)) return NONE
  const [only, alone] = [before[0], after[0]]
  if (before.length === 1 && after.length === 1 && only && alone && isPlainlySame(only, alone))
    return NONE
  const [was, is] = [bySubject(before), bySubject(after)]
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((subject) => {
    const [one, other] = [was.get(subject) ?? null, is.get(subject) ?? null]
    if (isSameJson(toMeaning(one), toMeaning(other))) return []
    const acts = !isSameJson(describeAct(one), describeAct(other))
    return [{ seq, subject, before: one, after: other, acts }]
  })
}

const NONE: readonly DecisionDifference[] = []

function isPlainlySame(one: Effect, other: Effect): boolean {
  return (
    one.kind === 'tool.decided' &&
    other.kind === 'tool.decided' &&
    one.data.call_id === other.data.call_id &&
    one.data.decision === other.data.decision &&
    one.data.reason === other.data.reason &&
    !one.data.rules.some(isShadowDenial) &&
    !other.data.rules.some(isShadowDenial)
  )
}

function bySubject(effects: readonly Effect[]): ReadonlyMap<string, Effect> {
  return new Map(
    effects.flatMap((effect) => {
      const subject = describeSubject(effect)
      return subject === null ? [] : [[subject, effect] as const]
    }),
  )
}

/** null for effects that decide nothing. A waiting call and its decision have the same subject. */
function describeSubject(effect: Effect): string | null {
  switch (effect.kind) {
    case 'tool.decided':
    case 'approval.requested':
      return `call ${effect.data.call_id}`
    case 'content.decided':
      return `content ${effect.data.call_id}`
    case 'feedback.delivered':
      return `feedback ${effect.data.provider} ${effect.data.call_id}`
    case 'feedback.failed':
      return `feedback ${effect.data.provider}`
    case 'stop.decided':
      return 'stop'
    case 'anomaly':
      return null
    default:
      return effect satisfies never
  }
}

function toMeaning(effect: Effect | null): JsonValue {
  if (effect === null) return null
  switch (effect.kind) {
    case 'tool.decided':
      return [effect.data.decision, effect.data.reason, shadowDenials(effect.data)]
    case 'stop.decided':
      return [
        effect.data.verdict,
        effect.data.bypass ?? null,
        effect.data.code,
        describeAct(effect),
      ]
    case 'feedback.delivered':
      return [effect.data.mode, toSpoken(effect.data)]
    case 'content.decided':
      return [
        describeAct(effect),
        effect.data.rules.map(({ rule, mode, code }) => [rule, mode, code]),
      ]
    case 'feedback.failed':
      return effect.data.error
    case 'approval.requested':
    case 'anomaly':
      return describeAct(effect)
    default:
      return effect satisfies never
  }
}

function shadowDenials({ rules }: ToolDecision): readonly string[] {
  return rules.filter(isShadowDenial).map(({ rule }) => rule)
}

/** Part of a decision that the agent sees; null: nothing. */
function describeAct(effect: Effect | null): JsonValue {
  switch (effect?.kind) {
    case 'tool.decided':
      return [effect.data.decision === 'allowed', effect.data.reason]
    case 'approval.requested':
      return 'waits'
    case 'feedback.delivered':
      return effect.data.mode === 'enforce' ? toSpoken(effect.data) : null
    case 'content.decided':
      return effect.data.verdict === 'passed' ? null : [effect.data.verdict, effect.data.text]
    case 'stop.decided':
      return effect.data.message
    default:
      return null
  }
}

function toSpoken({
  name,
  severity,
  summary,
  observations,
  suggestions,
}: Extract<Effect, { readonly kind: 'feedback.delivered' }>['data']): JsonValue {
  const seen = observations.map(({ category, description, evidence = null }) => [
    category,
    description,
    evidence,
  ])
  return [name, severity, summary, seen, suggestions]
}
