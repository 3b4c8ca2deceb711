// The rows that the list shows: the whole session as rows, narrowed by the filter and the chips.
'use client'

import { useDeferredValue, useMemo } from 'react'
import { type Chip, chipOf, matches, parseFilter } from './event-filter.ts'
import {
  type EventRow,
  type IndexEntry,
  isFinalCheck,
  type SessionRow,
  sessionRows,
} from './session-rows.ts'
import type { SessionView } from './use-session-view.ts'

export interface VisibleRows {
  /** Every row of the session. */
  readonly all: readonly SessionRow[]
  readonly allEvents: readonly EventRow[]
  readonly visible: readonly SessionRow[]
  /** The events among the visible rows. */
  readonly events: readonly EventRow[]
  readonly isFiltered: boolean
  readonly counts: Readonly<Record<Chip, number>>
  /** Why the filter was refused; null when it was not. */
  readonly problem: string | null
  /** The next event row in the list; with `isVerdict` the next that denied, blocked, bypassed, failed or was not enforced. */
  readonly next: (from: EventRow | null, direction: 1 | -1, isVerdict: boolean) => EventRow | null
}

const VERDICTS = ['denied', 'blocked', 'bypassed', 'error']

function isEvent(row: SessionRow): row is EventRow {
  return row.kind === 'event'
}

function isVerdictRow({ type, verdict }: EventRow): boolean {
  if (type === 'enforcement.lapsed') return true
  return verdict !== null && VERDICTS.includes(verdict)
}

function countChips(events: readonly EventRow[]): Record<Chip, number> {
  const counts = { denied: 0, stops: 0, feedback: 0 }
  for (const row of events) {
    const chip = chipOf(row)
    // The check at the end is found among the stops, and is no attempt of the agent.
    if (chip !== null && !isFinalCheck(row)) counts[chip] += 1
  }
  return counts
}

/** Without a starting row, going back starts at the end and going forward at the beginning. */
function nextEvent(
  events: readonly EventRow[],
  from: EventRow | null,
  { direction, isVerdict }: { readonly direction: 1 | -1; readonly isVerdict: boolean },
): EventRow | null {
  const found = from === null ? -1 : events.findIndex(({ key }) => key >= from.key)
  // A selected row that the filter hides: go on from the place where it would be.
  const isHidden = found !== -1 && events[found]?.key !== from?.key
  const start = from === null || found === -1 ? (direction === 1 ? -1 : events.length) : found
  for (let at = isHidden && direction === 1 ? start : start + direction; ; at += direction) {
    const row = events[at]
    if (row === undefined) return null
    if (!isVerdict || isVerdictRow(row)) return row
  }
}

export function useVisibleRows(entries: readonly IndexEntry[], view: SessionView): VisibleRows {
  const query = useDeferredValue(view.query)
  const { chips, isEveryEvent } = view
  const all = useMemo(() => sessionRows(entries, !isEveryEvent), [entries, isEveryEvent])
  const allEvents = useMemo(() => all.filter(isEvent), [all])
  const filter = useMemo(() => parseFilter(query), [query])
  const isFiltered = chips.length > 0 || (filter.ok && filter.terms.length > 0)
  const visible = useMemo(
    () => (isFiltered ? allEvents.filter((row) => matches(row, filter, chips)) : all),
    [all, allEvents, chips, filter, isFiltered],
  )
  const events = useMemo(() => visible.filter(isEvent), [visible])
  const counts = useMemo(() => countChips(allEvents), [allEvents])
  return {
    all,
    allEvents,
    visible,
    events,
    isFiltered,
    counts,
    problem: filter.ok ? null : filter.message,
    next: (from, direction, isVerdict) => nextEvent(events, from, { direction, isVerdict }),
  }
}
