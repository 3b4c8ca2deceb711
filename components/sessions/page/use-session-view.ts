'use client'

import {
  createParser,
  parseAsArrayOf,
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
  useQueryStates,
} from 'nuqs'
import { writesAddress } from '@/components/shell/address.ts'
import { useTyped } from '@/components/shell/address-provider.tsx'
import { CHIPS, type Chip } from './event-chips.ts'
import type { InspectorTab } from './inspector.tsx'
import type { Span } from './strip-axis.ts'

export const PAGE_TABS = [
  'timeline',
  'decisions',
  'feedback',
  'plan',
  'files',
  'annotations',
  'raw',
] as const
export type PageTab = (typeof PAGE_TABS)[number]

export interface SessionView {
  readonly selectedSeq: number | null
  /** Event after which the state is shown; null: that of the selection. */
  readonly at: number | null
  readonly tab: PageTab
  /** Null: the inspector shows the state; a narrow screen shows the timeline. */
  readonly pane: InspectorTab | null
  readonly query: string
  readonly isOnlyMatches: boolean
  readonly chips: readonly Chip[]
  readonly isEveryEvent: boolean
  readonly isPaused: boolean
  /** Part of the session's time in the strip; null: all of it. */
  readonly zoom: Span | null
  readonly isIdleCollapsed: boolean
  readonly areReasonsShown: boolean
  readonly select: (seq: number | null) => void
  readonly setAt: (seq: number | null) => void
  readonly setTab: (tab: PageTab) => void
  readonly showInTimeline: (seq: number) => void
  readonly setPane: (pane: InspectorTab | null) => void
  readonly setQuery: (query: string) => void
  readonly toggleOnlyMatches: () => void
  readonly toggleChip: (chip: Chip) => void
  readonly toggleEveryEvent: () => void
  readonly setPaused: (isPaused: boolean) => void
  readonly setZoom: (zoom: Span | null) => void
  readonly toggleIdle: () => void
  readonly toggleReasons: () => void
}

/** `start-end`, epoch ms. */
const parseAsSpan = createParser<Span>({
  parse: (text) => {
    const [, from, to] = /^(\d{1,16})-(\d{1,16})$/.exec(text) ?? []
    return from === undefined || Number(from) >= Number(to)
      ? null
      : { from: Number(from), to: Number(to) }
  },
  serialize: ({ from, to }) => `${from}-${to}`,
  eq: (a, b) => a.from === b.from && a.to === b.to,
})

const PARSERS = {
  e: parseAsInteger,
  at: parseAsInteger,
  tab: parseAsStringLiteral(PAGE_TABS).withDefault('timeline'),
  pane: parseAsStringLiteral(['state', 'event']),
  q: parseAsString.withDefault(''),
  only: parseAsInteger.withDefault(0),
  f: parseAsArrayOf(parseAsStringLiteral(CHIPS)).withDefault([]),
  every: parseAsBoolean.withDefault(false),
  paused: parseAsInteger.withDefault(0),
  z: parseAsSpan,
  idle: parseAsStringLiteral(['shown', 'collapsed']).withDefault('shown'),
  reasons: parseAsBoolean.withDefault(false),
}

export function useSessionView(): SessionView {
  const [view, set] = useQueryStates(PARSERS)
  const [query, setQuery] = useTyped(view.q, (q) => set({ q: q === '' ? null : q }))
  return {
    selectedSeq: view.e,
    at: view.at,
    tab: view.tab,
    pane: view.pane,
    query,
    isOnlyMatches: view.only === 1,
    chips: view.f,
    isEveryEvent: view.every,
    isPaused: view.paused === 1,
    zoom: view.z,
    isIdleCollapsed: view.idle === 'collapsed',
    areReasonsShown: view.reasons,
    // Selecting an event is navigation, so that Back returns to the previous one.
    select: (e) => writesAddress(set({ e, at: null }, { history: 'push' })),
    setAt: (at) => void set({ at }),
    setTab: (tab) => void set({ tab }, { history: 'push' }),
    showInTimeline: (e) => void set({ e, at: null, tab: null }, { history: 'push' }),
    setPane: (pane) => void set({ pane }),
    setQuery,
    toggleOnlyMatches: () => void set(({ only }) => ({ only: only === 1 ? null : 1 })),
    toggleChip: (chip) =>
      void set(({ f }) => {
        const next = f.includes(chip) ? f.filter((one) => one !== chip) : [...f, chip]
        return { f: next.length === 0 ? null : next }
      }),
    toggleEveryEvent: () => void set(({ every }) => ({ every: every ? null : true })),
    toggleReasons: () => void set(({ reasons }) => ({ reasons: reasons ? null : true })),
    setPaused: (isPaused) => void set({ paused: isPaused ? 1 : null }),
    setZoom: (z) => void set({ z }),
    toggleIdle: () => void set(({ idle }) => ({ idle: idle === 'shown' ? 'collapsed' : null })),
  }
}
