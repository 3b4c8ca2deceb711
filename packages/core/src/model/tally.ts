// Counting a finished call for its tool: what prerequisites, checkers and conditions ask about the past.
import type { ToolOutcome } from './event.ts'
import type { ToolTally } from './state.ts'

/** A call that was denied or invalid did not run, so it does not touch the last result. */
export function tally(before: ToolTally | undefined, outcome: ToolOutcome, seq: number): ToolTally {
  const ran = outcome === 'success' || outcome === 'failure' || outcome === 'unknown'
  return {
    calls: (before?.calls ?? 0) + 1,
    succeeded: (before?.succeeded ?? 0) + (outcome === 'success' ? 1 : 0),
    failed: (before?.failed ?? 0) + (outcome === 'failure' || outcome === 'invalid' ? 1 : 0),
    denied: (before?.denied ?? 0) + (outcome === 'denied' ? 1 : 0),
    last: ran ? outcome : (before?.last ?? null),
    lastSeq: ran ? seq : (before?.lastSeq ?? null),
    successSeq: outcome === 'success' ? seq : (before?.successSeq ?? null),
  }
}
