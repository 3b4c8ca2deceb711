// Position of the displayed state and of the compared one. Pure.
import type { EventRow } from '../session-rows.ts'

export interface Position {
  /** The state after this event is shown. */
  readonly seq: number
  /** Compared with the state after this one. */
  readonly other: number
  /** `before`: the other one is later. */
  readonly side: 'after' | 'before'
  /** False: it is the present. */
  readonly isPast: boolean
}

/** Number of the viewed event: the requested one, even when its row begins with another event. */
export function viewedSeq(selected: EventRow | null, asked: number | null, shown: number): number {
  return selected === null ? shown : (asked ?? selected.seq)
}

/** A row may hold several events, such as a call's request, decision and result: before is before the first, after is after the last. */
export function computePosition(
  selected: EventRow | null,
  at: number | null,
  newestSeq: number,
): Position {
  if (selected === null) {
    const seq = Math.min(at ?? newestSeq, newestSeq)
    return { seq, other: Math.max(0, seq - 1), side: 'after', isPast: at !== null }
  }
  const [before, after] = [Math.max(0, selected.key - 1), selected.members.at(-1) ?? selected.seq]
  if (at === before) return { seq: before, other: after, side: 'before', isPast: true }
  const seq = Math.min(at ?? after, newestSeq)
  return { seq, other: seq === after ? before : Math.max(0, seq - 1), side: 'after', isPast: true }
}
