// Codex's hook shows success or failure only in a few places; everything else is unknown (specs/adapters/codex.md). Accepts any input.
import { isJsonObject, type JsonValue, type ToolOutcome } from '@signalbox/core'

type Outcome = Extract<ToolOutcome, 'success' | 'failure' | 'unknown'>

const EXIT_CODE = /^Exit code: (\d+)\r?\n/

/** `tool` and `response` as in PostToolUse. A command's response is only its output, which does not show the outcome. */
export function classifyCodexResponse(tool: string, response: JsonValue | undefined): Outcome {
  if (tool.startsWith('mcp__')) return classifyMcpResult(response)
  if (typeof response !== 'string') return 'unknown'
  if (tool === 'apply_patch') return classifyPatchResult(response)
  if (tool === 'update_plan') return response === 'Plan updated' ? 'success' : 'unknown'
  return 'unknown'
}

/** Codex calls no PostToolUse hook for a result with `isError`. */
function classifyMcpResult(response: JsonValue | undefined): Outcome {
  if (!isJsonObject(response) || !Array.isArray(response['content'])) return 'unknown'
  return response['isError'] === true ? 'failure' : 'success'
}

function classifyPatchResult(response: string): Outcome {
  const [, code] = EXIT_CODE.exec(response) ?? []
  if (code === undefined) return 'unknown'
  return Number(code) === 0 ? 'success' : 'failure'
}
