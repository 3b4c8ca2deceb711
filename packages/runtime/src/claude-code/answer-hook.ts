// What the guardrails say, in the JSON of Claude's hooks. An empty answer is "go on"; a call is never approved, which would pass
// over the user's own permissions.
import { isJsonObject, type JsonObject } from '@signalbox/core'
import type { HookAnswer, HookEvent } from '@signalbox/runtime/harness'

export function answerHook(event: HookEvent, answer: HookAnswer): JsonObject | null {
  switch (answer.kind) {
    case 'pass':
      return null
    case 'deny':
      return denial(answer.reason)
    case 'block':
      return isStructuredOutput(event) ? denial(answer.message) : block(answer.message)
    case 'feedback':
      return context(event, answer.text)
    default:
      return answer satisfies never
  }
}

/** Of a payload that could not be read or judged. */
export function refuseHook(payload: unknown, reason: string): JsonObject | null {
  const name = isJsonObject(payload) ? payload['hook_event_name'] : undefined
  if (name === 'PreToolUse') return denial(reason)
  // Without a name it may be a call or a stop: both take this for a no.
  if (name === 'Stop' || name === 'SubagentStop' || typeof name !== 'string') return block(reason)
  return null
}

function denial(reason: string): JsonObject {
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  }
}

function block(reason: string): JsonObject {
  return { decision: 'block', reason }
}

function context(event: HookEvent, additionalContext: string): JsonObject | null {
  const hookEventName = namedEvent(event)
  return hookEventName === null
    ? null
    : { hookSpecificOutput: { hookEventName, additionalContext } }
}

/** Claude takes context only under the name of the event that it asked about. */
function namedEvent(event: HookEvent): string | null {
  if (event.kind === 'batch_finished') return 'PostToolBatch'
  if (event.kind !== 'tool_finished') return null
  return event.result.outcome === 'failure' ? 'PostToolUseFailure' : 'PostToolUse'
}

function isStructuredOutput(event: HookEvent): boolean {
  return event.kind === 'stop_attempted' && event.attempt.via === 'structured_output'
}
