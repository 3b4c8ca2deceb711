// The one entry: a compiled config, a state and an event give the next state and the effects. Pure, total, never throws
// on a valid event. Enforcement, replay, verification and time travel are all this function (specs/guardrails.md).
import type { CompiledConfig } from './compile.ts'
import { decideStop } from './completion/decide-stop.ts'
import type { Effect } from './effect.ts'
import type { EventOf, SessionEvent, SessionStarted, UsageRecorded } from './event.ts'
import { fileFact } from './fact.ts'
import { collectFeedback, promptState } from './feedback/collect.ts'
import { getIn, removeIn, setIn } from './persistent-map.ts'
import { decide } from './policies/evaluate.ts'
import type { PendingCall, SessionState, Usage } from './state.ts'

export interface Step {
  readonly state: SessionState
  readonly effects: readonly Effect[]
}

const NOTHING: readonly Effect[] = []

/** Events must come in order of `seq`; the caller fills gaps first. */
export function step(config: CompiledConfig, before: SessionState, event: SessionEvent): Step {
  const state: SessionState = { ...before, seq: event.seq, at: event.at }
  switch (event.type) {
    case 'tool.requested':
      return requested(config, state, event)
    case 'tool.invoked':
      return invoked(config, state, event)
    case 'stop.attempted':
      return attempted(config, state, event)
    default:
      return { state: remembered(state, event), effects: NOTHING }
  }
}

/** Events that only add to what is known. Records of decisions, and types that this build does not know, add nothing. */
function remembered(state: SessionState, event: SessionEvent): SessionState {
  switch (event.type) {
    case 'session.started':
      return { ...state, startedAt: event.at, ...startOf(event.data) }
    case 'session.ended':
      return { ...state, endedAt: event.at }
    case 'prompt.rendered':
      return { ...state, prompt: event.data.prompt }
    case 'plan.updated':
      return { ...state, plan: { seq: event.seq, steps: event.data.steps } }
    case 'usage.recorded':
      return withUsage(state, event.data)
    default:
      return state
  }
}

function startOf(
  data: SessionStarted,
): Pick<SessionState, 'workspaceRoot' | 'deadlineAt' | 'budget'> {
  return {
    workspaceRoot: data.workspace_root ?? null,
    deadlineAt: data.deadline_at ?? null,
    budget: data.budget ?? null,
  }
}

function withUsage(state: SessionState, data: UsageRecorded): SessionState {
  const { input_tokens: input, output_tokens: output } = data
  const now: Usage = { input, output, total: data.total_tokens ?? input + output }
  const old = getIn(state.evaluations, data.evaluation_id) ?? { input: 0, output: 0, total: 0 }
  return {
    ...state,
    evaluations: setIn(state.evaluations, data.evaluation_id, now),
    usage: {
      input: state.usage.input + now.input - old.input,
      output: state.usage.output + now.output - old.output,
      total: state.usage.total + now.total - old.total,
    },
  }
}

function requested(
  config: CompiledConfig,
  state: SessionState,
  { seq, data }: EventOf<'tool.requested'>,
): Step {
  const tool = config.canonicalTool(data.tool)
  const callId = data.call_id
  const call = { callId, tool, args: data.args, facts: data.facts }
  const decision = decide(config.policiesFor(tool), call, state)
  const paths = Object.fromEntries(
    config.rememberersOf(tool).flatMap(({ id, policy }) => {
      const path = policy.path(call, state)
      return path === null ? [] : [[id, path] as const]
    }),
  )
  const pending: PendingCall = { seq, tool, paths, denied: decision.decision !== 'allowed' }
  const effects: Effect[] = [{ kind: 'tool.decided', data: decision }]
  if (getIn(state.pending, callId) !== undefined) {
    effects.push({ kind: 'anomaly', data: { code: 'duplicate_request', call_id: callId, tool } })
  }
  return { state: { ...state, pending: setIn(state.pending, callId, pending) }, effects }
}

function invoked(
  config: CompiledConfig,
  before: SessionState,
  event: EventOf<'tool.invoked'>,
): Step {
  const { data, seq, at } = event
  const tool = config.canonicalTool(data.tool)
  const call = getIn(before.pending, data.call_id)
  const anomaly = anomalyOf(event, tool, call)
  const counted = countCall({ ...before, pending: removeIn(before.pending, data.call_id) })
  const succeeded = data.outcome === 'success' && anomaly === null && call !== undefined
  const state = succeeded ? withSuccess(config, counted, { call, event }) : counted
  const finished = { callId: data.call_id, seq, at, facts: data.facts }
  const feedback = collectFeedback(config, state, finished)
  const effects = feedback.deliveries.map(
    (delivery): Effect => ({ kind: 'feedback.delivered', data: delivery }),
  )
  return { state: feedback.state, effects: anomaly === null ? effects : [anomaly, ...effects] }
}

/** A result that no allowed request of this tool led to satisfies nothing. */
function anomalyOf(
  { data }: EventOf<'tool.invoked'>,
  tool: string,
  call: PendingCall | undefined,
): Effect | null {
  const of = { call_id: data.call_id, tool }
  if (data.outcome === 'denied' || data.outcome === 'invalid') return null
  if (call === undefined || call.tool !== tool) {
    return { kind: 'anomaly', data: { code: 'result_without_request', ...of } }
  }
  return call.denied ? { kind: 'anomaly', data: { code: 'ran_despite_denial', ...of } } : null
}

function countCall(state: SessionState): SessionState {
  const prompt = promptState(state)
  const counted = { ...prompt, calls: prompt.calls + 1 }
  return { ...state, prompts: setIn(state.prompts, state.prompt, counted) }
}

function withSuccess(
  config: CompiledConfig,
  state: SessionState,
  { call, event }: { readonly call: PendingCall; readonly event: EventOf<'tool.invoked'> },
): SessionState {
  let next: SessionState = { ...state, successes: setIn(state.successes, call.tool, event.seq) }
  for (const { id, policy } of config.rememberersOf(call.tool)) {
    const path = Object.hasOwn(call.paths, id) ? call.paths[id] : undefined
    if (path === undefined) continue
    next = policy.remember(next, { seq: event.seq, path, file: fileFact(event.data.facts, path) })
  }
  return next
}

function attempted(
  config: CompiledConfig,
  state: SessionState,
  event: EventOf<'stop.attempted'>,
): Step {
  const decision = decideStop(config, state, { ...event.data, at: event.at })
  const refused = decision.verdict === 'blocked' || decision.verdict === 'error'
  const blocks = state.stops.blocks + (refused && event.data.via !== 'final' ? 1 : 0)
  return {
    state: { ...state, stops: { attempts: decision.attempt, blocks } },
    effects: [{ kind: 'stop.decided', data: decision }],
  }
}
