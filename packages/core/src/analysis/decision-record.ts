// Matches events to the decisions that they record: joins the decisions of `step` with those in a log.
import type { Effect } from '../model/effect.ts'
import type { SessionEvent } from '../model/event.ts'

/** Joins the effect with the event that records it; null: it is not recorded. */
export function decisionKey(effect: Effect): string | null {
  switch (effect.kind) {
    case 'tool.decided':
      return `tool ${effect.data.call_id}`
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

/** The decision that an event records, in the form of the recomputed one; null for events that record none. */
export function recordedEffect(event: SessionEvent): Effect | null {
  switch (event.type) {
    case 'tool.decided':
      return { kind: event.type, data: event.data }
    case 'stop.decided':
      return { kind: event.type, data: event.data }
    case 'approval.requested':
      return { kind: event.type, data: event.data }
    case 'feedback.failed':
      return { kind: event.type, data: event.data }
    case 'feedback.delivered': {
      // The delivery method is the harness's report, not part of the decision.
      const { delivery: _delivery, ...data } = event.data
      return { kind: event.type, data }
    }
    default:
      return null
  }
}
