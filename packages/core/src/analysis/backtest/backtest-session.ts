// Both configs fold the same events side by side, in constant memory (specs/analysis.md).
import { type CompiledConfig, compileConfig } from '../../engine/compile.ts'
import { type Step, step } from '../../engine/step.ts'
import { withRuleMode } from '../../kinds/edit-document.ts'
import { placeDocument } from '../../kinds/placed.ts'
import type { CheckResult, Effect } from '../../model/effect.ts'
import type { SessionEvent } from '../../model/event.ts'
import type { JsonValue } from '../../model/json.ts'
import { initialState, type SessionState } from '../../model/state.ts'
import { type Governing, type RanUnder, toSessionVersions } from '../../tighten/governing.ts'
import { takenWith } from '../../tighten/taken-with.ts'
import { type DecisionDifference, decisionDifferences } from '../base/decision-difference.ts'
import {
  type Fidelities,
  type FidelityReason,
  findFidelity,
  lower,
  type RuleFidelity,
  rulesWithoutFacts,
} from './fidelity.ts'
import { NO_VERDICTS, type ReplayedVerdict, replayedVerdict, type Verdicts } from './verdicts.ts'

export interface BacktestDifference extends DecisionDifference {
  /** `approximate`: the agent would have acted differently since the first divergence. */
  readonly fidelity: 'exact' | 'approximate'
}

export interface SessionBacktest {
  readonly events: number
  readonly decisions: number
  /** Differences up to and including the first divergence, and those after it. */
  readonly changed: number
  readonly changedAfterwards: number
  /** Sequence number of the first event after which the agent would have noticed a difference; null: it would have noticed none. */
  readonly firstDivergence: number | null
  readonly verdicts: Verdicts
  readonly verdictsAfterwards: Verdicts
  readonly rules: { readonly [rule: string]: RuleFidelity }
}

/**
 * A rule whose facts or answers the log does not contain is excluded from that event on, and decisions that depend on it are not compared:
 * unknown results are never reported as changes.
 */
export function* backtestSession(
  before: RanUnder,
  after: CompiledConfig,
  events: Iterable<SessionEvent>,
): Generator<BacktestDifference, SessionBacktest> {
  const backtest = openBacktest(before, after)
  for (const event of events) yield* backtest.fold(event).differences
  return backtest.summary()
}

export interface BacktestStep {
  readonly differences: readonly BacktestDifference[]
  /** Verdict of the call or stop that the event decided; null: the event decided none. */
  readonly verdict: ReplayedVerdict | null
}

/** The same backtest event by event, for a log that is read in pages. */
export interface OpenBacktest {
  /** Events must come in order of `seq`. Types that are not in `FOLDED_EVENT_TYPES` may be omitted. */
  fold(event: SessionEvent): BacktestStep
  summary(): SessionBacktest
}

/** `digest`: of the version with which the session began. Absent: the first event names it. */
export function openBacktest(
  before: RanUnder,
  after: CompiledConfig,
  digest?: string | null,
): OpenBacktest {
  const { began: config, find } = toSessionVersions(before)
  const lane = newLane(after)
  let governing: Governing | null = digest === undefined ? null : { digest, config }
  let state = initialState(config.promptName)
  return {
    fold(event) {
      lane.events += 1
      governing ??= { digest: event.config ?? null, config }
      // Only for this type, because every event of every session passes here.
      const taken =
        event.type === 'config.applied' ? takenWith({ event, state }, governing, find) : null
      governing = taken?.governing ?? governing
      const was = step(governing.config, taken?.state ?? state, event)
      const { step: is, isKnown } = stepLane(lane, event, was)
      state = was.state
      if (was.effects.length === 0 && is.effects.length === 0) return NOTHING
      return compare(lane, event, { was: was.effects, is: is.effects, isKnown })
    },
    summary: () => summarizeLane(lane),
  }
}

/** Types of events that build a state or identify the deciding version. Other types change nothing but its `seq` and `at`. */
export const FOLDED_EVENT_TYPES = [
  'session.started',
  'session.ended',
  'session.controlled',
  'config.applied',
  'prompt.rendered',
  'plan.updated',
  'usage.recorded',
  'tool.requested',
  'approval.decided',
  'tool.invoked',
  'stop.attempted',
] as const satisfies readonly SessionEvent['type'][]

const NOTHING: BacktestStep = { differences: [], verdict: null }

function isChange(verdict: ReplayedVerdict | null): boolean {
  return verdict !== null && verdict.class !== 'unchanged' && verdict.class !== 'cannot_replay'
}

/** True when a part of the agent's input was removed from the log, so that the result of another rule cannot be known. */
export function isHidden(event: SessionEvent): boolean {
  switch (event.type) {
    case 'tool.requested':
      return containsMark(event.data.args)
    case 'stop.attempted':
      return containsMark(event.data.output)
    default:
      return false
  }
}

const MARKS = ['$redacted', '$truncated', '$removed']

/** True when a part of the value was removed from the log. */
export function containsMark(value: JsonValue | undefined): boolean {
  const open: (JsonValue | undefined)[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    if (MARKS.some((mark) => Object.hasOwn(next, mark))) return true
    open.push(...Object.values(next))
  }
  return false
}

interface BothLanes {
  readonly was: readonly Effect[]
  readonly is: readonly Effect[]
  /** False: the decision depends on a rule that could not be replayed. */
  readonly isKnown: boolean
}

function compare(lane: Lane, event: SessionEvent, lanes: BothLanes): BacktestStep {
  const { was, is } = lanes
  const { seq } = event
  const isLate = lane.firstDivergence !== null && seq > lane.firstDivergence
  const fidelity = isLate ? 'approximate' : 'exact'
  const guess = replayedVerdict({ ...lanes, fidelity })
  const isKnown = lanes.isKnown && !(isChange(guess) && isHidden(event))
  const verdict = guess === null || isKnown ? guess : { ...guess, class: 'cannot_replay' as const }
  if (verdict !== null) (isLate ? lane.verdictsAfterwards : lane.verdicts)[verdict.class] += 1
  const found = decisionDifferences(seq, was, is)
  if (found.length === 0) return { differences: NOTHING.differences, verdict }
  const differences = found.filter(({ subject }) => isKnown || subject.startsWith('feedback '))
  for (const { acts } of differences) {
    if (isLate) lane.changedAfterwards += 1
    else lane.changed += 1
    if (acts) lane.firstDivergence ??= seq
  }
  return { differences: differences.map((difference) => ({ ...difference, fidelity })), verdict }
}

interface Lane {
  readonly after: CompiledConfig
  /** The new config without the rules that cannot be replayed. */
  config: CompiledConfig
  state: SessionState
  readonly fidelities: Fidelities
  events: number
  decisions: number
  changed: number
  changedAfterwards: number
  firstDivergence: number | null
  readonly verdicts: VerdictCount
  readonly verdictsAfterwards: VerdictCount
}

type VerdictCount = { -readonly [Name in keyof Verdicts]: number }

function newLane(after: CompiledConfig): Lane {
  return {
    after,
    config: after,
    state: initialState(after.promptName),
    fidelities: new Map(),
    events: 0,
    decisions: 0,
    changed: 0,
    changedAfterwards: 0,
    firstDivergence: null,
    verdicts: { ...NO_VERDICTS },
    verdictsAfterwards: { ...NO_VERDICTS },
  }
}

interface LaneStep {
  readonly step: Step
  readonly isKnown: boolean
}

function stepLane(lane: Lane, event: SessionEvent, was: Step): LaneStep {
  const missing = rulesWithoutFacts(lane.config, lane.state, event)
  excludeRules(lane, missing, event.seq)
  let is = step(lane.config, lane.state, event)
  const unanswered = listUnansweredRules(was.effects, is.effects)
  if (unanswered.length > 0) {
    excludeRules(lane, unanswered.map(withoutAnswer), event.seq)
    is = step(lane.config, lane.state, event)
  }
  const known = missing.length > 0 ? withKnownStop(is, was) : is
  lane.state = known.state
  for (const { kind } of known.effects) if (kind !== 'anomaly') lane.decisions += 1
  if (lane.firstDivergence !== null) markApproximate(lane, known.effects, event.seq)
  return { step: known, isKnown: known === is && !letsUnknownPass(lane, is) }
}

function letsUnknownPass(lane: Lane, { effects }: Step): boolean {
  if (lane.config === lane.after) return false
  return effects.some(
    ({ kind, data }) =>
      kind === 'tool.decided' &&
      data.decision === 'allowed' &&
      lane.after
        .rulesFor(data.tool)
        .policies.some(
          ({ id, mode }) =>
            mode === 'enforce' && findFidelity(lane.fidelities, id).fidelity === 'cannot_replay',
        ),
  )
}

interface Missing {
  readonly rule: string
  readonly reason: FidelityReason
}

function withoutAnswer(rule: string): Missing {
  return { rule, reason: 'answers_not_recorded' }
}

/** Checkers stay, because the effect of missing facts is determined for each stop. */
function excludeRules(lane: Lane, missing: readonly Missing[], seq: number): void {
  if (missing.length === 0) return
  for (const { rule, reason } of missing) {
    lower(lane.fidelities, rule, { fidelity: 'cannot_replay', reason, since: seq })
  }
  lane.config = withoutRules(
    lane.after,
    [...lane.fidelities].flatMap(([rule, { fidelity }]) =>
      fidelity === 'cannot_replay' ? [rule] : [],
    ),
  )
}

/** Compiled once for each set of rules, for all sessions that lack them. */
const VARIANTS = new WeakMap<CompiledConfig, Map<string, CompiledConfig>>()

function withoutRules(config: CompiledConfig, rules: readonly string[]): CompiledConfig {
  const variants = VARIANTS.get(config) ?? new Map<string, CompiledConfig>()
  VARIANTS.set(config, variants)
  const key = JSON.stringify([...rules].sort())
  const known = variants.get(key)
  if (known !== undefined) return known
  let { document } = config
  for (const rule of rules) document = withRuleMode(document, { rule, mode: 'off' })
  const result = compileConfig(document, config.options)
  // Switching a rule off can only remove errors.
  const variant = result.ok ? result.config : config
  variants.set(key, variant)
  return variant
}

function listUnansweredRules(was: readonly Effect[], is: readonly Effect[]): readonly string[] {
  if (!is.some(isApprovalRequest) || was.some(isApprovalRequest)) return NO_RULES
  return is.flatMap((effect) => (effect.kind === 'approval.requested' ? effect.data.rules : []))
}

const NO_RULES: readonly string[] = []

function isApprovalRequest({ kind }: Effect): boolean {
  return kind === 'approval.requested'
}

/** A stop that passes without the missing facts is certain, because more facts only let more checks pass. A refused one is not. */
function withKnownStop(is: Step, was: Step): Step {
  const isUncertain = is.effects.some(
    (effect) => effect.kind === 'stop.decided' && effect.data.message !== null,
  )
  if (!isUncertain) return is
  return { state: { ...is.state, stops: was.state.stops }, effects: was.effects }
}

function markApproximate(lane: Lane, effects: readonly Effect[], seq: number): void {
  const to = { fidelity: 'approximate', reason: 'after_divergence', since: seq } as const
  for (const rule of effects.flatMap(listEffectRules)) lower(lane.fidelities, rule, to)
}

function listEffectRules(effect: Effect): readonly string[] {
  switch (effect.kind) {
    case 'tool.decided':
    case 'content.decided':
      return effect.data.rules.map(({ rule }) => rule)
    case 'approval.requested':
      return effect.data.rules
    case 'feedback.delivered':
    case 'feedback.failed':
      return [effect.data.provider]
    case 'stop.decided':
      return effect.data.check === null ? [] : listCheckerIds(effect.data.check)
    case 'anomaly':
      return []
    default:
      return effect satisfies never
  }
}

function listCheckerIds({ checker, children = [] }: CheckResult): readonly string[] {
  return [checker, ...children.flatMap(listCheckerIds)]
}

function summarizeLane(lane: Lane): SessionBacktest {
  const { after, fidelities, events, decisions, changed, changedAfterwards } = lane
  const { firstDivergence } = lane
  const [verdicts, verdictsAfterwards] = [{ ...lane.verdicts }, { ...lane.verdictsAfterwards }]
  const { policies, content, providers, checkers } = placeDocument(after.document)
  const acting = [...policies, ...content, ...providers].filter(({ item }) => item.mode !== 'off')
  const ids = [...acting, ...checkers].map(({ item }) => item.id)
  const rules = Object.fromEntries(ids.map((id) => [id, findFidelity(fidelities, id)]))
  const counts = { events, decisions, changed, changedAfterwards, firstDivergence }
  return { ...counts, verdicts, verdictsAfterwards, rules }
}
