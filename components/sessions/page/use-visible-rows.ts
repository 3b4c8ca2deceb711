'use client'

import { useDeferredValue, useMemo } from 'react'
import type { Annotations } from '@/components/annotations/use-annotations.ts'
import { useZone } from '@/components/ui/time.tsx'
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'
import { type Chip, matchesChips, selectChip } from './event-chips.ts'
import { type EventRow, rowReader, type SessionRow } from './rows/session-rows.ts'
import { type Search, useSearch } from './use-search.ts'
import type { PageTab, SessionView } from './use-session-view.ts'

export type Wanted = 'event' | 'verdict' | 'warning' | 'match'

export interface VisibleRows {
  readonly all: readonly SessionRow[]
  readonly allEvents: readonly EventRow[]
  readonly visible: readonly SessionRow[]
  readonly events: readonly EventRow[]
  readonly isFiltered: boolean
  readonly counts: Readonly<Record<Chip | 'decisions' | 'plans', number>>
  readonly search: Search
  /** Next wanted event among the visible ones; null: none. */
  readonly next: (from: EventRow | null, direction: 1 | -1, wanted: Wanted) => EventRow | null
}

const VERDICTS = /^(denied|masked|withheld|blocked|bypassed|error|would_)/

function isEvent(row: SessionRow): row is EventRow {
  return row.kind === 'event'
}

function isVerdictRow({ type, verdict }: EventRow): boolean {
  if (type === 'enforcement.lapsed') return true
  return VERDICTS.test(`${verdict}`)
}

const DECISIONS = /\.(decided|overridden)$/

function belongsToTab({ type }: EventRow, tab: PageTab): boolean {
  if (tab === 'decisions') return DECISIONS.test(type)
  return tab !== 'feedback' || type.startsWith('feedback.')
}

function countRows(events: readonly EventRow[]) {
  const counts = { denied: 0, shadow: 0, stops: 0, feedback: 0, decisions: 0, plans: 0 }
  for (const row of events) {
    const chip = selectChip(row)
    // The final verification is listed with the stops, but is no stop attempt of the agent.
    if (chip !== null && !row.isFinal) counts[chip] += 1
    if (belongsToTab(row, 'decisions')) counts.decisions += 1
    if (row.type === 'plan.updated') counts.plans += 1
  }
  return counts
}

/** Without a starting row, forward starts at the beginning and back at the end. */
function nextEvent(
  events: readonly EventRow[],
  from: EventRow | null,
  { direction, isWanted }: { direction: 1 | -1; isWanted: (row: EventRow) => boolean },
): EventRow | null {
  const found = from === null ? -1 : events.findIndex(({ key }) => key >= from.key)
  // If the filter hides the selected row, continues from the place where it would be.
  const isHidden = found !== -1 && events[found]?.key !== from?.key
  const start = from === null || found === -1 ? (direction === 1 ? -1 : events.length) : found
  for (let at = isHidden && direction === 1 ? start : start + direction; ; at += direction) {
    const row = events[at]
    if (row === undefined) return null
    if (isWanted(row)) return row
  }
}

export function useVisibleRows(
  annotations: Annotations,
  entries: readonly IndexEntry[],
  view: SessionView,
): VisibleRows {
  const { chips, isEveryEvent, tab, isOnlyMatches } = view
  const zone = useZone()
  const read = useMemo(() => rowReader(!isEveryEvent, zone), [isEveryEvent, zone])
  const all = useMemo(() => read(entries), [read, entries])
  const allEvents = useMemo(() => all.filter(isEvent), [all])
  const { sessionId } = annotations
  // Typed text appears in the field at once; the matches follow.
  const query = useDeferredValue(view.query)
  const search = useSearch({ sessionId, rows: allEvents, annotations }, query)
  const { matched, keys } = search
  const isNarrowed = isOnlyMatches && matched !== null
  const isFiltered = isNarrowed || chips.length > 0
  const isTabOnly = tab === 'decisions' || tab === 'feedback'
  const visible = useMemo(() => {
    if (!isFiltered && !isTabOnly) return all
    return allEvents.filter(
      (row) =>
        belongsToTab(row, tab) && matchesChips(row, chips) && (!isNarrowed || keys.has(row.key)),
    )
  }, [all, allEvents, chips, isFiltered, isNarrowed, isTabOnly, keys, tab])
  const events = useMemo(
    () => (visible === all ? allEvents : visible.filter(isEvent)),
    [visible, all, allEvents],
  )
  const counts = useMemo(() => countRows(allEvents), [allEvents])
  const isWanted = {
    event: () => true,
    verdict: isVerdictRow,
    warning: ({ verdict }: EventRow) => verdict === 'warning',
    match: ({ key }: EventRow) => keys.has(key),
  } as const satisfies Record<Wanted, (row: EventRow) => boolean>
  return {
    all,
    allEvents,
    visible,
    events,
    isFiltered,
    counts,
    search,
    next: (from, direction, wanted) =>
      nextEvent(events, from, { direction, isWanted: isWanted[wanted] }),
  }
}
