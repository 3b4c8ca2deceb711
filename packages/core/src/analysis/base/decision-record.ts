import type { Effect } from '../../model/effect.ts'
import type { SessionEvent } from '../../model/event.ts'

/** Key that joins an effect with the event that records it; null: effects of this kind are not recorded. */
export function decisionKey(effect: Effect): string | null {
  switch (effect.kind) {
    case 'tool.decided':
      return `tool ${effect.data.call_id}`
    case 'content.decided':
      return `content ${effect.data.call_id}`
    case 'approval.requested':
      return `approval ${effect.data.call_id}`
    case 'feedback.failed':
      return `feedback ${effect.data.provider}`
    case 'feedback.delivered':
      return `feedback ${effect.data.provider} ${effect.data.call_id}`
    case 'stop.decided':
      return 'stop'
    case 'anomaly':
      return null
    default:
      return effect satisfies never
  }
}

/** Decision that an event records, in the form of the recomputed one; null: the event records none. */
export function recordedEffect(event: SessionEvent): Effect | null {
  switch (event.type) {
    case 'tool.decided':
      return { kind: event.type, data: event.data }
    case 'content.decided':
      return { kind: event.type, data: event.data }
    case 'stop.decided':
      return { kind: event.type, data: event.data }
    case 'approval.requested':
      return { kind: event.type, data: event.data }
    case 'feedback.failed':
      return { kind: event.type, data: event.data }
    case 'feedback.delivered': {
      // The harness reports how feedback was delivered; that is not part of the decision.
      const { delivery: _delivery, ...data } = event.data
      return { kind: event.type, data }
    }
    default:
      return null
  }
}
