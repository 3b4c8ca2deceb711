// Cursor, which asks by command hooks (specs/adapters/cursor.md). Written from what others say of it and tested with such payloads;
// never run against Cursor itself.
import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import {
  type HookAnswer,
  type HookEvent,
  type HookHarness,
  type HookInput,
  HookPayload,
  type NativeCall,
  type NativeResult,
} from '@signalbox/runtime/harness'
import { cursorProfile } from './capabilities.ts'

const DENIED = 'Denied by policy.'
const INCOMPLETE = 'Tasks are incomplete.'
const SHELL = 'Shell'

export const cursor: HookHarness = {
  name: 'cursor',
  profile: cursorProfile,
  read(payload): HookInput {
    const hook = new HookPayload(payload)
    const version = hook.optionalText('cursor_version')
    return {
      session: hook.text('conversation_id'),
      cwd: hook.optionalText('cwd') ?? rootIn(hook.value('workspace_roots')),
      event: eventOf(hook),
      ...(version === undefined ? {} : { version }),
    }
  },
  answer(event, said) {
    switch (said.kind) {
      case 'pass':
        return null
      case 'deny':
      case 'block':
        return refusal(event.kind, textOf(said))
      case 'feedback':
        return event.kind === 'tool_finished' ? { additional_context: said.text } : null
      default:
        return said satisfies never
    }
  },
  refuse(payload, reason) {
    const event = isJsonObject(payload) ? payload['hook_event_name'] : undefined
    const text = textOf({ kind: 'deny', reason })
    if (event === 'stop') return refusal('stop_attempted', text)
    if (event === 'preToolUse' || typeof event !== 'string') return refusal('tool_requested', text)
    return null
  },
}

function eventOf(hook: HookPayload): HookEvent {
  switch (hook.text('hook_event_name')) {
    case 'sessionStart':
      return { kind: 'session_started' }
    case 'beforeSubmitPrompt':
      return { kind: 'run_started' }
    case 'preToolUse':
      return { kind: 'tool_requested', call: callOf(hook) }
    case 'postToolUse':
      return { kind: 'tool_finished', result: resultOf(hook) }
    case 'postToolUseFailure':
      return { kind: 'tool_finished', result: failureOf(hook) }
    case 'stop':
      return stopOf(hook.optionalText('status'))
    case 'sessionEnd':
      return { kind: 'session_ended', reason: endOf(hook.optionalText('reason')) }
    default:
      return { kind: 'other' }
  }
}

/** An agent that its user or an error has ended does not go on. */
function stopOf(status: string | undefined): HookEvent {
  if (status === 'aborted' || status === 'error') return { kind: 'other' }
  return { kind: 'stop_attempted', attempt: { via: 'turn_end' } }
}

function endOf(reason: string | undefined): 'completed' | 'failed' | 'aborted' | 'left' {
  if (reason === 'completed' || reason === 'aborted') return reason
  return reason === 'error' ? 'failed' : 'left'
}

function callOf(hook: HookPayload): NativeCall {
  const callId = hook.optionalText('tool_use_id')
  return {
    tool: hook.text('tool_name'),
    input: hook.value('tool_input') ?? {},
    ...(callId === undefined ? {} : { callId }),
  }
}

/** Said to come only for tools that succeeded; whether a command that fails is one of them, nobody says. */
function resultOf(hook: HookPayload): NativeResult {
  const call = callOf(hook)
  const output = hook.value('tool_output')
  return {
    ...call,
    outcome: call.tool === SHELL ? 'unknown' : 'success',
    ...(output === undefined ? {} : { output }),
  }
}

function failureOf(hook: HookPayload): NativeResult {
  const error = hook.optionalText('error_message') ?? 'Cursor says that it failed.'
  const denied = hook.value('failure_type') === 'permission_denied'
  return { ...callOf(hook), outcome: denied ? 'denied' : 'failure', error }
}

function refusal(event: HookEvent['kind'], text: string): JsonObject | null {
  if (event === 'stop_attempted') return { followup_message: text }
  if (event !== 'tool_requested') return null
  return { permission: 'deny', agent_message: text, user_message: text }
}

function textOf(said: Extract<HookAnswer, { kind: 'deny' | 'block' }>): string {
  const [text, otherwise] =
    said.kind === 'deny' ? [said.reason, DENIED] : [said.message, INCOMPLETE]
  return text.trim() === '' ? otherwise : text
}

function rootIn(roots: JsonValue | undefined): string | null {
  const [first] = Array.isArray(roots) ? roots : []
  return typeof first === 'string' && first !== '' ? first : null
}
