// The one entry: a compiled config, a state and an event give the next state and the effects. Pure, total, never throws
// on a valid event. Enforcement, replay, verification and time travel are all this function (specs/guardrails.md).
import type { CompiledConfig } from './compile.ts'
import { decideStop } from './completion/decide-stop.ts'
import type { Anomaly, Effect } from './effect.ts'
import type { EventOf, SessionEvent, UsageRecorded } from './event.ts'
import { fileFact } from './fact.ts'
import { collectFeedback, promptState } from './feedback/collect.ts'
import { getIn, removeIn, setIn } from './persistent-map.ts'
import { decide } from './policies/evaluate.ts'
import type { Call } from './policies/policy.ts'
import {
  draftOf,
  type PendingCall,
  type SessionState,
  type StateDraft,
  type Usage,
} from './state.ts'

export interface Step {
  readonly state: SessionState
  readonly effects: readonly Effect[]
}

const NOTHING: readonly Effect[] = []
const NO_USAGE: Usage = { input: 0, output: 0, total: 0 }

/** Events must come in order of `seq`; the caller fills gaps first. */
export function step(config: CompiledConfig, before: SessionState, event: SessionEvent): Step {
  const draft = draftOf(before)
  draft.seq = event.seq
  draft.at = event.at
  return { state: draft, effects: apply(config, draft, event) }
}

function apply(config: CompiledConfig, draft: StateDraft, event: SessionEvent): readonly Effect[] {
  switch (event.type) {
    case 'tool.requested':
      return requested(config, draft, event)
    case 'tool.invoked':
      return invoked(config, draft, event)
    case 'stop.attempted':
      return attempted(config, draft, event)
    default:
      remember(draft, event)
      return NOTHING
  }
}

/** Events that only add to what is known. Records of decisions, and types that this build does not know, add nothing. */
function remember(draft: StateDraft, event: SessionEvent): void {
  switch (event.type) {
    case 'session.started':
      draft.startedAt = event.at
      draft.workspaceRoot = event.data.workspace_root ?? null
      draft.deadlineAt = event.data.deadline_at ?? null
      draft.budget = event.data.budget ?? null
      break
    case 'session.ended':
      draft.endedAt = event.at
      break
    case 'prompt.rendered':
      draft.prompt = event.data.prompt
      break
    case 'plan.updated':
      draft.plan = { seq: event.seq, steps: event.data.steps }
      break
    case 'usage.recorded':
      recordUsage(draft, event.data)
      break
    default:
      break
  }
}

function recordUsage(draft: StateDraft, data: UsageRecorded): void {
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
  const tool = config.canonicalTool(data.tool)
  const call = { callId: data.call_id, tool, args: data.args, facts: data.facts }
  const decision = decide(config.policiesFor(tool), call, draft)
  const effects: Effect[] = [{ kind: 'tool.decided', data: decision }]
  if (getIn(draft.pending, data.call_id) !== undefined) {
    effects.push(anomaly({ code: 'duplicate_request', call_id: data.call_id, tool }))
  }
  const denied = decision.decision !== 'allowed'
  const pending: PendingCall = { seq, tool, denied, paths: pathsOf(config, draft, call) }
  draft.pending = setIn(draft.pending, data.call_id, pending)
  return effects
}

const NO_PATHS: PendingCall['paths'] = {}

function pathsOf(config: CompiledConfig, state: SessionState, call: Call): PendingCall['paths'] {
  const rememberers = config.rememberersOf(call.tool)
  if (rememberers.length === 0) return NO_PATHS
  return Object.fromEntries(
    rememberers.flatMap(({ id, policy }) => {
      const path = policy.path(call, state)
      return path === null ? [] : [[id, path] as const]
    }),
  )
}

function invoked(
  config: CompiledConfig,
  draft: StateDraft,
  event: EventOf<'tool.invoked'>,
): readonly Effect[] {
  const { data, seq, at } = event
  const call = getIn(draft.pending, data.call_id)
  const fault = faultOf(event, config.canonicalTool(data.tool), call)
  draft.pending = removeIn(draft.pending, data.call_id)
  countCall(draft)
  if (data.outcome === 'success' && fault === null && call !== undefined) {
    recordSuccess(config, draft, { call, event })
  }
  const effects: Effect[] = fault === null ? [] : [anomaly(fault)]
  const finished = { callId: data.call_id, seq, at, facts: data.facts }
  for (const delivery of collectFeedback(config, draft, finished)) {
    effects.push({ kind: 'feedback.delivered', data: delivery })
  }
  return effects
}

function anomaly(data: Anomaly): Effect {
  return { kind: 'anomaly', data }
}

/** A result that no allowed request of this tool led to satisfies nothing. */
function faultOf(
  { data }: EventOf<'tool.invoked'>,
  tool: string,
  call: PendingCall | undefined,
): Anomaly | null {
  if (data.outcome === 'denied' || data.outcome === 'invalid') return null
  if (call === undefined || call.tool !== tool) {
    return { code: 'result_without_request', call_id: data.call_id, tool }
  }
  return call.denied ? { code: 'ran_despite_denial', call_id: data.call_id, tool } : null
}

function countCall(draft: StateDraft): void {
  const { calls, providers } = promptState(draft)
  draft.prompts = setIn(draft.prompts, draft.prompt, { calls: calls + 1, providers })
}

function recordSuccess(
  config: CompiledConfig,
  draft: StateDraft,
  { call, event }: { readonly call: PendingCall; readonly event: EventOf<'tool.invoked'> },
): void {
  draft.successes = setIn(draft.successes, call.tool, event.seq)
  for (const { id, policy } of config.rememberersOf(call.tool)) {
    const path = Object.hasOwn(call.paths, id) ? call.paths[id] : undefined
    if (path === undefined) continue
    policy.remember(draft, { seq: event.seq, path, file: fileFact(event.data.facts, path) })
  }
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
