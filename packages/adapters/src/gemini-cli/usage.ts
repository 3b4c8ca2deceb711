// Usage, from the file that Gemini CLI keeps for a session (`transcript_path`): one JSON object per line, one or more lines for each answer
// of the model. No hook reports it.
import { isJsonObject, type JsonValue, type UsageRecorded } from '@signalbox/core'

/** Usage of every answer in the text; unreadable lines are skipped. */
export function usageIn(text: string): readonly UsageRecorded[] {
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
    // The first line of a file's end is cut, and the last may be half written.
    return {}
  }
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
