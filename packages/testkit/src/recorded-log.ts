// A log as a runtime writes it: every decision is an event after the event that led to it.
import {
  type CompiledConfig,
  type Effect,
  initialState,
  type SessionEvent,
  step,
} from '@signalbox/core'

function toEventRecord(effect: Effect): Pick<SessionEvent, 'type' | 'data'> | null {
  switch (effect.kind) {
    case 'anomaly':
      return null
    case 'feedback.delivered':
      return { type: effect.kind, data: { ...effect.data, delivery: 'message' } }
    default:
      return { type: effect.kind, data: effect.data }
  }
}

/** `events` must have no decisions; they are renumbered. */
export function recordedLog(
  config: CompiledConfig,
  events: readonly SessionEvent[],
): readonly SessionEvent[] {
  const log: SessionEvent[] = []
  let state = initialState(config.promptName)
  for (const event of events) {
    const numbered: SessionEvent = { ...event, seq: log.length + 1 }
    const next = step(config, state, numbered)
    state = next.state
    log.push(numbered)
    for (const effect of next.effects) {
      const record = toEventRecord(effect)
      const { session, at } = event
      // The pair of type and data comes from one effect, so it belongs to one event.
      if (record !== null) log.push({ session, seq: log.length + 1, at, ...record } as SessionEvent)
    }
  }
  return log
}
