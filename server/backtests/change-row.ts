import type {
  CheckResult,
  Effect,
  JsonObject,
  RuleResult,
  StopDecision,
  ToolDecision,
} from '@signalbox/core'
import {
  type BacktestDifference,
  decisionSentence,
  type ReplayedVerdict,
  shadowSentence,
  stopSentence,
} from '@signalbox/core/analysis'
import type { ChangeSide } from './backtest-list.sql.ts'
import type { ChangeRow } from './backtests.sql.ts'

export function changeRow(
  unit: { readonly position: number; readonly sessionId: string },
  difference: BacktestDifference,
  verdict: ReplayedVerdict | null,
): ChangeRow {
  const { seq, subject, before, after, fidelity } = difference
  const isVerdict = !subject.startsWith('feedback ')
  const name = isVerdict && verdict !== null ? verdict.class : 'unchanged'
  const place = findRulePlace(after, before) ??
    findRulePlace(before, after) ?? { rule: null, pointer: null }
  return {
    ...unit,
    seq,
    subject,
    class: name === 'unchanged' || name === 'cannot_replay' ? 'otherwise' : name,
    isLate: fidelity === 'approximate',
    ...place,
    tool: findEffectTool(after) ?? findEffectTool(before),
    before: { ...toChangeSide(before) } satisfies JsonObject,
    after: { ...toChangeSide(after) } satisfies JsonObject,
  }
}

function toChangeSide(effect: Effect | null): ChangeSide {
  switch (effect?.kind) {
    case 'tool.decided': {
      const { data } = effect
      return { verdict: data.decision, sentence: toolSentence(data) }
    }
    case 'stop.decided':
      return { verdict: effect.data.verdict, sentence: stopSentence(effect.data) }
    case 'approval.requested':
      return { verdict: 'asks', sentence: 'A reviewer is asked first' }
    case 'feedback.delivered':
      return { verdict: 'told', sentence: effect.data.summary }
    case 'feedback.failed':
      return { verdict: 'error', sentence: effect.data.error }
    default:
      return { verdict: 'silent', sentence: null }
  }
}

function toolSentence(decision: ToolDecision): string | null {
  if (decision.decision !== 'allowed') return decisionSentence(decision)
  return shadowSentence(decision)
}

interface RulePlace {
  readonly rule: string
  readonly pointer: string | null
}

/** The rule that causes `effect` and not `other`; null: no rule acts in it. */
function findRulePlace(effect: Effect | null, other: Effect | null): RulePlace | null {
  switch (effect?.kind) {
    case 'tool.decided':
      return deniedBy(effect.data, other)
    case 'stop.decided':
      return refusedBy(effect.data)
    case 'approval.requested':
      return { rule: effect.data.rules[0] ?? '', pointer: null }
    case 'feedback.delivered':
      return { rule: effect.data.provider, pointer: effect.data.pointer }
    case 'feedback.failed':
      return { rule: effect.data.provider, pointer: null }
    default:
      return null
  }
}

function deniedBy({ rules }: ToolDecision, other: Effect | null): RulePlace | null {
  const against = rules.filter(({ result }) => result !== 'allow')
  const known = other?.kind === 'tool.decided' ? other.data.rules : []
  const isNew = ({ rule, result }: RuleResult): boolean =>
    !known.some((one) => one.rule === rule && one.result === result)
  const enforced = against.filter(({ mode }) => mode === 'enforce')
  return enforced.find(isNew) ?? against.find(isNew) ?? enforced[0] ?? null
}

function refusedBy({ check, message }: StopDecision): RulePlace | null {
  if (check === null || message === null) return null
  const failed = failing(check) ?? check
  return { rule: failed.checker, pointer: failed.pointer }
}

function failing(check: CheckResult): CheckResult | null {
  const inner = (check.children ?? []).flatMap((child) => failing(child) ?? [])[0]
  if (inner !== undefined) return inner
  return check.status === 'incomplete' || check.status === 'error' ? check : null
}

function findEffectTool(effect: Effect | null): string | null {
  return effect?.kind === 'tool.decided' || effect?.kind === 'approval.requested'
    ? effect.data.tool
    : null
}
