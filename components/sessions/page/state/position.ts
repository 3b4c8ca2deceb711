import type { EventRow } from '../rows/session-rows.ts'

export interface Position {
  readonly seq: number
  /** Event after which the compared state is taken. */
  readonly other: number
  /** `before`: the compared state is later. */
  readonly side: 'after' | 'before'
  readonly isPast: boolean
}

/** The requested event, even if its row begins with another event. */
export function viewedSeq(selected: EventRow | null, asked: number | null, shown: number): number {
  return selected === null ? shown : (asked ?? selected.seq)
}

/** A row may hold several events: "before" means before its first, "after" means after its last. */
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
