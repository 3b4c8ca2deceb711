'use client'

import { type ReactNode, useMemo } from 'react'
import { AnnotationDialog } from '@/components/annotations/lazy-annotation-dialog.ts'
import { annotationsOn } from '@/components/annotations/use-annotations.ts'
import { PrintFooter } from '@/components/explanations/print-footer.tsx'
import { copyLink } from '@/components/kit/list/copy-link.ts'
import { SetLabel } from '@/components/labels/lazy-set-label.ts'
import { useConnectionState } from '@/components/live/use-connection-state.ts'
import { withPrefix } from '@/components/paths/prefix.ts'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { Link } from '@/components/ui/link.tsx'
import { useZone } from '@/components/ui/time.tsx'
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'
import { DensityStrip } from './density-strip.tsx'
import { EventList } from './event-list.tsx'
import type { Range } from './event-log.ts'
import { LoadProblem, NewEventsPill } from './follow-control.tsx'
import { Inspector } from './inspector.tsx'
import { AnnotationsTab, FilesTab, PlanTab, RawList } from './lazy-tabs.tsx'
import { PageTabs } from './page-tabs.tsx'
import type { EventRow, SessionRow } from './rows/session-rows.ts'
import { SessionHeader } from './session-header.tsx'
import { eventPath } from './session-links.ts'
import { SessionToolbar } from './session-toolbar.tsx'
import { type OpenSession, useOpenSession } from './use-open-session.ts'
import { useFastRate } from './use-rate.ts'
import type { PageTab } from './use-session-view.ts'
import type { VisibleRows } from './use-visible-rows.ts'

const EnforcementPanel = lazySection(
  () =>
    import('@/components/enforcement/enforcement-panel.tsx').then(
      (module) => module.EnforcementPanel,
    ),
  <div className="min-h-8 border-border border-b pointer-coarse:min-h-11" />,
)

const NewsLine = lazySection(
  () => import('./news-line.tsx').then((module) => module.NewsLine),
  null,
)

const NarrowFoot = lazySection(
  () => import('./narrow-foot.tsx').then((module) => module.NarrowFoot),
  <div className="h-11 shrink-0 border-border border-t bg-surface" />,
)

const Notes = lazySection(() => import('./notes.tsx').then((module) => module.Notes), null)

const NOTHING_FOUND: ReadonlySet<number> = new Set()

const NOTHING_OF: { readonly [tab in PageTab]?: string } = {
  decisions: 'No calls or stops have been decided in this session.',
  feedback: 'No feedback was delivered in this session.',
}

export function LoadedSession({
  head,
  first,
  control,
}: {
  readonly head: SessionHead
  readonly first: readonly IndexEntry[]
  /** null: the session has ended. */
  readonly control: ReactNode
}) {
  const session = useOpenSession(head, first)
  const { view, rows, act } = session
  const { counts } = rows
  const { all } = session.annotations
  const written = all === undefined || all.length === 0 ? {} : { annotations: all.length }
  const hasList = !['plan', 'files', 'annotations'].includes(view.tab)
  return (
    <div className="flex h-[calc(100dvh-3.5rem)] min-h-0 flex-col sm:h-full print:h-auto">
      <SessionHeader
        head={head}
        wouldDeny={session.index.isLoaded ? counts.shadow : 0}
        onMark={() => session.mark('bad', 0)}
        onCopyLink={() => copyLink(act.linked())}
      />
      {control}
      <PrintHint sessionId={head.id} />
      <div className="no-print contents">
        {head.shortfalls.length === 0 ? null : (
          <EnforcementPanel
            head={head}
            isOpen={view.areReasonsShown}
            onToggle={view.toggleReasons}
            onSelect={act.select}
          />
        )}
        <PageTabs
          tab={view.tab}
          counts={
            // Until the whole index is loaded, the counts would be too small.
            session.index.isLoaded
              ? {
                  decisions: counts.decisions,
                  feedback: counts.feedback,
                  plan: counts.plans,
                  ...written,
                }
              : written
          }
          onTab={view.setTab}
        />
        {hasList ? <ListView session={session} head={head} /> : null}
        {view.tab === 'plan' ? (
          <PlanTab sessionId={head.id} newestSeq={session.newestSeq} onShow={view.showInTimeline} />
        ) : null}
        {view.tab === 'files' ? (
          <FilesTab sessionId={head.id} onShow={view.showInTimeline} />
        ) : null}
        {view.tab === 'annotations' ? (
          <AnnotationsTab annotations={session.annotations} onShow={view.showInTimeline} />
        ) : null}
        {session.marked === null ? null : (
          <SetLabel sessionId={head.id} {...session.marked} onDone={session.marked.end} />
        )}
        {session.draft === null ? null : (
          <AnnotationDialog draft={session.draft} onClose={session.closeDraft} />
        )}
      </div>
      {session.newestSeq === session.openedWith ? null : (
        <NewsLine entries={session.index.entries} openedWith={session.openedWith} />
      )}
    </div>
  )
}

/** A scrolling list prints only its visible part; the report is made for paper. */
function PrintHint({ sessionId }: { readonly sessionId: string }) {
  const path = `/sessions/${sessionId}/report`
  return (
    <>
      <p className="print-only p-4">
        This is the header of the session. Its report, <Link href={path}>{path}</Link>, prints what
        was denied, blocked and bypassed, the feedback and the plan.
      </p>
      <PrintFooter path={`/sessions/${sessionId}`} />
    </>
  )
}

interface Part {
  readonly session: OpenSession
  readonly head: SessionHead
}

function ListView({ session, head }: Part) {
  const { view, rows, selected, act, isNarrow, pane, annotations } = session
  const { bySeq } = annotations
  const hasNotes = useMemo(
    () => (seqs: readonly number[]) => bySeq.size > 0 && seqs.some((seq) => bySeq.has(seq)),
    [bySeq],
  )
  return (
    <>
      <Toolbar session={session} head={head} />
      <DensityStrip
        rows={rows.allEvents}
        selected={selected}
        hasNotes={hasNotes}
        zoom={view.zoom}
        isIdleCollapsed={view.isIdleCollapsed}
        onSeek={act.select}
        onAim={act.aim}
        onZoom={act.zoom}
        onIdle={view.toggleIdle}
      />
      <div className="relative flex min-h-0 flex-1" data-loaded={session.index.isLoaded}>
        {!isNarrow || pane === 'timeline' ? <List session={session} head={head} /> : null}
        {!isNarrow || pane !== 'timeline' ? (
          <div className="w-full shrink-0 border-border lg:w-[360px] lg:border-l">
            <Inspector
              {...session.inspected}
              payloads={session.payloads}
              tab={view.pane ?? 'state'}
              onTab={view.setPane}
              onCopyLink={() => copyLink(act.linked())}
              notes={
                selected === null ? null : (
                  <Notes
                    sessionId={head.id}
                    selected={selected}
                    annotations={session.annotations}
                    onAnnotate={act.annotate}
                    onMark={() => session.mark('bad', selected.seq)}
                  />
                )
              }
            />
          </div>
        ) : null}
      </div>
      {isNarrow ? (
        <NarrowFoot
          sessionId={head.id}
          selected={selected}
          pane={pane}
          onPane={(next) => view.setPane(next === 'timeline' ? null : next)}
        />
      ) : null}
    </>
  )
}

function Toolbar({ session, head }: Part) {
  const connection = useConnectionState()
  const rate = useFastRate(session.newestSeq)
  const { view, rows, follow, act, selected } = session
  const { matched, keys } = rows.search
  const isMatch = selected !== null && keys.has(selected.key)
  const place = isMatch ? (matched?.findIndex(({ key }) => key === selected.key) ?? -1) + 1 : null
  return (
    <SessionToolbar
      search={{
        input: session.searchInput,
        query: view.query,
        onQuery: view.setQuery,
        place,
        search: rows.search,
        isWhole: session.index.isLoaded,
        isOnly: view.isOnlyMatches,
        onOnly: view.toggleOnlyMatches,
        onStep: (direction) => act.step(direction, 'match'),
      }}
      chips={view.tab === 'timeline' ? view.chips : null}
      counts={session.index.isLoaded ? rows.counts : null}
      onChip={view.toggleChip}
      isEveryEvent={view.isEveryEvent}
      onEveryEvent={view.toggleEveryEvent}
      shown={rows.isFiltered ? { rows: rows.events.length, of: rows.allEvents.length } : null}
      isViewedHidden={selected !== null && isHidden(selected, rows)}
      follow={{
        state: follow.state,
        connection,
        fresh: follow.fresh,
        onToggle: follow.toggle,
        isRunning: head.status === 'running',
        endedAt: head.endedAt,
        rate,
      }}
    />
  )
}

function isHidden({ key }: EventRow, { visible, all, events }: VisibleRows): boolean {
  return visible !== all && !events.some((row) => row.key === key)
}

function withTail(rows: readonly SessionRow[], tail: Range | null): readonly SessionRow[] {
  return tail === null ? rows : [...rows, { kind: 'gap', key: -tail.from, ...tail }]
}

function List({ session, head }: Part) {
  const zone = useZone()
  const { view, rows, follow, act, selected, index } = session
  const isFollowing = follow.state.mode === 'following'
  const listed = useMemo(() => withTail(rows.visible, index.tail), [rows.visible, index.tail])
  if (view.tab === 'raw') {
    return (
      <RawList
        entries={index.entries}
        payloads={session.payloads}
        selectedSeq={view.selectedSeq}
        isFollowing={isFollowing}
        onSelect={act.select}
      />
    )
  }
  const nothing = rows.isFiltered
    ? 'Nothing in this session matches.'
    : (NOTHING_OF[view.tab] ?? 'No event has arrived yet.')
  return (
    <div className="relative flex min-w-0 flex-1 flex-col">
      <EventList
        // Other rows need a fresh list, which opens at the selected row.
        key={[view.tab, view.isEveryEvent, rows.isFiltered, ...view.chips].join(' ')}
        rows={listed}
        nothing={nothing}
        gap={head}
        notesOn={(seqs) => annotationsOn(session.annotations, seqs).length}
        matched={view.isOnlyMatches ? NOTHING_FOUND : rows.search.keys}
        isFollowing={isFollowing}
        selectedKey={selected?.key ?? null}
        zone={zone}
        buildHref={(seq) => withPrefix(eventPath(head.id, seq))}
        onSelect={act.select}
        onScrollUp={act.scrollUp}
      />
      {index.error === null ? null : <LoadProblem why={index.error} onRetry={index.retry} />}
      {follow.fresh > 0 ? <NewEventsPill count={follow.fresh} onShow={act.toNow} /> : null}
    </div>
  )
}
