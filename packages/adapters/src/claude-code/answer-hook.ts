// An empty answer means "continue". A call is never approved, because approval would bypass the user's own permissions.
import { isJsonObject, type JsonObject, omitUndefined } from '@signalbox/core'
import type { HookAnswer, HookEvent } from '@signalbox/runtime/harness'

export type ClaudeHookAnswer = {
  readonly decision?: 'block'
  readonly reason?: string
  readonly hookSpecificOutput?:
    | {
        readonly hookEventName: 'PreToolUse'
        readonly permissionDecision: 'deny'
        readonly permissionDecisionReason: string
      }
    | {
        readonly hookEventName: ContextEvent
        readonly additionalContext?: string
        readonly updatedInput?: JsonObject
      }
}

type ContextEvent = 'PreToolUse' | 'PostToolUse' | 'PostToolUseFailure' | 'PostToolBatch'

export function answerHook(event: HookEvent, answer: HookAnswer): ClaudeHookAnswer | null {
  switch (answer.kind) {
    case 'pass':
      return context(event, answer)
    case 'deny':
      return denial(answer.reason)
    case 'block':
      return isStructuredOutput(event) ? denial(answer.message) : block(answer.message)
    case 'feedback':
      return context(event, answer)
    default:
      return answer satisfies never
  }
}

export function refuseHook(payload: unknown, reason: string): ClaudeHookAnswer | null {
  const name = isJsonObject(payload) ? payload['hook_event_name'] : undefined
  if (name === 'PreToolUse') return denial(reason)
  // Without a name it may be a call or a stop; both treat this answer as a refusal.
  if (name === 'Stop' || name === 'SubagentStop' || typeof name !== 'string') return block(reason)
  return null
}

function denial(reason: string): ClaudeHookAnswer {
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  }
}

function block(reason: string): ClaudeHookAnswer {
  return { decision: 'block', reason }
}

function context(
  event: HookEvent,
  { text, input }: { readonly text?: string; readonly input?: JsonObject },
): ClaudeHookAnswer | null {
  const hookEventName = namedEvent(event)
  const added = { ...omitUndefined({ additionalContext: text, updatedInput: input }) }
  return hookEventName === null || Object.keys(added).length === 0
    ? null
    : { hookSpecificOutput: { hookEventName, ...added } }
}

/** Claude accepts context only under the name of the event that the hook reported. */
function namedEvent(event: HookEvent): ContextEvent | null {
  if (event.kind === 'batch_finished') return 'PostToolBatch'
  if (event.kind === 'tool_requested') return 'PreToolUse'
  if (event.kind !== 'tool_finished') return null
  return event.result.outcome === 'failure' ? 'PostToolUseFailure' : 'PostToolUse'
}

function isStructuredOutput(event: HookEvent): boolean {
  return event.kind === 'stop_attempted' && event.attempt.via === 'structured_output'
}
