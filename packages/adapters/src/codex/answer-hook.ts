// Answers for Codex. It discards an answer with an unknown key, and then the tool runs, so answers have only these keys.
import { DENIED_BY_POLICY, isJsonObject, type JsonObject, TASKS_INCOMPLETE } from '@signalbox/core'
import type { HookAnswer, HookEvent } from '@signalbox/runtime/harness'

/** null: an empty answer, with which Codex continues. */
export function answerCodexHook(event: HookEvent, answer: HookAnswer): JsonObject | null {
  const text = formatCodexAnswer(answer)
  if (text === null) return null
  const told = answer.kind === 'feedback'
  switch (event.kind) {
    case 'tool_requested':
      return told ? context('PreToolUse', text) : deny(text)
    case 'tool_finished':
      return told ? context('PostToolUse', text) : block(text)
    case 'stop_attempted':
      // An allowed stop accepts no text.
      return told ? null : block(text)
    default:
      return null
  }
}

/** Refuses a stop only once in a row: Codex has no cap of its own, and an agent must not work forever because its guard is broken. */
export function refuseCodexHook(payload: unknown, reason: string): JsonObject | null {
  const text = filled(reason, DENIED_BY_POLICY)
  if (!isJsonObject(payload)) return deny(text)
  const { hook_event_name: event, stop_hook_active: again } = payload
  if (event === 'Stop' || event === 'SubagentStop') return again === true ? null : block(text)
  if (event === 'PreToolUse' || typeof event !== 'string') return deny(text)
  return null
}

function formatCodexAnswer(answer: HookAnswer): string | null {
  switch (answer.kind) {
    case 'pass':
      return null
    case 'deny':
      return filled(answer.reason, DENIED_BY_POLICY)
    case 'feedback':
      return answer.text.trim() === '' ? null : answer.text
    case 'block':
      return filled(answer.message, TASKS_INCOMPLETE)
    default:
      return answer satisfies never
  }
}

/** Codex treats an empty reason as an error of the hook, and continues. */
function filled(text: string, otherwise: string): string {
  return text.trim() === '' ? otherwise : text
}

function deny(reason: string): JsonObject {
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  }
}

function context(hookEventName: 'PreToolUse' | 'PostToolUse', text: string): JsonObject {
  return { hookSpecificOutput: { hookEventName, additionalContext: text } }
}

function block(reason: string): JsonObject {
  return { decision: 'block', reason }
}
