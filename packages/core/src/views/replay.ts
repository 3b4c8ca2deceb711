// Replay: the same `step`, over a recorded session. Nothing here decides anything.
import type { CompiledConfig } from '../compile.ts'
import type { Effect } from '../effect.ts'
import type { SessionEvent } from '../event.ts'
import { initialState, type SessionState } from '../state.ts'
import { step } from '../step.ts'

export interface ReplayedEffect {
  /** The event that caused the effect. */
  readonly seq: number
  readonly effect: Effect
}

/** Lazily yields every effect in order; memory does not grow with the log. */
export function* replay(
  config: CompiledConfig,
  events: Iterable<SessionEvent>,
): Generator<ReplayedEffect, SessionState> {
  let state = initialState(config.promptName)
  for (const event of events) {
    const next = step(config, state, event)
    state = next.state
    for (const effect of next.effects) yield { seq: event.seq, effect }
  }
  return state
}

/** The state after event `seq`, or after the last event when the log is shorter. `from` must be an earlier state. */
export function stateAt(
  config: CompiledConfig,
  events: Iterable<SessionEvent>,
  { seq, from }: { readonly seq: number; readonly from?: SessionState },
): SessionState {
  let state = from ?? initialState(config.promptName)
  for (const event of events) {
    if (event.seq > seq) break
    if (event.seq > state.seq) state = step(config, state, event).state
  }
  return state
}
