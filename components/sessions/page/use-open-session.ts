'use client'

import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import type { AnnotationDraft } from '@/components/annotations/annotation-dialog.tsx'
import {
  type Annotations,
  useAnnotationRight,
  useAnnotations,
} from '@/components/annotations/use-annotations.ts'
import { useGo } from '@/components/shell/address.ts'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { toast } from '@/components/ui/toast.tsx'
import { useMedia } from '@/components/ui/use-width.ts'
import type { Label } from '@/server/labels/label-input.ts'
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'
import type { PayloadCache } from './event/payload-cache.ts'
import { usePayloadCache } from './event/use-payloads.ts'
import type { Pane } from './narrow-foot.tsx'
import { type EventRow, findSeqIndex } from './rows/session-rows.ts'
import { explanationHref, isDecision } from './rows/verdict.tsx'
import { sessionActions } from './session-actions.ts'
import { type SessionActions, sessionKeys } from './session-keys.ts'
import { linkedEvent } from './session-links.ts'
import { useTimeline } from './state/use-timeline.ts'
import { type Span, spanAround, wholeSpan } from './strip-axis.ts'
import { type EventIndex, useEventIndex } from './use-event-index.ts'
import { type Following, useFollow } from './use-follow.ts'
import { type Inspected, useInspected } from './use-inspected.ts'
import { type SessionView, useSessionView } from './use-session-view.ts'
import { useVisibleRows, type VisibleRows } from './use-visible-rows.ts'

const NEIGHBORS = 5

interface Acts extends Omit<SessionActions, 'stepState'> {
  readonly select: (seq: number) => void
  readonly aim: (seq: number) => void
  readonly zoom: (zoom: Span | null) => void
  readonly scrollUp: () => void
}

export interface OpenSession {
  readonly view: SessionView
  readonly index: EventIndex
  readonly rows: VisibleRows
  readonly follow: Following
  readonly payloads: PayloadCache
  /** Null: nothing is selected, so the present is shown. */
  readonly selected: EventRow | null
  readonly newestSeq: number
  readonly openedWith: number
  readonly searchInput: RefObject<HTMLInputElement | null>
  readonly isNarrow: boolean
  readonly pane: Pane
  readonly inspected: Inspected
  readonly act: Acts
  readonly annotations: Annotations
  /** Annotation being written; null: none. */
  readonly draft: AnnotationDraft | null
  readonly closeDraft: () => void
  /** Label being set; null: none. */
  readonly marked: (Marked & { readonly end: () => void }) | null
  /** `seq` 0: the session. */
  readonly mark: (label: Label, seq: number) => void
}

interface Marked {
  readonly label: Label
  readonly seq: number
}

function useNeighbors(payloads: PayloadCache, rows: VisibleRows, around: EventRow | null): void {
  const { events } = rows
  const key = around?.key ?? null
  useEffect(() => {
    if (key === null) return
    const at = events.findIndex((row) => row.key === key)
    if (at === -1) return
    const near = events.slice(Math.max(0, at - NEIGHBORS), at + NEIGHBORS + 1)
    // Errors are ignored: opening the row loads again and reports them.
    payloads.want(near.flatMap(({ members }) => members)).catch(() => undefined)
  }, [payloads, events, key])
}

export function useOpenSession(head: SessionHead, first: readonly IndexEntry[]): OpenSession {
  const searchInput = useRef<HTMLInputElement>(null)
  const isNarrow = useMedia('(max-width: 1023px)')
  const view = useSessionView()
  const { id: sessionId, maxSeq } = head
  const index = useEventIndex({ sessionId, first, maxSeq })
  // Events stored before the page opened are not new, even while they are still loading.
  const [openedWith] = useState(maxSeq)
  const newestSeq = Math.max(index.entries.at(-1)?.[0] ?? 0, openedWith)
  const annotations = useAnnotations(sessionId)
  const rows = useVisibleRows(annotations, index.entries, view)
  const isRunning = head.status === 'running'
  const follow = useFollow({ view, isRunning, newestSeq, entries: index.entries })
  const payloads = usePayloadCache(sessionId)
  const { all } = rows
  const { selectedSeq } = view
  const selected = useMemo(() => {
    const found = selectedSeq === null ? undefined : all[findSeqIndex(all, selectedSeq)]
    return found?.kind === 'event' ? found : null
  }, [all, selectedSeq])
  useNeighbors(payloads, rows, view.pane === 'event' ? selected : null)
  const annotationRight = useAnnotationRight()
  const [draft, setDraft] = useState<AnnotationDraft | null>(null)
  const annotate = (): void => {
    if (annotationRight.isAllowed) setDraft({ kind: 'new', sessionId, seq: selected?.seq ?? null })
    else if (annotationRight.reason !== null) toast(annotationRight.reason)
  }
  const [marked, setMarked] = useState<Marked | null>(null)
  const mark = (label: Label, seq: number): void => setMarked({ label, seq })
  const markSelected = (label: Label): void => mark(label, isDecision(selected) ? selected.seq : 0)
  const load = useTimeline(sessionId)
  const isStateShown = (view.pane ?? (isNarrow ? 'timeline' : 'state')) === 'state'
  const aim = (seq: number): void => {
    // Errors are ignored: the pane that shows the state loads again and reports them.
    if (isStateShown)
      load()
        .then((timeline) => timeline.load(seq))
        .catch(() => undefined)
  }
  const act = useActs({
    head,
    annotate,
    mark: markSelected,
    aim,
    view,
    rows,
    follow,
    selected,
    newestSeq,
    searchInput,
  })
  const inspected = useInspected({ head, index, newestSeq, selected, view, act, load })
  usePageKeys('session', sessionKeys({ ...act, stepState: inspected.place.onChange }))
  usePageActions(sessionActions({ isRunning, view, follow, act, annotationRight }))
  const pane = view.pane ?? 'timeline'
  return {
    view,
    index,
    rows,
    follow,
    payloads,
    selected,
    newestSeq,
    searchInput,
    isNarrow,
    pane,
    inspected,
    act,
    openedWith,
    annotations,
    draft,
    closeDraft: () => setDraft(null),
    marked: marked && { ...marked, end: () => setMarked(null) },
    mark,
  }
}

type Known = Pick<
  OpenSession,
  'view' | 'rows' | 'follow' | 'selected' | 'newestSeq' | 'searchInput'
> & {
  readonly head: SessionHead
  readonly annotate: () => void
  readonly mark: (label: Label) => void
  readonly aim: Acts['aim']
}

function useActs({
  head,
  annotate,
  mark,
  aim,
  view,
  rows,
  follow,
  selected,
  newestSeq,
  searchInput,
}: Known): Acts {
  const go = useGo()
  const select = (seq: number): void => {
    // Loads the state before the page renders with the selection.
    aim(seq)
    follow.act({ kind: 'select', newestSeq })
    view.select(seq)
  }
  const toNow = (): void => {
    view.select(null)
    follow.act({ kind: 'resume' })
  }
  const zoom = (next: Span | null): void => {
    if (next !== null) follow.act({ kind: 'brush', newestSeq })
    view.setZoom(next)
  }
  return {
    select,
    aim,
    toNow,
    zoom,
    annotate,
    mark,
    scrollUp: () => follow.act({ kind: 'scroll_up', newestSeq }),
    step: (direction, wanted) => {
      const next = rows.next(selected, direction, wanted)
      if (next !== null) select(next.seq)
      return next !== null
    },
    follow: follow.toggle,
    back: () => {
      const isElsewhere = view.selectedSeq !== null || view.at !== null
      const isPast = isElsewhere || follow.state.mode === 'paused'
      if (isElsewhere || (head.status === 'running' && isPast)) toNow()
      else view.setQuery('')
    },
    linked: () => linkedEvent(head, selected),
    why: () => {
      const href = selected === null ? null : explanationHref(head.id, selected)
      if (href !== null) go(href)
    },
    flipPane: () => view.setPane(view.pane === 'event' ? 'state' : 'event'),
    search: () => {
      searchInput.current?.focus()
      searchInput.current?.select()
    },
    onlyMatches: view.toggleOnlyMatches,
    zoomIn: () => {
      const whole = wholeSpan(rows.allEvents.map(({ at }) => at))
      const at = selected?.at ?? whole.to
      zoom(spanAround(at, whole))
    },
    zoomOut: () => zoom(null),
  }
}
