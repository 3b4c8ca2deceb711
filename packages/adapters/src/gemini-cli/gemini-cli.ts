// Calls have no ids, so results are paired with requests by tool and input (specs/adapters/gemini-cli.md).
import {
  DENIED_BY_POLICY,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  TASKS_INCOMPLETE,
  type UsageRecorded,
} from '@signalbox/core'
import {
  type HookAnswer,
  type HookEvent,
  type HookHarness,
  type HookInput,
  HookPayload,
  type NativeResult,
  type ReadTail,
  type ReplacedContent,
  readFileTail,
} from '@signalbox/runtime/harness'
import { toReplacementText } from '../base/replacement-text.ts'
import { geminiCliProfile } from './capabilities.ts'
import { classifyGeminiResponse } from './classify.ts'

/** Bytes at the end of a session file, read on every hook call. */
const TAIL = 128 * 1024

export function geminiCliHarness(readTail: ReadTail): HookHarness {
  return {
    name: 'gemini-cli',
    profile: geminiCliProfile,
    read: (payload) => readHook(payload, readTail),
    answer,
    refuse,
  }
}

/** Reads the model's usage from session files on disk. */
export const geminiCli: HookHarness = geminiCliHarness(readFileTail)

function readHook(payload: unknown, readTail: ReadTail): HookInput {
  const hook = new HookPayload(payload)
  const file = hook.optionalText('transcript_path')
  const text = file === undefined ? null : readTail(file, TAIL)
  return {
    session: hook.text('session_id'),
    cwd: hook.optionalText('cwd') ?? null,
    event: readGeminiEvent(hook),
    ...(text === null ? {} : { learned: { usage: usageIn(text) } }),
  }
}

function readGeminiEvent(hook: HookPayload): HookEvent {
  switch (hook.text('hook_event_name')) {
    case 'SessionStart':
      return { kind: 'session_started' }
    case 'BeforeAgent':
      return { kind: 'run_started' }
    case 'BeforeTool':
      return { kind: 'tool_requested', call: readGeminiCall(hook) }
    case 'AfterTool':
      return { kind: 'tool_finished', result: readGeminiResult(hook) }
    case 'AfterAgent': {
      const text = hook.optionalText('prompt_response')
      const said = text === undefined ? {} : { lastMessage: text }
      return { kind: 'stop_attempted', attempt: { via: 'turn_end', ...said } }
    }
    case 'SessionEnd':
      return { kind: 'session_ended', reason: 'left' }
    default:
      return { kind: 'other' }
  }
}

function readGeminiCall(hook: HookPayload) {
  return { tool: hook.text('tool_name'), input: hook.value('tool_input') ?? {} }
}

function readGeminiResult(hook: HookPayload): NativeResult {
  const call = readGeminiCall(hook)
  const response = hook.value('tool_response')
  const ending = classifyGeminiResponse(call.tool, response)
  const { llmContent: output, error = null } = isJsonObject(response) ? response : {}
  // If a tool reports an error, the model reads only the error.
  return output === undefined || error !== null
    ? { ...call, ...ending }
    : { ...call, ...ending, output }
}

/** null: an empty answer, with which Gemini CLI continues. */
function answer(event: HookEvent, said: HookAnswer): JsonObject | null {
  switch (said.kind) {
    case 'pass':
      return replacement(event, said)
    case 'deny':
      return deny(said.reason, DENIED_BY_POLICY)
    case 'block':
      return deny(said.message, TASKS_INCOMPLETE)
    case 'feedback':
      if (said.replaced !== undefined) return replacement(event, said)
      // Hooks before a call and before a stop have no field for text.
      return event.kind === 'tool_finished'
        ? feedback(event.result, said.text)
        : replacement(event, said)
    default:
      return said satisfies never
  }
}

/** Refuses a stop only once in a row: Gemini CLI has no cap of its own, and an agent must not work forever because its guard is broken. */
function refuse(payload: unknown, reason: string): JsonObject | null {
  const { hook_event_name: event, stop_hook_active: again } = isJsonObject(payload) ? payload : {}
  if (event === 'AfterAgent') return again === true ? null : deny(reason, DENIED_BY_POLICY)
  return event === 'BeforeTool' || typeof event !== 'string' ? deny(reason, DENIED_BY_POLICY) : null
}

function deny(reason: string, otherwise: string): JsonObject {
  return { decision: 'deny', reason: reason.trim() === '' ? otherwise : reason }
}

/** null: the content stays as it is. */
function replacement(
  event: HookEvent,
  { text, input, replaced }: { readonly text?: string } & ReplacedContent,
): JsonObject | null {
  if (event.kind === 'tool_requested' && input !== undefined) {
    // Gemini CLI merges the arguments, so one whose name was masked would stay.
    const stays = Object.keys(event.call.input ?? {}).some((name) => !Object.hasOwn(input, name))
    if (stays) return deny(DENIED_BY_POLICY, DENIED_BY_POLICY)
    return { hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: input } }
  }
  if (event.kind !== 'tool_finished' || replaced === undefined) return null
  const shown = toReplacementText(replaced)
  return deny(text === undefined ? shown : `${shown}\n\n${text}`, DENIED_BY_POLICY)
}

/** Gemini CLI drops the context of a hook when the tool reported an error, but accepts another text for the error. */
function feedback({ output, error }: NativeResult, text: string): JsonObject {
  if (output === undefined && error !== undefined)
    return deny(`${error}\n\n${text}`, DENIED_BY_POLICY)
  return { hookSpecificOutput: { hookEventName: 'AfterTool', additionalContext: text } }
}

// No hook reports usage. The session file does: one JSON object per line, and one or more lines per answer of the model.

/** Usage of every answer in the text; unreadable lines are skipped. */
function usageIn(text: string): readonly UsageRecorded[] {
  const byAnswer = new Map<string, UsageRecorded>()
  for (const line of text.split('\n')) {
    if (!line.includes('"tokens"')) continue
    const usage = readGeminiUsage(line)
    if (usage !== null) byAnswer.set(usage.evaluation_id, usage)
  }
  return [...byAnswer.values()]
}

function readGeminiUsage(line: string): UsageRecorded | null {
  const { id, type, tokens } = parsed(line)
  if (type !== 'gemini' || typeof id !== 'string' || !isJsonObject(tokens)) return null
  const { input, output, total } = tokens
  if (!isCount(input) || !isCount(output)) return null
  const used = { evaluation_id: id, input_tokens: input, output_tokens: output }
  return isCount(total) ? { ...used, total_tokens: total } : used
}

function parsed(line: string): { readonly [name: string]: JsonValue } {
  try {
    const value: JsonValue = JSON.parse(line)
    return isJsonObject(value) ? value : {}
  } catch {
    // The first line may be cut, and the last may be half written.
    return {}
  }
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
