// One session, live: what happened, in order, and what the guardrails knew at that moment. The URL holds the selected event,
// the tab, the filter and the pause; nothing moves under the reader.
'use client'

import { useQuery } from '@tanstack/react-query'
import { ArrowDown } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useRef, useState } from 'react'
import { toast } from 'sonner'
import { EnforcementPanel } from '@/components/enforcement/enforcement-panel.tsx'
import { useConnectionState } from '@/components/live/use-connection-state.ts'
import { useHints } from '@/components/live/use-hints.ts'
import { useTRPC } from '@/components/trpc-provider.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { useZone } from '@/components/ui/time.tsx'
import type { SessionHead } from '@/server/read-models/session-head.ts'
import { DensityStrip } from './density-strip.tsx'
import { EventList } from './event-list.tsx'
import { Inspector, type InspectorTab, Verdict } from './inspector.tsx'
import { RetentionNotice } from './retention-notice.tsx'
import { SessionHeader } from './session-header.tsx'
import { type EventRow, type IndexEntry, indexOfSeq } from './session-rows.ts'
import { SessionToolbar } from './session-toolbar.tsx'
import { useEventIndex } from './use-event-index.ts'
import { useFollow } from './use-follow.ts'
import { useSessionView } from './use-session-view.ts'
import { useShortcuts } from './use-shortcuts.ts'
import { useVisibleRows } from './use-visible-rows.ts'
import { useMedia } from './use-width.ts'

export function SessionPage({ sessionId }: { readonly sessionId: string }) {
  const trpc = useTRPC()
  const head = useQuery(trpc.sessions.head.queryOptions({ sessionId }))
  const first = useQuery(
    trpc.sessions.index.queryOptions(
      { sessionId, afterSeq: 0 },
      { staleTime: Number.POSITIVE_INFINITY, refetchOnMount: false },
    ),
  )
  useHints({ kind: 'session', id: sessionId }, () => void head.refetch())
  const error = head.error ?? first.error
  if (head.data !== undefined && head.data.removed !== null) {
    return <RetentionNotice head={head.data} removed={head.data.removed} />
  }
  if (head.data !== undefined && first.data !== undefined) {
    return <LoadedSession head={head.data} first={first.data} />
  }
  if (error !== null) {
    return (
      <ErrorState
        what="The session could not be loaded."
        why={error.message}
        onRetry={() => {
          void head.refetch()
          void first.refetch()
        }}
      />
    )
  }
  return <SkeletonRows />
}

interface LoadedProps {
  readonly head: SessionHead
  readonly first: readonly IndexEntry[]
}

function eventPath(sessionId: string, seq: number): string {
  return `/e/evt_${sessionId.replace(/^sess_/, '')}_${seq}`
}

function copyLink(path: string): void {
  navigator.clipboard.writeText(`${window.location.origin}${path}`).then(
    () => toast('Link copied'),
    () => toast(`The browser does not allow copying here: ${path}`),
  )
}

const PANES = ['timeline', 'state', 'event'] as const
type Pane = (typeof PANES)[number]

function LoadedSession({ head, first }: LoadedProps) {
  const router = useRouter()
  const zone = useZone()
  const connection = useConnectionState()
  const search = useRef<HTMLInputElement>(null)
  const isNarrow = useMedia('(max-width: 1023px)')
  const [pane, setPane] = useState<Pane>('timeline')
  const view = useSessionView()
  const index = useEventIndex(head.id, first)
  const newestSeq = index.entries.at(-1)?.[0] ?? 0
  const rows = useVisibleRows(index.entries, view)
  const isRunning = head.status === 'running'
  const follow = useFollow({ view, isRunning, newestSeq, entries: index.entries })

  const at = view.selectedSeq === null ? -1 : indexOfSeq(rows.all, view.selectedSeq)
  const found = rows.all[at]
  const selected = found?.kind === 'event' ? found : null

  const select = (seq: number): void => {
    follow.act({ kind: 'select', newestSeq })
    view.select(seq)
  }
  const resume = (): void => {
    view.select(null)
    follow.act({ kind: 'resume' })
  }
  const move = (direction: 1 | -1, isVerdict: boolean): void => {
    const next = rows.next(selected, direction, isVerdict)
    if (next !== null) select(next.seq)
  }
  const path = selected === null ? `/sessions/${head.id}` : eventPath(head.id, selected.seq)
  const copy = (): void => copyLink(path)
  const stepBack = (): void => {
    if (view.selectedSeq !== null || isRunning) resume()
    else view.setQuery('')
  }
  const why = (): void => {
    const audit = selected?.type === 'stop.decided' || selected?.type === 'tool.decided'
    const id = `${head.id.replace(/^sess_/, '')}_${selected?.seq ?? 0}`
    if (!audit) return
    router.push(selected?.type === 'stop.decided' ? `/stops/stop_${id}` : `/decisions/dec_${id}`)
  }
  useShortcuts({
    j: () => move(1, false),
    k: () => move(-1, false),
    ArrowDown: () => move(1, false),
    ArrowUp: () => move(-1, false),
    '}': () => move(1, true),
    '{': () => move(-1, true),
    L: () => move(1, true),
    H: () => move(-1, true),
    p: () => follow.toggle(),
    End: resume,
    c: copy,
    y: why,
    i: () => view.setTab(view.tab === 'state' ? 'event' : 'state'),
    '/': () => search.current?.focus(),
    Escape: stepBack,
  })

  const showTab = (tab: InspectorTab): void => {
    view.setTab(tab)
    if (isNarrow) setPane(tab)
  }
  const choosePane = (next: Pane): void => {
    setPane(next)
    if (next !== 'timeline') view.setTab(next)
  }
  const isListShown = !isNarrow || pane === 'timeline'
  return (
    <div className="flex h-[calc(100dvh-3.5rem)] min-h-0 flex-col sm:h-dvh">
      <SessionHeader head={head} onCopyLink={copy} />
      <EnforcementPanel
        head={head}
        isOpen={view.areReasonsShown}
        onToggle={view.toggleReasons}
        onSelect={select}
      />
      <SessionToolbar
        search={search}
        query={view.query}
        problem={rows.problem}
        onQuery={view.setQuery}
        chips={view.chips}
        counts={rows.counts}
        onChip={view.toggleChip}
        isEveryEvent={view.isEveryEvent}
        onEveryEvent={view.toggleEveryEvent}
        shown={rows.isFiltered ? { rows: rows.events.length, of: rows.all.length } : null}
        follow={{
          state: follow.state,
          connection,
          isRunning,
          endedAt: head.endedAt,
          fresh: follow.fresh,
          onToggle: follow.toggle,
        }}
      />
      <DensityStrip rows={rows.allEvents} selected={selected} onSeek={select} />
      {index.error === null ? null : (
        <ErrorState
          what="New events could not be loaded."
          why={index.error}
          onRetry={index.retry}
        />
      )}
      <div className="relative flex min-h-0 flex-1">
        {isListShown ? (
          <div className="relative flex min-w-0 flex-1 flex-col">
            <EventList
              rows={rows.visible}
              isFollowing={follow.state.mode === 'following'}
              selectedKey={selected?.key ?? null}
              zone={zone}
              hrefOf={(seq) => eventPath(head.id, seq)}
              onSelect={select}
              onScrollUp={() => follow.act({ kind: 'scroll_up', newestSeq })}
            />
            {follow.fresh > 0 ? <NewEventsPill count={follow.fresh} onShow={resume} /> : null}
          </div>
        ) : null}
        {!isNarrow || pane !== 'timeline' ? (
          <div className="w-full shrink-0 border-border lg:w-[360px] lg:border-l">
            <Inspector
              sessionId={head.id}
              selected={selected}
              newestSeq={newestSeq}
              tab={view.tab}
              onTab={showTab}
              onReturn={resume}
              onVerdict={(direction) => move(direction, true)}
              onCopyLink={copy}
            />
          </div>
        ) : null}
      </div>
      {isNarrow ? (
        <NarrowFoot sessionId={head.id} selected={selected} pane={pane} onPane={choosePane} />
      ) : null}
      <NewsForScreenReaders count={follow.fresh} />
    </div>
  )
}

function NewEventsPill({ count, onShow }: { readonly count: number; readonly onShow: () => void }) {
  return (
    <button
      type="button"
      onClick={onShow}
      className="absolute bottom-4 left-1/2 inline-flex h-8 -translate-x-1/2 items-center gap-1.5 rounded-control bg-accent px-3 font-medium text-on-accent shadow-lg pointer-coarse:h-11"
    >
      <ArrowDown aria-hidden size={14} />
      {count} new {count === 1 ? 'event' : 'events'}
    </button>
  )
}

interface NarrowFootProps {
  readonly sessionId: string
  readonly selected: EventRow | null
  readonly pane: Pane
  readonly onPane: (pane: Pane) => void
}

/** One pane at a time; over the timeline the selected event's reason stays in sight. */
function NarrowFoot({ sessionId, selected, pane, onPane }: NarrowFootProps) {
  return (
    <>
      {pane === 'timeline' && selected !== null ? (
        <div className="border-border border-t bg-surface px-3 py-2">
          <Verdict sessionId={sessionId} row={selected} />
        </div>
      ) : null}
      <PaneTabs pane={pane} onPane={onPane} />
    </>
  )
}

const PANE_WORD = { timeline: 'Timeline', state: 'State', event: 'Event' } as const

function PaneTabs({
  pane,
  onPane,
}: {
  readonly pane: Pane
  readonly onPane: (pane: Pane) => void
}) {
  return (
    <nav aria-label="Panes" className="flex shrink-0 border-border border-t bg-surface">
      {PANES.map((name) => (
        <button
          key={name}
          type="button"
          aria-current={name === pane}
          onClick={() => onPane(name)}
          className="h-11 flex-1 border-transparent border-t-2 text-text-2 aria-[current=true]:border-text aria-[current=true]:font-medium aria-[current=true]:text-text"
        >
          {PANE_WORD[name]}
        </button>
      ))}
    </nav>
  )
}

/** The list itself is never a live region; this line is, and it changes only while the reader is paused. */
function NewsForScreenReaders({ count }: { readonly count: number }) {
  return (
    <p aria-live="polite" className="sr-only">
      {count === 0 ? '' : `${count} new events`}
    </p>
  )
}
