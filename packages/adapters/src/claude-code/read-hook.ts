// One hook of Claude Code as an event. The same fields come by command, by http and in the Agent SDK's callbacks.
import { isJsonObject, type JsonValue } from '@signalbox/core'
import {
  type HookEvent,
  type HookInput,
  HookPayload,
  HookPayloadError,
  type NativeCall,
  type NativeResult,
} from '@signalbox/runtime/harness'
import { outcomeOf, untoldOutcomeOf } from './outcome.ts'

/** By this tool the model gives the structured output of its run. */
const STRUCTURED_OUTPUT = 'StructuredOutput'

/** Throws HookPayloadError, which names the field. */
export function readHook(payload: unknown): HookInput {
  const fields = new HookPayload(payload)
  return {
    session: fields.text('session_id'),
    cwd: fields.optionalText('cwd') ?? null,
    event: eventOf(fields),
  }
}

function eventOf(fields: HookPayload): HookEvent {
  switch (fields.text('hook_event_name')) {
    case 'SessionStart':
      return { kind: 'session_started' }
    case 'UserPromptSubmit':
      return { kind: 'run_started' }
    case 'PreToolUse':
      return requestOf(fields)
    case 'PostToolUse':
      return successOf(fields)
    case 'PostToolUseFailure':
      return failureOf(fields)
    case 'PostToolBatch':
      return batchOf(fields)
    case 'Stop':
      return waitsForAgents(fields) ? { kind: 'other' } : stopOf(fields)
    case 'SubagentStop':
      return stopOf(fields)
    case 'SessionEnd':
      return { kind: 'session_ended', reason: isQuit(fields) ? 'left' : 'completed' }
    default:
      return { kind: 'other' }
  }
}

/** Reasons that only a user in the terminal causes; a run without one ends for another reason. */
const QUITS = new Set<string | undefined>(['prompt_input_exit', 'logout', 'clear', 'resume'])

function isQuit(fields: HookPayload): boolean {
  return QUITS.has(fields.optionalText('reason'))
}

function callOf(fields: HookPayload): NativeCall {
  return {
    tool: fields.text('tool_name'),
    input: fields.value('tool_input'),
    callId: fields.text('tool_use_id'),
    ...agentOf(fields),
  }
}

function requestOf(fields: HookPayload): HookEvent {
  const call = callOf(fields)
  if (call.tool !== STRUCTURED_OUTPUT) return { kind: 'tool_requested', call }
  const { input, agent } = call
  const attempt = { via: 'structured_output', output: input } as const
  return {
    kind: 'stop_attempted',
    attempt: agent === undefined ? attempt : { ...attempt, agent },
  }
}

function successOf(fields: HookPayload): HookEvent {
  const call = callOf(fields)
  const response = fields.value('tool_response')
  if (call.tool !== STRUCTURED_OUTPUT) {
    const outcome = outcomeOf(call.tool, response)
    const output = response === undefined ? {} : { output: response }
    return { kind: 'tool_finished', result: { ...call, outcome, ...output, ...durationOf(fields) } }
  }
  return call.agent === undefined
    ? { kind: 'output_accepted', output: call.input }
    : { kind: 'other' }
}

function failureOf(fields: HookPayload): HookEvent {
  const call = callOf(fields)
  // An output that does not match its schema: the attempt was counted when it was made.
  if (call.tool === STRUCTURED_OUTPUT) return { kind: 'other' }
  const error = fields.optionalText('error') ?? 'The call failed.'
  return {
    kind: 'tool_finished',
    result: { ...call, outcome: 'failure', error, ...durationOf(fields) },
  }
}

function batchOf(fields: HookPayload): HookEvent {
  const calls = fields.value('tool_calls')
  if (!Array.isArray(calls)) throw new HookPayloadError("The payload has no list in 'tool_calls'")
  const agent = agentOf(fields)
  const results = calls.flatMap((each): readonly NativeResult[] => {
    const call = new HookPayload(each)
    if (call.text('tool_name') === STRUCTURED_OUTPUT) return []
    return [{ ...callOf(call), ...agent, ...untoldOutcomeOf(call.value('tool_response')) }]
  })
  return { kind: 'batch_finished', results }
}

function stopOf(fields: HookPayload): HookEvent {
  const agent = agentOf(fields)
  const lastMessage = fields.optionalText('last_assistant_message')
  return {
    kind: 'stop_attempted',
    attempt: {
      via: agent.agent === undefined ? 'turn_end' : 'subagent_end',
      ...(lastMessage === undefined ? {} : { lastMessage }),
      ...agent,
    },
  }
}

/**
 * The main agent only waits: Claude wakes it when a sub-agent that works in the background has ended, and asks again before the run
 * ends. A command in the background does not hold the run up, so that is a stop.
 */
function waitsForAgents(fields: HookPayload): boolean {
  const tasks = fields.value('background_tasks')
  return Array.isArray(tasks) && tasks.some(isAgentAtWork)
}

function isAgentAtWork(task: JsonValue): boolean {
  if (!isJsonObject(task)) return false
  const { type, status } = task
  return type === 'subagent' && (status === 'running' || status === 'pending')
}

/** Only sub-agents have an id. */
function agentOf(fields: HookPayload): { readonly agent?: string } {
  const agent = fields.optionalText('agent_id')
  return agent === undefined ? {} : { agent }
}

function durationOf(fields: HookPayload): { readonly durationMs?: number } {
  const duration = fields.value('duration_ms')
  return typeof duration === 'number' ? { durationMs: duration } : {}
}
