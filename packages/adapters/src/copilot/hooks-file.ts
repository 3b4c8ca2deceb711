import type { JsonObject } from '@signalbox/core'

const EVENTS = [
  'sessionStart',
  'userPromptSubmitted',
  'preToolUse',
  'postToolUse',
  'postToolUseFailure',
  'agentStop',
  'sessionEnd',
] as const
/** Seconds after which Copilot CLI continues without an answer. The command must end well before. */
const TIMEOUT = 600

const REASON = 'The guardrails could not be reached, so this is refused.'
const REFUSAL = {
  permissionDecision: 'deny',
  permissionDecisionReason: REASON,
  decision: 'block',
  reason: REASON,
}

/** `command`: if it fails, it must not have written anything. Copilot CLI ignores the output of a failed hook, so the hook answers with a refusal. */
export function copilotHooks(command: string): JsonObject {
  const bash = `${command} || echo '${JSON.stringify(REFUSAL)}'`
  const hook = { type: 'command', bash, timeoutSec: TIMEOUT }
  return Object.fromEntries(EVENTS.map((event) => [event, [hook]]))
}
