import {
  type CompiledConfig,
  type Effect,
  initialState,
  type SessionEvent,
  type SessionState,
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

/** Appends events with the decisions about them to one log. */
export class LogRecorder {
  readonly log: SessionEvent[] = []
  readonly #config: CompiledConfig
  #state: SessionState

  constructor(config: CompiledConfig) {
    this.#config = config
    this.#state = initialState(config.promptName)
  }

  /** The event must not be a decision; it is renumbered. */
  record(event: Omit<SessionEvent, 'seq'>): readonly Effect[] {
    // Type and data stay those of one event.
    const numbered = { ...event, seq: this.log.length + 1 } as SessionEvent
    const next = step(this.#config, this.#state, numbered)
    this.#state = next.state
    this.log.push(numbered)
    for (const effect of next.effects) {
      const record = toEventRecord(effect)
      const { session, at } = event
      const seq = this.log.length + 1
      // Type and data come from one effect, so they belong together.
      if (record !== null) this.log.push({ session, seq, at, ...record } as SessionEvent)
    }
    return next.effects
  }
}

/** `events` must not contain decisions; they are renumbered. */
export function recordedLog(
  config: CompiledConfig,
  events: readonly SessionEvent[],
): readonly SessionEvent[] {
  const recorder = new LogRecorder(config)
  for (const event of events) recorder.record(event)
  return recorder.log
}
