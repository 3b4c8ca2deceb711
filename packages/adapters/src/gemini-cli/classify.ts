// Measured on 0.61.0: tools report a failure in `error`, commands in a line of their text. Anything else is unknown. Accepts any input.
import { isJsonObject, type JsonValue } from '@signalbox/core'
import type { NativeResult } from '@signalbox/runtime/harness'

export type GeminiEnding = Pick<NativeResult, 'outcome' | 'error'>

const SHELL = 'run_shell_command'
/** Tools that reported every failure in `error` when measured. */
const SAY_ERRORS = new Set([
  'read_file',
  'write_file',
  'replace',
  'list_directory',
  'glob',
  'grep_search',
  'write_todos',
])
/** A command's output may look like the lines of the report that follows, but the report never looks like output. */
const ENDED =
  /^<untrusted_context>\nOutput: [\s\S]*\nProcess Group PGID: \d+\n<\/untrusted_context>$/
const TROUBLE = /\n(Exit Code: -?\d+|Signal: .*|Error: .*|Background PIDs: .*)(?=\n)/g

export function classifyGeminiResponse(
  tool: string,
  response: JsonValue | undefined,
): GeminiEnding {
  if (!isJsonObject(response)) return { outcome: 'unknown' }
  const { error, llmContent: text } = response
  if (error !== undefined && error !== null)
    return { outcome: 'failure', error: describeGeminiError(error) }
  if (tool === SHELL) return classifyCommand(text)
  const says = SAY_ERRORS.has(tool) || tool.startsWith('mcp_')
  return { outcome: says && text !== undefined ? 'success' : 'unknown' }
}

function classifyCommand(text: JsonValue | undefined): GeminiEnding {
  if (typeof text !== 'string' || !ENDED.test(text)) return { outcome: 'unknown' }
  // A command's output cannot be separated from the report, so any such line counts against the command.
  const said = [...text.matchAll(TROUBLE)].map(([, line]) => line ?? '')
  const failed = said.findLast((line) => !line.startsWith('Background') && line !== 'Exit Code: 0')
  if (failed !== undefined) return { outcome: 'failure', error: `${failed}.` }
  return { outcome: said.some((line) => line.startsWith('Background')) ? 'unknown' : 'success' }
}

function describeGeminiError(error: JsonValue): string {
  const message = isJsonObject(error) ? error['message'] : error
  return typeof message === 'string' ? message : 'Gemini CLI reported a failure.'
}
