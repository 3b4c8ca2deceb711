import type { Effect } from '../model/effect.ts'
import type { SessionEvent } from '../model/event.ts'
import { initialState, type SessionState } from '../model/state.ts'
import { governedSteps, type RanUnder, toSessionVersions } from '../tighten/governing.ts'

export interface ReplayedEffect {
  readonly seq: number
  readonly effect: Effect
}

/** Yields every effect in order, lazily; memory does not grow with the log. */
export function* replay(
  ranUnder: RanUnder,
  events: Iterable<SessionEvent>,
): Generator<ReplayedEffect, SessionState> {
  let last = initialState(toSessionVersions(ranUnder).began.promptName)
  for (const { event, state, effects } of governedSteps(ranUnder, events)) {
    last = state
    for (const effect of effects) yield { seq: event.seq, effect }
  }
  return last
}

interface StateAt {
  readonly seq: number
  readonly from?: SessionState
  readonly digest?: string
}

/**
 * Returns the state after event `seq`, or after the last event if the log is shorter. `from`: an earlier state; the session is then under
 * the version `began`. `digest`: of that version. Absent: the first event after `from` names it.
 */
export function stateAt(
  ranUnder: RanUnder,
  events: Iterable<SessionEvent>,
  { seq, from, digest }: StateAt,
): SessionState {
  let last = from ?? initialState(toSessionVersions(ranUnder).began.promptName)
  const start = { state: last, ...(digest === undefined ? {} : { digest }) }
  for (const { state } of governedSteps(ranUnder, between(events, last.seq, seq), start)) {
    last = state
  }
  return last
}

function* between(
  events: Iterable<SessionEvent>,
  after: number,
  to: number,
): Generator<SessionEvent> {
  for (const event of events) {
    if (event.seq > to) return
    if (event.seq > after) yield event
  }
}
