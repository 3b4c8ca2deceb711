// Payloads do not name their hook, so their fields identify it. Calls have no ids, so results are paired with requests by tool and input.
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
  type ReadTail,
  readFileTail,
} from '@signalbox/runtime/harness'
import { copilotProfile } from './capabilities.ts'
import { classifyCopilotResult } from './classify.ts'

/** Bytes at the end of a session file that are read at a stop attempt: usually all events since the last stop. */
const TAIL = 4 * 1024 * 1024

export function copilotHarness(readTail: ReadTail): HookHarness {
  return {
    name: 'copilot',
    profile: copilotProfile,
    read: (payload) => readHook(payload, readTail),
    answer,
    refuse,
  }
}

/** Reads the model's usage from session files on disk. */
export const copilot: HookHarness = copilotHarness(readFileTail)

function readHook(payload: unknown, readTail: ReadTail): HookInput {
  const hook = new HookPayload(payload)
  const file = hook.optionalText('transcriptPath')
  const text = file === undefined ? null : readTail(file, TAIL)
  return {
    // A sub-agent has its own id, but the rules and the state of the session that it works for.
    session: hook.optionalText('parentAgentId') ?? hook.text('sessionId'),
    cwd: hook.optionalText('cwd') ?? null,
    event: readCopilotEvent(hook),
    ...(text === null ? {} : { learned: { usage: usageIn(text) } }),
  }
}

function readCopilotEvent(hook: HookPayload): HookEvent {
  if (hook.value('toolName') !== undefined) return toolEvent(hook)
  if (hook.value('stopReason') !== undefined) {
    const stopReason = hook.text('stopReason')
    const agent = readCopilotAgent(hook)
    const via = 'agent' in agent ? 'subagent_end' : 'turn_end'
    return { kind: 'stop_attempted', attempt: { via, stopReason, ...agent } }
  }
  if (hook.value('source') !== undefined) return { kind: 'session_started' }
  if (hook.value('prompt') !== undefined) return { kind: 'run_started' }
  if (hook.value('reason') !== undefined) return toCopilotEnd(hook.text('reason'))
  return { kind: 'other' }
}

function toCopilotEnd(reason: string): HookEvent {
  // The output of the run is its last message, which no hook reports.
  if (reason === 'complete') return { kind: 'session_ended', reason: 'completed', output: null }
  return { kind: 'session_ended', reason: reason === 'error' ? 'failed' : 'aborted' }
}

/** A result and an error exist only after the call; without both, the hook is a request. */
function toolEvent(hook: HookPayload): HookEvent {
  const args = hook.value('toolArgs')
  const call = {
    tool: hook.text('toolName'),
    // A tool that takes only text, such as a patch: rules read fields.
    ...(typeof args === 'string'
      ? { input: { input: args }, isReshaped: true }
      : { input: args ?? {} }),
    ...readCopilotAgent(hook),
  }
  const error = hook.optionalText('error')
  if (error !== undefined) {
    // Also for a tool that does not exist, whose call was evaluated like any other.
    return { kind: 'tool_finished', result: { ...call, outcome: 'failure', error } }
  }
  const result = hook.value('toolResult')
  if (result === undefined) return { kind: 'tool_requested', call }
  const output = isJsonObject(result) ? result['textResultForLlm'] : undefined
  return {
    kind: 'tool_finished',
    result: {
      ...call,
      ...classifyCopilotResult(call.tool, result),
      ...(output === undefined ? {} : { output }),
    },
  }
}

/** The main agent has no id. */
function readCopilotAgent(hook: HookPayload): { readonly agent?: string } {
  const agent = hook.optionalText('agentId')
  return agent === undefined ? {} : { agent }
}

/** null: an empty answer, with which Copilot CLI continues. */
function answer(event: HookEvent, said: HookAnswer): JsonObject | null {
  switch (said.kind) {
    case 'pass':
      return said.input === undefined ? null : modifiedArgs(event, said.input)
    case 'deny':
      return refusal(event.kind === 'stop_attempted', filled(said.reason, DENIED_BY_POLICY))
    case 'block':
      return refusal(event.kind === 'stop_attempted', filled(said.message, TASKS_INCOMPLETE))
    case 'feedback':
      // Hooks before a call and before a stop have no field for text.
      if (event.kind === 'tool_finished') return { additionalContext: said.text }
      return said.input === undefined ? null : modifiedArgs(event, said.input)
    default:
      return said satisfies never
  }
}

function modifiedArgs(event: HookEvent, input: JsonObject): JsonObject | null {
  return event.kind === 'tool_requested' ? { modifiedArgs: input } : null
}

/** Answers hooks that could not be evaluated. Copilot CLI itself ends a run after eight consecutive refused stops. */
function refuse(payload: unknown, reason: string): JsonObject | null {
  const text = filled(reason, DENIED_BY_POLICY)
  if (!isJsonObject(payload)) return refusal(false, text)
  const has = (name: string) => payload[name] !== undefined
  // Same order as in readCopilotEvent, so that no call is misread.
  if (has('toolName')) {
    const isOver = has('toolResult') || !isEmpty(payload['error'])
    return isOver ? null : refusal(false, text)
  }
  if (has('stopReason')) return refusal(true, text)
  return ['source', 'prompt', 'reason'].some(has) ? null : refusal(false, text)
}

function isEmpty(error: JsonValue | undefined): boolean {
  return error === undefined || error === null || error === ''
}

function refusal(isStop: boolean, reason: string): JsonObject {
  return isStop
    ? { decision: 'block', reason }
    : { permissionDecision: 'deny', permissionDecisionReason: reason }
}

function filled(text: string, otherwise: string): string {
  return text.trim() === '' ? otherwise : text
}

// The file of events per session is written with a delay, so a stop reports the usage before its own turn.

/** Usage of every model answer in the text; unreadable lines are skipped. */
function usageIn(text: string): readonly UsageRecorded[] {
  return text
    .split('\n')
    .filter((line) => line.includes('"session.usage_record"'))
    .flatMap((line) => readCopilotUsage(parsed(line)))
}

function readCopilotUsage({ id, data }: JsonObject): readonly UsageRecorded[] {
  const usage = isJsonObject(data) ? data['usage'] : undefined
  if (typeof id !== 'string' || !isJsonObject(usage)) return []
  const { inputTokens: input, outputTokens: output } = usage
  if (!isCount(input) || !isCount(output)) return []
  return [{ evaluation_id: id, input_tokens: input, output_tokens: output }]
}

function parsed(line: string): JsonObject {
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
