// The hooks that Cursor must run for the guardrails: the `hooks` of `.cursor/hooks.json`, whose `version` is 1.
import type { JsonObject } from '@signalbox/core'
import { refusingCommand } from '@signalbox/runtime/harness'

const EVENTS = [
  'sessionStart',
  'beforeSubmitPrompt',
  'preToolUse',
  'postToolUse',
  'postToolUseFailure',
  'sessionEnd',
] as const
/** Seconds. */
const TIMEOUT = 600
/** Stops that Cursor lets a hook answer in one go. */
const LOOP_LIMIT = 5

/** `command`: a shell command that reads the hook from its standard input and writes the answer. */
export function cursorHooks(command: string): JsonObject {
  const hook = { command: refusingCommand(command), timeout: TIMEOUT, failClosed: true }
  return {
    ...Object.fromEntries(EVENTS.map((event) => [event, [hook]])),
    stop: [{ ...hook, loop_limit: LOOP_LIMIT }],
  }
}
