// Converts one hook of Codex to an event. The hook itself rarely shows how a call ended; the session file does.
import { omitUndefined } from '@signalbox/core'
import {
  type HookEvent,
  type HookInput,
  type HookKnowledge,
  HookPayload,
  type NativeResult,
  type ReadTail,
} from '@signalbox/runtime/harness'
import { classifyCodexResponse } from './classify.ts'
import { CodexTranscript } from './transcript.ts'

/** Bytes at the end of a session file, read on every hook call. An item with a long output may need more. */
const TAIL = 256 * 1024
const LONG_TAIL = 8 * 1024 * 1024

/** Throws HookPayloadError if this is not a hook of Codex. */
export function readCodexHook(payload: unknown, readTail: ReadTail): HookInput {
  const hook = new HookPayload(payload)
  const session = hook.text('session_id')
  const cwd = hook.optionalText('cwd') ?? null
  const transcript = openTranscript(hook, readTail)
  const event = readCodexEvent(hook, transcript)
  const agent = hook.optionalText('agent_id')
  const version = transcript?.version ?? null
  return {
    session,
    cwd,
    event,
    ...omitUndefined({
      version: version ?? undefined,
      learned: transcript === null ? undefined : learnFromTranscript(transcript, event, agent),
    }),
  }
}

function readCodexEvent(hook: HookPayload, transcript: CodexTranscript | null): HookEvent {
  switch (hook.text('hook_event_name')) {
    case 'SessionStart':
      return { kind: 'session_started' }
    case 'UserPromptSubmit':
      return { kind: 'run_started' }
    case 'PreToolUse':
      return { kind: 'tool_requested', call: readCodexCall(hook) }
    case 'PostToolUse':
      return { kind: 'tool_finished', result: readCodexResult(hook, transcript) }
    case 'Stop':
      return { kind: 'stop_attempted', attempt: { via: 'turn_end', ...lastMessage(hook) } }
    case 'SubagentStop': {
      const agent = hook.text('agent_id')
      return {
        kind: 'stop_attempted',
        attempt: { via: 'subagent_end', agent, ...lastMessage(hook) },
      }
    }
    case 'SessionEnd':
      return { kind: 'session_ended', reason: 'left' }
    default:
      return { kind: 'other' }
  }
}

function readCodexCall(hook: HookPayload) {
  const agent = hook.optionalText('agent_id')
  return {
    tool: hook.text('tool_name'),
    input: hook.value('tool_input') ?? {},
    callId: hook.text('tool_use_id'),
    ...omitUndefined({ agent }),
  }
}

function readCodexResult(hook: HookPayload, transcript: CodexTranscript | null): NativeResult {
  const call = readCodexCall(hook)
  const response = hook.value('tool_response')
  const ending = transcript?.findEnding(call.callId) ?? {
    outcome: classifyCodexResponse(call.tool, response),
  }
  return { ...call, ...omitUndefined({ output: response }), ...ending }
}

function lastMessage(hook: HookPayload): { readonly lastMessage?: string } {
  const text = hook.optionalText('last_assistant_message')
  return text === undefined ? {} : { lastMessage: text }
}

function learnFromTranscript(
  transcript: CodexTranscript,
  event: HookEvent,
  agent: string | undefined,
): HookKnowledge {
  const usage = transcript.usage(agent)
  const used = usage === null ? {} : { usage: [usage] }
  // A hook about a finished call reports only that call. The next hook reports other calls that ended.
  if (event.kind === 'tool_finished') return used
  const byAgent = (results: readonly NativeResult[]) =>
    agent === undefined ? results : results.map((result) => ({ ...result, agent }))
  return {
    results: byAgent(transcript.results()),
    unasked: byAgent(transcript.unasked()),
    ...used,
  }
}

/** null: the session is not stored in a file, or the file cannot be read. */
function openTranscript(hook: HookPayload, readTail: ReadTail): CodexTranscript | null {
  // SubagentStop names the file of the main agent as transcript_path.
  const path = hook.optionalText('agent_transcript_path') ?? hook.optionalText('transcript_path')
  const turn = hook.optionalText('turn_id') ?? null
  if (path === undefined) return null
  const short = readTail(path, TAIL)
  if (short === null) return null
  const transcript = new CodexTranscript(short, turn)
  const callId = hook.optionalText('tool_use_id')
  const finished = hook.value('hook_event_name') === 'PostToolUse'
  if (!finished || callId === undefined || transcript.findEnding(callId) !== undefined)
    return transcript
  const long = short.length < TAIL / 4 ? null : readTail(path, LONG_TAIL)
  return long === null ? transcript : new CodexTranscript(long, turn)
}
