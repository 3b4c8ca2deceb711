// The number of the rules that a session is decided under (specs/events.md, "Semantics"). A change of decisions raises it, and every
// log is folded under the number that it began with.

/** The newest number that this build knows; new sessions begin with it. */
export const SEMANTICS = 2

/** Semantics of logs whose `session.started` names none. */
export const FIRST_SEMANTICS = 1

/** Throws on a number that this build does not know: deciding by other rules would be a guess. */
export function knownSemantics(number: number): number {
  if (Number.isInteger(number) && number >= FIRST_SEMANTICS && number <= SEMANTICS) return number
  throw new Error(
    `The session was decided under semantics ${number}; this version of Signalbox knows ${FIRST_SEMANTICS} to ${SEMANTICS}. Update Signalbox here.`,
  )
}
