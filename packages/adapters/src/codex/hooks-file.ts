// Hooks that Codex must run for the guardrails: the `hooks` of `hooks.json` in its home or in a project's `.codex` folder.
import type { JsonObject } from '@signalbox/core'
import { refusingCommand, refusingStopCommand } from '@signalbox/runtime/harness'

const EVENTS = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse'] as const
const STOPS = ['SubagentStop', 'Stop'] as const
/** Seconds after which Codex continues without an answer. The command must end well before. */
const TIMEOUT = 600
/** Seconds; the most that Codex allows at the end of a session. */
const TIMEOUT_AT_END = 3

/**
 * `command`: a shell command that reads the hook from its standard input and writes the answer. The hooks turn every failure into exit code
 * 2, which refuses; a missing command or another exit code would let the call run.
 */
export function codexHooks(command: string): JsonObject {
  const [asked, stop] = codexCommands(command)
  const hook = (each: string, timeout: number) => [
    { hooks: [{ type: 'command', command: each, timeout }] },
  ]
  return {
    ...Object.fromEntries(EVENTS.map((event) => [event, hook(asked, TIMEOUT)])),
    ...Object.fromEntries(STOPS.map((event) => [event, hook(stop, TIMEOUT)])),
    SessionEnd: hook(asked, TIMEOUT_AT_END),
  }
}

/** Commands that `codexHooks` builds, as Codex lists them; the second is for stops. */
export function codexCommands(command: string): readonly [string, string] {
  return [refusingCommand(command), refusingStopCommand(command)]
}
