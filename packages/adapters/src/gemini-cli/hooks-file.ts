import type { JsonObject } from '@signalbox/core'
import { refusingCommand, refusingStopCommand } from '@signalbox/runtime/harness'

const EVENTS = ['SessionStart', 'BeforeAgent', 'BeforeTool', 'AfterTool', 'SessionEnd'] as const
/** Milliseconds after which Gemini CLI continues without an answer. The command must end well before. */
const TIMEOUT_MS = 600_000

/** `command`: a shell command that reads the hook and writes the answer. Codes other than 0 and 2 would let the call run; failures become 2. */
export function geminiCliHooks(command: string): JsonObject {
  const hook = (each: string) => [
    { hooks: [{ type: 'command', name: 'signalbox', command: each, timeout: TIMEOUT_MS }] },
  ]
  return {
    ...Object.fromEntries(EVENTS.map((event) => [event, hook(refusingCommand(command))])),
    AfterAgent: hook(refusingStopCommand(command)),
  }
}
