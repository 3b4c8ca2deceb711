// Pure and total: never throws on a valid event. Enforcement, replay, verification and time travel all use this function
// (specs/guardrails.md).

import { concludeContent, judgeContent, listWarning } from '../kinds/content/judge-content.ts'
import { contentWarning } from '../kinds/content/warning.ts'
import { promptState } from '../kinds/feedback/prompt-state.ts'
import { computeTimeout, listAsking, rulesNow, settle } from '../kinds/policies/approval.ts'
import { toCall } from '../kinds/policies/call.ts'
import { conclude, evaluateRules } from '../kinds/policies/evaluate.ts'
import { isPlain, listInspectedPaths } from '../kinds/policies/path-argument.ts'
import type { Call, CompiledPolicy, RateMemory } from '../kinds/policies/policy.ts'
import { rememberReads } from '../kinds/policies/remember-reads.ts'
import type { Anomaly, ApprovalRequest, Effect, RuleResult, ToolDecision } from '../model/effect.ts'
import type {
  EventOf,
  RecordedCapabilities,
  SessionEvent,
  ToolInvoked,
  UsageRecorded,
} from '../model/event.ts'
import { callFingerprint } from '../model/fingerprint.ts'
import { getIn, removeIn, setIn } from '../model/persistent-map.ts'
import { FIRST_SEMANTICS, knownSemantics } from '../model/semantics.ts'
import {
  ALL_REPLACEABLE,
  createDraft,
  type PendingCall,
  type Replaceable,
  type SessionState,
  type StateDraft,
  type Usage,
} from '../model/state.ts'
import { collectFeedback } from './collect.ts'
import type { CompiledConfig } from './compile.ts'
import { countCall, tally } from './count-call.ts'
import { decideStop } from './decide-stop.ts'
import { judgeResult } from './judge-result.ts'
import { findHolding, refuseByOrder, rememberOrder } from './session-control.ts'

export interface Step {
  readonly state: SessionState
  readonly effects: readonly Effect[]
}

const NOTHING: readonly Effect[] = []
const NO_USAGE: Usage = { input: 0, output: 0, total: 0 }

/** Events must come in order of `seq`; the caller fills gaps first. */
export function step(config: CompiledConfig, before: SessionState, event: SessionEvent): Step {
  const draft = createDraft(before)
  draft.seq = event.seq
  draft.at = event.at
  return { state: draft, effects: apply(config, draft, event) }
}

function apply(config: CompiledConfig, draft: StateDraft, event: SessionEvent): readonly Effect[] {
  switch (event.type) {
    case 'tool.requested':
      return requested(config, draft, event)
    case 'approval.decided':
      return approvalDecided(config, draft, event)
    case 'tool.invoked':
      return invoked(config, draft, event)
    case 'stop.attempted':
      return attempted(config, draft, event)
    default:
      remember(draft, event)
      return NOTHING
  }
}

/** Records of decisions, and types that this build does not know, add nothing. */
function remember(draft: StateDraft, event: SessionEvent): void {
  switch (event.type) {
    case 'session.started':
      draft.semantics = knownSemantics(event.data.semantics ?? FIRST_SEMANTICS)
      draft.startedAt = event.at
      draft.environment = event.data.environment
      draft.tags = event.data.tags ?? {}
      draft.workspaceRoot = event.data.workspace_root ?? null
      draft.deadlineAt = event.data.deadline_at ?? null
      draft.budget = event.data.budget ?? null
      draft.replaceable = readReplaceable(event.data.capabilities)
      break
    case 'session.ended':
      draft.endedAt = event.at
      break
    case 'session.controlled':
      draft.control = rememberOrder(draft, event)
      break
    case 'prompt.rendered':
      draft.prompt = event.data.prompt
      break
    case 'plan.updated':
      draft.plan = {
        seq: event.seq,
        steps: event.data.steps,
        done: event.data.steps.filter(({ status }) => status === 'done').length,
      }
      break
    case 'usage.recorded':
      recordUsage(draft, event.data)
      break
    default:
      break
  }
}

/** Without capabilities, the session runs in the host's own loop. */
function readReplaceable(can: RecordedCapabilities | undefined): Replaceable {
  if (can === undefined) return ALL_REPLACEABLE
  return { arguments: can.replaces_arguments === true, results: can.replaces_results === true }
}

/** A later event with the same evaluation id replaces the earlier one. */
export function recordUsage(
  draft: Pick<StateDraft, 'evaluations' | 'usage'>,
  data: UsageRecorded,
): void {
  const { input_tokens: input, output_tokens: output } = data
  const now: Usage = { input, output, total: data.total_tokens ?? input + output }
  const old = getIn(draft.evaluations, data.evaluation_id) ?? NO_USAGE
  draft.evaluations = setIn(draft.evaluations, data.evaluation_id, now)
  draft.usage = {
    input: draft.usage.input + now.input - old.input,
    output: draft.usage.output + now.output - old.output,
    total: draft.usage.total + now.total - old.total,
  }
}

function requested(
  config: CompiledConfig,
  draft: StateDraft,
  { seq, data }: EventOf<'tool.requested'>,
): readonly Effect[] {
  const call = toCall(config, data, draft)
  const { tool } = call
  const { content, policies, approvals, rates } = config.rulesFor(tool)
  const named = { call_id: data.call_id, tool }
  const holding = findHolding(draft)
  const contained =
    holding === null ? judgeContent(content.arguments, call.facts?.content, draft.replaceable) : []
  const judged = holding === null ? evaluateRules(policies, call, draft) : []
  const rules = contained.length === 0 ? judged : [...contained, ...judged]
  const decision = holding === null ? conclude(named, rules) : refuseByOrder(named, holding)
  const allowed = decision.decision === 'allowed'
  const asking = allowed ? listAsking(approvals, rules) : NOBODY
  const waits = asking.length > 0
  const expiresAt = waits ? draft.at + Math.round(computeTimeout(asking) * 1000) : 0
  const again = getIn(draft.pending, data.call_id) !== undefined
  const pending: PendingCall = {
    seq,
    tool,
    paths: normalPaths(call),
    denied: !allowed || waits,
    approval: waits ? { expiresAt, rules } : null,
  }
  const warned = listWarning(contained)
  draft.pending = setIn(
    draft.pending,
    data.call_id,
    warned.length === 0 ? pending : { ...pending, warned },
  )
  if (config.tracksRepetition) noteRepetition(draft, callFingerprint(tool, data.args))
  const effect = waits
    ? approvalRequested(asking, { ...named, expires_at: expiresAt })
    : decided(rates, draft, decision)
  if (!again) return [effect]
  return [effect, anomaly('duplicate_request', data.call_id, tool)]
}

const NO_WARNINGS: readonly RuleResult[] = []
const NOBODY: readonly CompiledPolicy[] = []

function approvalRequested(
  asking: readonly CompiledPolicy[],
  { call_id, tool, expires_at }: Omit<ApprovalRequest, 'rules'>,
): Effect {
  const rules = asking.map(({ id }) => id)
  return { kind: 'approval.requested', data: { call_id, tool, rules, expires_at } }
}

function decided(rates: readonly RateMemory[], draft: StateDraft, decision: ToolDecision): Effect {
  if (decision.decision === 'allowed') for (const rate of rates) rate.admit(draft)
  return { kind: 'tool.decided', data: decision }
}

function approvalDecided(
  config: CompiledConfig,
  draft: StateDraft,
  { seq, at, data }: EventOf<'approval.decided'>,
): readonly Effect[] {
  const { call_id } = data
  const call = getIn(draft.pending, call_id)
  if (call === undefined || call.approval === null) {
    const tool = call?.tool ?? ''
    return [anomaly('approval_without_request', call_id, tool)]
  }
  const { tool, approval } = call
  const { approvals, policies, rates } = config.rulesFor(tool)
  const asked = listAsking(approvals, approval.rules)
  const answers = settle(asked, approval, { tool, answer: data, seq, at })
  const rules = rulesNow(policies, approval.rules, { tool, state: draft })
  const holding = findHolding(draft)
  const decision =
    holding === null
      ? conclude({ call_id, tool }, [...rules, ...answers])
      : refuseByOrder({ call_id, tool }, holding)
  const denied = decision.decision !== 'allowed'
  draft.pending = setIn(draft.pending, call_id, { ...call, denied, approval: null })
  return [decided(rates, draft, decision)]
}

function noteRepetition(draft: StateDraft, call: string): void {
  const prompt = promptState(draft)
  const before = prompt.repetition
  const times = before?.call === call ? before.times + 1 : 1
  draft.prompts = setIn(draft.prompts, draft.prompt, { ...prompt, repetition: { call, times } })
}

const NO_PATHS: PendingCall['paths'] = []

/** Paths for which the text and the kernel's resolution lead to the same place. */
function normalPaths({ paths, facts }: Call): PendingCall['paths'] {
  if (paths.length === 0) return NO_PATHS
  const normals: { form: string; path: string }[] = []
  for (const found of paths) {
    for (const one of listInspectedPaths(found)) {
      if (one.normal !== null && isPlain(one, facts))
        normals.push({ form: found.form, path: one.normal })
    }
  }
  return normals
}

function invoked(
  config: CompiledConfig,
  draft: StateDraft,
  event: EventOf<'tool.invoked'>,
): readonly Effect[] {
  const { data, seq, at } = event
  const tool = config.canonicalTool(data.tool)
  const call = getIn(draft.pending, data.call_id)
  const fault = findAnomaly(event, tool, call)
  draft.pending = removeIn(draft.pending, data.call_id)
  const outcome = fault === null ? data.outcome : 'unknown'
  draft.tallies = setIn(draft.tallies, tool, tally(getIn(draft.tallies, tool), outcome, seq))
  countCall(config, draft, { tool, outcome })
  if (outcome === 'success' && call !== undefined && call.paths.length > 0) {
    const { paths } = call
    rememberReads(config.rulesFor(call.tool).reads, draft, { seq, paths, facts: data.facts })
  }
  const finished = { call_id: data.call_id, tool, seq, at, facts: data.facts }
  const content = resultEffects(config, draft, { data, tool, warned: call?.warned ?? NO_WARNINGS })
  const advice = collectFeedback(config, draft, finished)
  const feedback = content.length === 0 ? advice : [...content, ...advice]
  return fault === null ? feedback : [anomaly(fault, data.call_id, tool), ...feedback]
}

function resultEffects(
  config: CompiledConfig,
  state: SessionState,
  { data, tool, warned }: EndedCall,
): readonly Effect[] {
  const rules = judgeResult(config, state, data)
  if (rules.length === 0 && warned.length === 0) return NOTHING
  const decision = concludeContent({ call_id: data.call_id, tool }, rules)
  const warnings = [...warned, ...listWarning(rules)]
  return [
    ...(decision === null ? [] : [{ kind: 'content.decided' as const, data: decision }]),
    ...warnings.map((rule) => ({
      kind: 'feedback.delivered' as const,
      data: contentWarning(rule, data.call_id, state),
    })),
  ]
}

interface EndedCall {
  readonly data: ToolInvoked
  readonly tool: string
  readonly warned: readonly RuleResult[]
}

function anomaly(code: Anomaly['code'], call_id: string, tool: string): Effect {
  return { kind: 'anomaly', data: { code, call_id, tool } }
}

/** A result without an allowed request of this tool satisfies no rule. */
function findAnomaly(
  { data }: EventOf<'tool.invoked'>,
  tool: string,
  call: PendingCall | undefined,
): Anomaly['code'] | null {
  if (data.outcome === 'denied' || data.outcome === 'invalid') return null
  if (call === undefined || call.tool !== tool) return 'result_without_request'
  return call.denied ? 'ran_despite_denial' : null
}

function attempted(
  config: CompiledConfig,
  draft: StateDraft,
  event: EventOf<'stop.attempted'>,
): readonly Effect[] {
  const decision = decideStop(config, draft, event)
  const refused = decision.verdict === 'blocked' || decision.verdict === 'error'
  const blocks = draft.stops.blocks + (refused && event.data.via !== 'final' ? 1 : 0)
  draft.stops = { attempts: decision.attempt, blocks }
  return [{ kind: 'stop.decided', data: decision }]
}
