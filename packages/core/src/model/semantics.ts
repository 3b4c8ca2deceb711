// A change of decisions raises the number, and every log is folded under the number with which it started (specs/events.md).

/** Newest number that this build knows; new sessions start with it. */
export const SEMANTICS = 2

/** Semantics of logs whose `session.started` names none. */
export const FIRST_SEMANTICS = 1

/** Throws on a number that this build does not know, because deciding by other rules would be a guess. */
export function knownSemantics(number: number): number {
  if (Number.isInteger(number) && number >= FIRST_SEMANTICS && number <= SEMANTICS) return number
  throw new Error(
    `The session was decided under semantics ${number}; this version of Signalbox knows ${FIRST_SEMANTICS} to ${SEMANTICS}. Update Signalbox here.`,
  )
}
