// The list of sessions.
'use client'

import { countText } from '@signalbox/core/analysis'
import { parseAsBoolean, parseAsString, useQueryState } from 'nuqs'
import { useRef, useState } from 'react'
import { ExportLinks } from '@/components/kit/list/export-links.tsx'
import { Refused } from '@/components/kit/list/filter-box.tsx'
import { FreshBar } from '@/components/kit/list/fresh-bar.tsx'
import type { Peeking } from '@/components/kit/list/peek-action.ts'
import { type Marks, useMarks } from '@/components/kit/list/use-marks.ts'
import { SavedViews } from '@/components/saved-views/saved-views.tsx'
import { ImportSession } from '@/components/sessions/import-session.tsx'
import { NothingListed } from '@/components/sessions/nothing-listed.tsx'
import {
  type FilterState,
  type Opening,
  useSessionFilter,
} from '@/components/sessions/session-filter.ts'
import { SessionFilters } from '@/components/sessions/session-filters.tsx'
import { SessionPeek } from '@/components/sessions/session-peek.tsx'
import { SessionRows } from '@/components/sessions/session-rows.tsx'
import { useSessionKeys } from '@/components/sessions/use-session-keys.ts'
import { type LiveSessions, useSessionList } from '@/components/sessions/use-session-list.ts'
import { useGo, writesAddress } from '@/components/shell/address.ts'
import { Button } from '@/components/ui/button.tsx'
import { Link } from '@/components/ui/link.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'

export function SessionsPage(props: Opening) {
  // What ran when the page was opened decides for as long as it is open.
  const [opening] = useState(props)
  const state = useSessionFilter(opening)
  const search = useRef<HTMLInputElement>(null)
  return (
    <div className="flex h-[calc(100dvh-3.5rem)] min-h-0 flex-col sm:h-full">
      <PageHeader
        title="Sessions"
        facts="Every agent run, newest first"
        actions={
          <>
            <SavedViews list="sessions" />
            <ImportSession />
            {state.problem === null ? (
              <ExportLinks
                path="/api/export/sessions"
                query={{ order: state.order, filter: state.filter }}
              />
            ) : null}
          </>
        }
      />
      <SessionFilters state={state} isLiveFirst={opening.isLiveFirst} search={search} />
      {state.problem === null ? null : <Refused />}
      {/* Another filter is another list: nothing of the former one is patched into it. */}
      {state.problem === null ? (
        <FilteredSessions
          key={JSON.stringify([state.filter, state.order])}
          state={state}
          search={search}
        />
      ) : null}
    </div>
  )
}

function useChosen() {
  const [row, setRow] = useQueryState('row', parseAsString)
  const [peek, setPeek] = useQueryState('peek', parseAsBoolean.withDefault(false))
  const go = useGo()
  return {
    row,
    isPeeking: peek,
    choose: (id: string): void => writesAddress(setRow(id)),
    go,
    setPeeking: (isPeeking: boolean): void => void setPeek(isPeeking || null),
  }
}

const NONE: readonly never[] = []

interface FilteredProps {
  readonly state: FilterState
  readonly search: React.RefObject<HTMLInputElement | null>
}

function FilteredSessions({ state, search }: FilteredProps) {
  const list = useSessionList(state.filter, state.order)
  const { row, isPeeking, choose, go, setPeeking } = useChosen()
  const marks = useMarks()
  const wantsFocus = useRef(false)
  const sessions = list.sessions ?? NONE
  const peek: Peeking = {
    shown: isPeeking ? row : null,
    show: (id) => {
      if (id !== null) choose(id)
      setPeeking(id !== null)
    },
  }
  const peeked = sessions.find(({ id }) => id === peek.shown)
  const togglePeek = (): void => {
    const first = sessions[0]
    if (row === null && first !== undefined) choose(first.id)
    setPeeking(!isPeeking)
  }
  useSessionKeys({
    ...{ sessions, chosen: row, wantsFocus, search, choose, go, togglePeek },
    closePeek: () => setPeeking(false),
    marks,
    showFresh: list.showFresh,
  })
  return (
    <>
      <FreshBar fresh={list.fresh} noun="session" onShow={list.showFresh} />
      <div className="flex min-h-0 flex-1">
        <Content {...{ list, state, marks, peek, wantsFocus }} chosen={row} />
        {peeked === undefined ? null : (
          <SessionPeek session={peeked} onClose={() => setPeeking(false)} />
        )}
      </div>
      {sessions.length === 0 ? null : (
        <Foot list={list} marked={marks.ids} onUnmark={marks.clear} />
      )}
    </>
  )
}

interface ContentProps {
  readonly list: LiveSessions
  readonly state: FilterState
  readonly chosen: string | null
  readonly marks: Marks
  readonly peek: Peeking
  readonly wantsFocus: React.RefObject<boolean>
}

function Content({ list, state, ...rows }: ContentProps) {
  const [, setEnvironment] = useQueryState('env', parseAsString)
  const { sessions, error } = list
  if (sessions === undefined) {
    if (error === null) return <SkeletonRows />
    return <ErrorState what="The sessions could not be loaded." why={error} onRetry={list.retry} />
  }
  if (sessions.length === 0) {
    return <NothingListed state={state} onEveryEnvironment={() => void setEnvironment(null)} />
  }
  return (
    <SessionRows
      {...rows}
      sessions={sessions}
      total={list.total === null || list.total > MOST_COUNTED ? null : list.total}
      onNearEnd={list.loadMore}
    />
  )
}

/** As the server counts (server/sessions/session-list.sql.ts). */
const MOST_COUNTED = 10_000

function totalText({ total, sessions, hasMore }: LiveSessions): string {
  const shown = sessions?.length ?? 0
  if (!hasMore) return `${countText(shown)} total`
  if (total === null) return `${countText(shown)} shown, more available`
  const of = total > MOST_COUNTED ? `${countText(MOST_COUNTED)}+` : countText(total)
  return `${countText(shown)} of ${of}`
}

interface FootProps {
  readonly list: LiveSessions
  readonly marked: ReadonlySet<string>
  readonly onUnmark: () => void
}

function Foot({ list, marked, onUnmark }: FootProps) {
  const [a, b] = [...marked]
  return (
    <footer className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-border border-t bg-surface px-4 py-1.5 text-small text-text-2">
      <span className="tabular-nums">{totalText(list)}</span>
      {list.error === null ? null : (
        <span role="alert">The list is as it was: {list.error.message}</span>
      )}
      {marked.size === 0 ? (
        <span className="max-sm:hidden">
          Enter opens · Space peeks · y explains · x marks · c copies a link
        </span>
      ) : (
        <>
          <span>{marked.size} marked</span>
          {marked.size === 2 ? (
            <Link href={`/sessions/compare?a=${a}&b=${b}`} className="text-link underline">
              Compare
            </Link>
          ) : (
            <span>mark two to compare</span>
          )}
          <Button onClick={onUnmark}>Unmark</Button>
        </>
      )}
    </footer>
  )
}
