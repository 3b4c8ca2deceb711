import { isJsonObject, type JsonValue, type ToolOutcome } from '@signalbox/core'
import {
  type HookEvent,
  type HookInput,
  HookPayload,
  HookPayloadError,
  type NativeCall,
  type NativeResult,
} from '@signalbox/runtime/harness'

const STRUCTURED_OUTPUT = 'StructuredOutput'

/** Throws HookPayloadError, which names the field. */
export function readHook(payload: unknown): HookInput {
  const fields = new HookPayload(payload)
  return {
    session: fields.text('session_id'),
    cwd: fields.optionalText('cwd') ?? null,
    event: readClaudeEvent(fields),
  }
}

function readClaudeEvent(fields: HookPayload): HookEvent {
  switch (fields.text('hook_event_name')) {
    case 'SessionStart':
      return { kind: 'session_started' }
    case 'UserPromptSubmit':
      return { kind: 'run_started' }
    case 'PreToolUse':
      return readClaudeRequest(fields)
    case 'PostToolUse':
      return readClaudeSuccess(fields)
    case 'PostToolUseFailure':
      return readClaudeFailure(fields)
    case 'PostToolBatch':
      return readToolBatch(fields)
    case 'Stop':
      return waitsForAgents(fields) ? { kind: 'other' } : readClaudeStop(fields)
    case 'SubagentStop':
      return readClaudeStop(fields)
    case 'SessionEnd':
      return { kind: 'session_ended', reason: isQuit(fields) ? 'left' : 'completed' }
    default:
      return { kind: 'other' }
  }
}

/** Reasons for an end that only a user in the terminal causes. A run without a user ends for another reason. */
const QUITS = new Set<string | undefined>(['prompt_input_exit', 'logout', 'clear', 'resume'])

function isQuit(fields: HookPayload): boolean {
  return QUITS.has(fields.optionalText('reason'))
}

function readClaudeCall(fields: HookPayload): NativeCall {
  return {
    tool: fields.text('tool_name'),
    input: fields.value('tool_input'),
    callId: fields.text('tool_use_id'),
    ...readClaudeAgent(fields),
  }
}

function readClaudeRequest(fields: HookPayload): HookEvent {
  const call = readClaudeCall(fields)
  if (call.tool !== STRUCTURED_OUTPUT) return { kind: 'tool_requested', call }
  const { input, agent } = call
  const attempt = { via: 'structured_output', output: input } as const
  return {
    kind: 'stop_attempted',
    attempt: agent === undefined ? attempt : { ...attempt, agent },
  }
}

function readClaudeSuccess(fields: HookPayload): HookEvent {
  const call = readClaudeCall(fields)
  const response = fields.value('tool_response')
  if (call.tool !== STRUCTURED_OUTPUT) {
    const outcome = judgeOutcome(call.tool, response)
    const output = response === undefined ? {} : { output: response }
    return {
      kind: 'tool_finished',
      result: { ...call, outcome, ...output, ...readClaudeDuration(fields) },
    }
  }
  return call.agent === undefined
    ? { kind: 'output_accepted', output: call.input }
    : { kind: 'other' }
}

function readClaudeFailure(fields: HookPayload): HookEvent {
  const call = readClaudeCall(fields)
  // The output did not match its schema. The attempt was counted when it was made.
  if (call.tool === STRUCTURED_OUTPUT) return { kind: 'other' }
  const error = fields.optionalText('error') ?? 'The call failed.'
  return {
    kind: 'tool_finished',
    result: { ...call, outcome: 'failure', error, ...readClaudeDuration(fields) },
  }
}

function readToolBatch(fields: HookPayload): HookEvent {
  const calls = fields.value('tool_calls')
  if (!Array.isArray(calls)) throw new HookPayloadError("The payload has no list in 'tool_calls'")
  const agent = readClaudeAgent(fields)
  const results = calls.flatMap((each): readonly NativeResult[] => {
    const call = new HookPayload(each)
    if (call.text('tool_name') === STRUCTURED_OUTPUT) return []
    return [{ ...readClaudeCall(call), ...agent, ...inferOutcome(call.value('tool_response')) }]
  })
  return { kind: 'batch_finished', results }
}

function readClaudeStop(fields: HookPayload): HookEvent {
  const agent = readClaudeAgent(fields)
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

/** Claude wakes the main agent when a sub-agent in the background has ended, before the run ends. A command in the background delays no end. */
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
function readClaudeAgent(fields: HookPayload): { readonly agent?: string } {
  const agent = fields.optionalText('agent_id')
  return agent === undefined ? {} : { agent }
}

function readClaudeDuration(fields: HookPayload): { readonly durationMs?: number } {
  const duration = fields.value('duration_ms')
  return typeof duration === 'number' ? { durationMs: duration } : {}
}

// Outcomes of calls that Claude reports as done. Some of them failed or have only begun; they are `unknown`, which satisfies no rule.

const SHELLS: ReadonlySet<string> = new Set(['Bash', 'PowerShell'])
const AGENTS: ReadonlySet<string> = new Set(['Agent', 'Task'])

function judgeOutcome(tool: string, response: unknown): ToolOutcome {
  return isOpen(tool, response) ? 'unknown' : 'success'
}

function isOpen(tool: string, response: unknown): boolean {
  // The watch has begun; its output arrives later.
  if (tool === 'Monitor') return true
  if (!isJsonObject(response)) return false
  if (SHELLS.has(tool)) {
    // A background command, an interrupted one, or one with a nonzero exit status whose meaning Claude knows, such as grep without a match.
    return (
      typeof response['backgroundTaskId'] === 'string' ||
      response['interrupted'] === true ||
      typeof response['returnCodeInterpretation'] === 'string'
    )
  }
  if (AGENTS.has(tool)) return response['isAsync'] === true
  // The task does not exist.
  return tool === 'TaskUpdate' && response['success'] === false
}

/** Prefix of Claude's answer to an invalid call, which never ran. */
const NEVER_RAN = '<tool_use_error>'
/** Prefix when Claude's own permissions refused the call. */
const REFUSED = 'Claude requested permissions'

/** For a call whose end no hook reported. It may have run, unless the report on its step denies it. */
function inferOutcome(response: unknown): { outcome: ToolOutcome; error?: string } {
  if (typeof response !== 'string') return { outcome: 'unknown' }
  if (response.startsWith(NEVER_RAN)) return { outcome: 'invalid', error: response }
  if (response.startsWith(REFUSED)) return { outcome: 'denied', error: response }
  return { outcome: 'unknown' }
}
