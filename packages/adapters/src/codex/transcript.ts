// One JSON object per line. Codex writes an item at its end, before its PostToolUse hook runs, with the exit code that no hook reports.
// Anything that the file does not contain is unknown; no shape in it is trusted.
import { isJsonObject, type JsonObject, type JsonValue, type UsageRecorded } from '@signalbox/core'
import type { NativeResult } from '@signalbox/runtime/harness'

type Ending = Pick<NativeResult, 'outcome' | 'error' | 'durationMs'>

const READ = ['"item_completed"', '_call"', '_call_output"', '"token_count"'] as const
const VERSION = /"type":"session_meta".*?"cli_version":"([^"]{1,50})"/

type Call = Pick<NativeResult, 'tool' | 'input'>

export class CodexTranscript {
  readonly #endings = new Map<string, Ending>()
  readonly #calls = new Map<string, Call>()
  /** Answers to the model, by call id. All hooks of such a call have run. */
  readonly #answers = new Map<string, string>()
  /** Version of Codex that wrote the file; null: the text does not include the file's first line. */
  readonly version: string | null
  #usage: JsonObject | null = null

  /** `text`: the end of the file; unreadable lines are skipped. `turn`: calls of other turns are left out; null: all turns count. */
  constructor(text: string, turn: string | null) {
    this.version = VERSION.exec(text)?.[1] ?? null
    for (const line of text.split('\n')) {
      if (!READ.some((word) => line.includes(word))) continue
      const payload = parseTranscriptPayload(line)
      if (payload !== null) this.#take(payload, turn)
    }
  }

  /** undefined: not in the text. */
  findEnding(callId: string): Ending | undefined {
    return this.#endings.get(callId)
  }

  /** Ends of calls that have no PostToolUse hook. A successful call has one before the model's answer. */
  results(): readonly NativeResult[] {
    return this.#collectResults((call, output) => refusedPatch(call, output))
  }

  /** Calls that Codex makes without a hook, and calls of tools that it does not know. */
  unasked(): readonly NativeResult[] {
    return this.#collectResults((call, output) => unknownTool(output) ?? typed(call), 'text only')
  }

  #collectResults(
    readEnding: (call: Call, output: string) => Ending | null,
    items?: 'text only',
  ): readonly NativeResult[] {
    return [...this.#calls].flatMap(([callId, call]) => {
      const output = this.#answers.get(callId)
      const item = items === undefined ? this.#endings.get(callId) : undefined
      if (output === undefined)
        return item?.outcome === 'failure' ? [{ ...call, callId, ...item }] : []
      const ending = item ?? readEnding(call, output)
      return ending === null ? [] : [{ ...call, callId, output, ...ending }]
    })
  }

  /** Usage of the session so far; null: not reported. `agent` absent: the main agent. */
  usage(agent?: string): UsageRecorded | null {
    const { input_tokens: input, output_tokens: output } = this.#usage ?? {}
    if (!isCount(input) || !isCount(output)) return null
    const name = agent === undefined ? 'codex' : `codex ${agent}`
    return { evaluation_id: name, input_tokens: input, output_tokens: output }
  }

  #take(payload: JsonObject, turn: string | null): void {
    const { type, call_id: callId, item } = payload
    if (type === 'token_count') this.#usage = usageIn(payload) ?? this.#usage
    else if (turn === null || readTurn(payload) !== turn) return
    else if (type === 'item_completed' && isJsonObject(item)) this.#end(item)
    else if (typeof callId !== 'string') return
    else if (type === 'function_call' || type === 'custom_tool_call')
      this.#calls.set(callId, parseTranscriptCall(payload))
    else if (type === 'function_call_output' || type === 'custom_tool_call_output')
      this.#answers.set(callId, parseTranscriptOutput(payload['output']))
  }

  #end(item: JsonObject): void {
    const { id, type, server, tool, arguments: input } = item
    const ending = findEnding(item)
    if (typeof id !== 'string' || ending === null) return
    this.#endings.set(id, ending)
    if (type === 'McpToolCall' && typeof server === 'string' && typeof tool === 'string')
      this.#calls.set(id, { tool: `mcp__${server}__${tool}`, input: input ?? {} })
  }
}

/** Items and answers name their turn in different places. */
function readTurn(payload: JsonObject): JsonValue | undefined {
  const passed = payload['internal_chat_message_metadata_passthrough']
  return payload['turn_id'] ?? (isJsonObject(passed) ? passed['turn_id'] : undefined)
}

function parseTranscriptPayload(line: string): JsonObject | null {
  try {
    const value: JsonValue = JSON.parse(line)
    const payload = isJsonObject(value) ? value['payload'] : undefined
    return isJsonObject(payload) ? payload : null
  } catch {
    // The first line may be cut, and the last may be half written.
    return null
  }
}

/** null: the item is not about a call. */
function findEnding(item: JsonObject): Ending | null {
  const { type, status, exit_code: exitCode } = item
  if (type !== 'CommandExecution' && type !== 'FileChange' && type !== 'McpToolCall') return null
  const took = parseTranscriptDuration(item['duration'])
  if (status === 'declined') return { outcome: 'denied', error: 'Declined in Codex.', ...took }
  if (status === 'failed') return { outcome: 'failure', error: describeExit(exitCode), ...took }
  const succeeded = status === 'completed' && (type !== 'CommandExecution' || exitCode === 0)
  return succeeded ? { outcome: 'success', ...took } : { outcome: 'unknown', ...took }
}

function describeExit(exitCode: JsonValue | undefined): string {
  return typeof exitCode === 'number' ? `Exit code ${exitCode}.` : 'Codex reported a failure.'
}

function parseTranscriptDuration(duration: JsonValue | undefined): {
  readonly durationMs?: number
} {
  if (!isJsonObject(duration)) return {}
  const { secs, nanos } = duration
  return typeof secs === 'number' && typeof nanos === 'number'
    ? { durationMs: Math.round(secs * 1000 + nanos / 1e6) }
    : {}
}

/** Codex answers a patch that does not apply, and an image that does not exist, without an item. */
function refusedPatch({ tool }: Call, output: string): Ending | null {
  const failed =
    (tool === 'apply_patch' && output.startsWith('apply_patch verification failed')) ||
    (tool === 'view_image' && output.startsWith('unable to locate image'))
  return failed ? { outcome: 'failure', error: output } : null
}

function unknownTool(output: string): Ending | null {
  return /^unsupported (custom tool )?call: /.test(output)
    ? { outcome: 'invalid', error: output }
    : null
}

function typed({ tool, input }: Call): Ending | null {
  const text = tool === 'write_stdin' && isJsonObject(input) ? input['chars'] : ''
  return typeof text === 'string' && text !== '' ? { outcome: 'unknown' } : null
}

/** Hooks call commands `Bash`, and pass the text of a patch as the command. */
function parseTranscriptCall({ name, arguments: text, input }: JsonObject): Call {
  const tool = typeof name === 'string' ? name : ''
  if (typeof input === 'string') return { tool, input: { command: input } }
  const given = parsed(text)
  if (tool !== 'exec_command') return { tool, input: given }
  return { tool: 'Bash', input: { command: isJsonObject(given) ? (given['cmd'] ?? '') : '' } }
}

function parsed(text: JsonValue | undefined): JsonValue {
  if (typeof text !== 'string') return {}
  try {
    const value: JsonValue = JSON.parse(text)
    return value
  } catch {
    return {}
  }
}

function parseTranscriptOutput(output: JsonValue | undefined): string {
  return typeof output === 'string' ? output : JSON.stringify(output ?? '')
}

function usageIn(payload: JsonObject): JsonObject | null {
  const info = payload['info']
  const total = isJsonObject(info) ? info['total_token_usage'] : undefined
  return isJsonObject(total) ? total : null
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
