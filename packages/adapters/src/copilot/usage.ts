// Usage, from the file of events that Copilot CLI keeps of a session and names when the agent wants to stop. It is written some
// time later, so a stop knows what was used before the turn that it ends.
import { isJsonObject, type JsonObject, type JsonValue, type UsageRecorded } from '@signalbox/core'

/** Usage of every model answer in the text; unreadable lines are skipped. */
export function usageIn(text: string): readonly UsageRecorded[] {
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
    // The first line of a file's end is cut, and the last may be half written.
    return {}
  }
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
