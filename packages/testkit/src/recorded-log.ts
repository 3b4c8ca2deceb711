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

/** `events` must not contain decisions; they are renumbered. */
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
      // Type and data come from one effect, so they belong together.
      if (record !== null) log.push({ session, seq: log.length + 1, at, ...record } as SessionEvent)
    }
  }
  return log
}
