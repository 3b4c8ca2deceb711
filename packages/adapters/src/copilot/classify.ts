// Measured on 1.0.102: a command that fails is a success in `toolResult`; only the last line of its text has the exit code. Accepts any input.
import { isJsonObject, type JsonValue } from '@signalbox/core'
import type { NativeResult } from '@signalbox/runtime/harness'
import { SHELLS } from './tools.ts'

export type CopilotEnding = Pick<NativeResult, 'outcome' | 'error'>

/** Copilot CLI appends this line to the output of a command. */
const EXIT_CODE = /(?:^|\n)<shellId: \S+ completed with exit code (-?\d+)>$/

export function classifyCopilotResult(tool: string, result: JsonValue | undefined): CopilotEnding {
  if (!isJsonObject(result)) return { outcome: 'unknown' }
  const { resultType, textResultForLlm: text } = result
  if (resultType === 'failure')
    return { outcome: 'failure', error: 'Copilot CLI reported a failure.' }
  if (resultType === 'denied' || resultType === 'rejected')
    return { outcome: 'denied', error: 'Refused in Copilot CLI.' }
  if (resultType !== 'success') return { outcome: 'unknown' }
  return SHELLS.has(tool) ? classifyCommand(text) : { outcome: 'success' }
}

/** A command that continues in the background has no exit code. */
function classifyCommand(text: JsonValue | undefined): CopilotEnding {
  const [, code] = EXIT_CODE.exec(typeof text === 'string' ? text : '') ?? []
  if (code === undefined) return { outcome: 'unknown' }
  return Number(code) === 0
    ? { outcome: 'success' }
    : { outcome: 'failure', error: `Exit code ${code}.` }
}
