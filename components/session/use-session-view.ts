// The session page's view state, all of it in the URL: selected event, tab, filter, chips, pause, opened reasons.
'use client'

import {
  parseAsArrayOf,
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
  useQueryStates,
} from 'nuqs'
import { CHIPS, type Chip } from './event-filter.ts'
import type { InspectorTab } from './inspector.tsx'

export interface SessionView {
  readonly selectedSeq: number | null
  readonly tab: InspectorTab
  readonly query: string
  readonly chips: readonly Chip[]
  readonly isEveryEvent: boolean
  readonly isPaused: boolean
  /** Whether what was not enforced is listed. */
  readonly areReasonsShown: boolean
  readonly select: (seq: number | null) => void
  readonly setTab: (tab: InspectorTab) => void
  readonly setQuery: (query: string) => void
  readonly toggleChip: (chip: Chip) => void
  readonly toggleEveryEvent: () => void
  readonly setPaused: (isPaused: boolean) => void
  readonly toggleReasons: () => void
}

const PARSERS = {
  e: parseAsInteger,
  tab: parseAsStringLiteral(['state', 'event']).withDefault('state'),
  q: parseAsString.withDefault(''),
  f: parseAsArrayOf(parseAsStringLiteral(CHIPS)).withDefault([]),
  every: parseAsBoolean.withDefault(false),
  paused: parseAsBoolean.withDefault(false),
  reasons: parseAsBoolean.withDefault(false),
}

export function useSessionView(): SessionView {
  const [view, set] = useQueryStates(PARSERS)
  return {
    selectedSeq: view.e,
    tab: view.tab,
    query: view.q,
    chips: view.f,
    isEveryEvent: view.every,
    isPaused: view.paused,
    areReasonsShown: view.reasons,
    // Choosing an event is navigation, so that Back returns to the one before.
    select: (e) => void set({ e }, { history: 'push' }),
    setTab: (tab) => void set({ tab }),
    setQuery: (q) => void set({ q: q === '' ? null : q }),
    toggleChip: (chip) =>
      void set(({ f }) => {
        const next = f.includes(chip) ? f.filter((one) => one !== chip) : [...f, chip]
        return { f: next.length === 0 ? null : next }
      }),
    toggleEveryEvent: () => void set(({ every }) => ({ every: every ? null : true })),
    toggleReasons: () => void set(({ reasons }) => ({ reasons: reasons ? null : true })),
    setPaused: (isPaused) => void set({ paused: isPaused ? true : null }),
  }
}
