// The hooks that Gemini CLI must run for the guardrails: the `hooks` of a settings.json.
import type { JsonObject } from '@signalbox/core'

const EVENTS = [
  'SessionStart',
  'BeforeAgent',
  'BeforeTool',
  'AfterTool',
  'AfterAgent',
  'SessionEnd',
] as const
/** Milliseconds; Gemini CLI goes on without an answer after it, so the command must have given up long before. */
const TIMEOUT_MS = 600_000

/**
 * `command`: a shell command that reads the hook from its standard input and writes the answer. Exit codes other than 0 and 2 would
 * let the call run: the hooks turn every failure into code 2, which refuses.
 */
export function geminiCliHooks(command: string): JsonObject {
  const closed = `${command} || { echo 'The guardrails could not be asked, so this is refused.' >&2; exit 2; }`
  const hook = { type: 'command', name: 'signalbox', command: closed, timeout: TIMEOUT_MS }
  return Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [hook] }]]))
}
