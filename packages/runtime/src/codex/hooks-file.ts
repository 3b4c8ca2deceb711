// The hooks that Codex must run for the guardrails: the `hooks` of `hooks.json` in its home or in a project's `.codex` folder.
import type { JsonObject } from '@signalbox/core'

const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'SubagentStop',
  'Stop',
] as const
/** Seconds; Codex goes on without an answer after it, so the command must have given up long before. */
const TIMEOUT = 600
/** Codex allows no more at the end of a session. */
const TIMEOUT_AT_END = 3

/**
 * `command`: a shell command that reads the hook from its standard input and writes the answer. A command that is not found, or
 * that fails with another code than 2, would let the call run: the hooks turn every failure into code 2, which refuses.
 */
export function codexHooks(command: string): JsonObject {
  const hook = (timeout: number) => [
    { hooks: [{ type: 'command', command: closed(command), timeout }] },
  ]
  return {
    ...Object.fromEntries(EVENTS.map((event) => [event, hook(TIMEOUT)])),
    SessionEnd: hook(TIMEOUT_AT_END),
  }
}

/** What `codexHooks` makes of a command, as Codex lists it. */
export function closed(command: string): string {
  return `${command} || { echo 'The guardrails could not be asked, so this is refused.' >&2; exit 2; }`
}
