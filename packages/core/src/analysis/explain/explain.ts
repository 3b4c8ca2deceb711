// Costs one or two folds of the log (specs/analysis.md).
import type { CompiledConfig } from '../../engine/compile.ts'
import { findHolding } from '../../engine/session-control.ts'
import type { CheckResult, Effect, RuleResult, StopDecision } from '../../model/effect.ts'
import type { EventOf, SessionEvent } from '../../model/event.ts'
import { getIn } from '../../model/persistent-map.ts'
import { governedSteps, type RanUnder } from '../../tighten/governing.ts'
import { decisionSentence, ruleSentence } from '../base/sentences.ts'
import { checkSentence, stopSentence } from '../base/stop-sentences.ts'
import { findMissingNames, markRule } from './call-causes.ts'
import { type Cause, type Mark, resolveCauses } from './cause.ts'
import { feedbackPass, type Passed } from './feedback-pass.ts'
import { type Decision, findDecision } from './find-decision.ts'
import { markCheck, markStop, type StopContext, wantedByCheck } from './stop-causes.ts'
import { successesAfter, trailBefore } from './trail.ts'

export interface ExplainedRule
  extends Pick<RuleResult, 'rule' | 'pointer' | 'type' | 'mode' | 'result' | 'code' | 'params'> {
  readonly sentence: string
  readonly causes: readonly Cause[]
}

export interface ExplainedCheck
  extends Pick<CheckResult, 'checker' | 'pointer' | 'type' | 'status' | 'code' | 'params'> {
  readonly sentence: string
  readonly causes: readonly Cause[]
  readonly children: readonly ExplainedCheck[]
}

export interface ExplainedProvider
  extends Pick<Passed, 'outcome' | 'conditions' | 'code' | 'params'> {
  readonly provider: string
  readonly pointer: string
  readonly type: string
  readonly mode: CompiledConfig['providers'][number]['mode']
  readonly sentence: string
  readonly causes: readonly Cause[]
}

interface Head {
  readonly seq: number
  /** Without a period. */
  readonly sentence: string
  readonly causes: readonly Cause[]
}

export type Explanation =
  | (Head & {
      readonly kind: 'call'
      readonly callId: string
      readonly tool: string
      /** `waiting`: an approval was requested; the answer is explained at its own event. */
      readonly decision: 'allowed' | 'denied' | 'error' | 'waiting'
      readonly rules: readonly ExplainedRule[]
    })
  | (Head & {
      readonly kind: 'feedback'
      readonly callId: string
      readonly tool: string
      readonly providers: readonly ExplainedProvider[]
    })
  | (Head & {
      readonly kind: 'stop'
      readonly verdict: StopDecision['verdict']
      /** null: the config has no checker. */
      readonly check: ExplainedCheck | null
    })

/**
 * `seq`: of a decided event (`tool.requested`, `approval.decided`, `tool.invoked`, `stop.attempted`) or of the record of its decision.
 * null: any other event. `events` must be in order of `seq`, from the first; later events show successes that came too late.
 */
export function explain(
  ranUnder: RanUnder,
  events: readonly SessionEvent[],
  seq: number,
): Explanation | null {
  const decision = findDecision(ranUnder, events, seq)
  if (decision === null) return null
  const { event } = decision
  const given = { events, decision, steps: () => governedSteps(ranUnder, events) }
  if (event.type === 'tool.invoked') return explainFeedback(given, event)
  if (event.type === 'stop.attempted') return explainStop(given, event)
  return explainCall(given)
}

interface Given {
  readonly events: readonly SessionEvent[]
  readonly decision: Decision
  readonly steps: () => ReturnType<typeof governedSteps>
}

function explainCall({ events, decision, steps }: Given): Explanation | null {
  const { event, config, before, effects } = decision
  const decided = decidedIn(effects)
  const asked = effects.find((effect) => effect.kind === 'approval.requested')
  const head = decided ?? (asked?.kind === 'approval.requested' ? asked.data : null)
  if (head === null) return null
  const results = decided?.rules ?? waitingRules(decision, head.call_id)
  const at = { config, before, event }
  const wanted = new Set(results.flatMap((rule) => findMissingNames(rule, at)))
  const past = {
    trail: trailBefore(steps(), event.seq),
    later: successesAfter(steps(), { seq: event.seq, wanted }),
  }
  const rules = results.map((rule) => {
    const { because: _because, reason: _reason, reason_class: _class, ...shown } = rule
    const marks = markRule(rule, { ...at, past })
    return {
      ...shown,
      sentence: ruleSentence(rule, config.document),
      causes: resolveCauses(marks, events),
    }
  })
  const against = rules.filter(({ mode, result }) => mode === 'enforce' && result !== 'allow')
  const holding = findHolding(before)
  const causes: readonly Mark[] =
    holding === null
      ? (against.length > 0 ? against : rules).flatMap((rule) => rule.causes)
      : [{ seq: holding.seq, role: 'order' }]
  return {
    kind: 'call',
    seq: event.seq,
    callId: head.call_id,
    tool: head.tool,
    decision: decided?.decision ?? 'waiting',
    sentence:
      decided === null ? 'Waiting for approval' : decisionSentence(decided, config.document),
    causes: resolveCauses(causes, events),
    rules,
  }
}

function decidedIn(effects: readonly Effect[]) {
  const effect = effects.find(({ kind }) => kind === 'tool.decided')
  return effect?.kind === 'tool.decided' ? effect.data : null
}

function waitingRules({ after }: Decision, callId: string): readonly RuleResult[] {
  return getIn(after.pending, callId)?.approval?.rules ?? []
}

function explainFeedback(
  { events, decision, steps }: Given,
  event: EventOf<'tool.invoked'>,
): Explanation {
  const { config, before, effects } = decision
  const trail = trailBefore(steps(), event.seq)
  const passed = feedbackPass({ config, before, event, effects, trail })
  const providers = passed.map(({ provider, marks, ...rest }) => ({
    ...rest,
    provider: provider.id,
    pointer: provider.pointer,
    type: provider.type,
    mode: provider.mode,
    sentence: ruleSentence(rest),
    causes: resolveCauses(marks, events),
  }))
  const delivered = providers.filter(({ outcome }) => outcome === 'delivered')
  return {
    kind: 'feedback',
    seq: event.seq,
    callId: event.data.call_id,
    tool: config.canonicalTool(event.data.tool),
    sentence: delivered[0]?.sentence ?? 'No provider gave feedback',
    causes: resolveCauses(
      delivered.flatMap(({ causes }) => causes),
      events,
    ),
    providers,
  }
}

function explainStop(
  { events, decision, steps }: Given,
  event: EventOf<'stop.attempted'>,
): Explanation | null {
  const effect = decision.effects.find(({ kind }) => kind === 'stop.decided')
  if (effect?.kind !== 'stop.decided') return null
  const { check } = effect.data
  const wanted = new Set(check === null ? [] : wantedByCheck(check))
  const trail = trailBefore(steps(), event.seq)
  const later = successesAfter(steps(), { seq: event.seq, wanted })
  const context: StopContext = { before: decision.before, event, past: { trail, later } }
  const toCauses = (marks: readonly Mark[]): readonly Cause[] => resolveCauses(marks, events)
  return {
    kind: 'stop',
    seq: event.seq,
    verdict: effect.data.verdict,
    sentence: stopSentence(effect.data),
    causes: toCauses(markStop(effect.data, context)),
    check:
      check === null ? null : explainedCheck(check, (one) => toCauses(markCheck(one, context))),
  }
}

function explainedCheck(
  check: CheckResult,
  findCheckCauses: (check: CheckResult) => readonly Cause[],
): ExplainedCheck {
  const { checker, pointer, type, status, code, params, children = [] } = check
  return {
    checker,
    pointer,
    type,
    status,
    code,
    params,
    sentence: checkSentence(check),
    causes: findCheckCauses(check),
    children: children.map((child) => explainedCheck(child, findCheckCauses)),
  }
}
