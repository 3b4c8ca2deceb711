import type { JsonObject } from '@signalbox/core'
import { refusingCommand, refusingStopCommand } from '@signalbox/runtime/harness'

const EVENTS = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse'] as const
const STOPS = ['SubagentStop', 'Stop'] as const
/** Seconds after which Codex continues without an answer. The command must end well before. */
const TIMEOUT = 600
/** Seconds; the most that Codex allows at the end of a session. */
const TIMEOUT_AT_END = 3

/** `command`: a shell command that reads the hook and writes the answer. Every failure becomes exit code 2, because any other lets the call run. */
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

export function codexCommands(command: string): readonly [string, string] {
  return [refusingCommand(command), refusingStopCommand(command)]
}
