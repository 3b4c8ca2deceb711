'use client'

import { omitUndefined } from '@signalbox/core'
import { countText } from '@signalbox/core/analysis'
import { useQueries } from '@tanstack/react-query'
import { parseAsString, useQueryState } from 'nuqs'
import { type RefObject, useRef, useState } from 'react'
import { AGAIN_MS } from '@/components/analytics/use-analytics-view.ts'
import { ListBody, type PeekPartProps } from '@/components/kit/list/list-body.tsx'
import { ListPage } from '@/components/kit/list/list-page.tsx'
import { useChosenRow } from '@/components/kit/list/use-row-place.ts'
import { SavedViews } from '@/components/saved-views/saved-views.tsx'
import { ImportSession } from '@/components/sessions/import-session.tsx'
import { NoSessions } from '@/components/sessions/no-sessions.tsx'
import { SESSION_FACE } from '@/components/sessions/session-face.tsx'
import {
  type FilterState,
  type Opening,
  useSessionFilter,
} from '@/components/sessions/session-filter.ts'
import { SessionFilters } from '@/components/sessions/session-filters.tsx'
import { SessionPeek } from '@/components/sessions/session-peek.tsx'
import { useSessionList } from '@/components/sessions/use-session-list.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import type { SessionFacts } from '@/server/sessions/session-columns.sql.ts'
import { MOST_COUNTED } from '@/server/sessions/sessions.list.ts'

export function SessionsPage(props: Opening) {
  // The initial props stay in force while the page is open.
  const [opening] = useState(props)
  const state = useSessionFilter(opening)
  const search = useRef<HTMLInputElement>(null)
  return (
    <ListPage
      face={SESSION_FACE}
      title="Sessions"
      facts={<Facts state={state} />}
      views={<SavedViews list="sessions" />}
      actions={<ImportSession />}
      exportPath="/api/export/sessions"
      state={state}
      filters={<SessionFilters state={state} search={search} />}
    >
      <Sessions state={state} search={search} />
    </ListPage>
  )
}

const PLACE: ReadonlySet<string> = new Set(['environment', 'since', 'until'])

function totalText(total: number): string {
  return `${countText(Math.min(total, MOST_COUNTED))}${total > MOST_COUNTED ? '+' : ''}`
}

/** Counts all sessions of the environment and the range; with a further filter, also those that match it. */
function Facts({ state: { filter } }: { readonly state: FilterState }) {
  const trpc = useTRPC()
  const { environment, since, until } = filter
  const place = omitUndefined({ environment, since, until })
  const isFiltered = Object.keys(filter).some((part) => !PLACE.has(part))
  const [all, part] = useQueries({
    queries: [place, isFiltered ? filter : { ...place, status: 'running' as const }].map(
      (counted) =>
        trpc.sessions.total.queryOptions({ filter: counted }, { refetchInterval: AGAIN_MS }),
    ),
    combine: (answers) => answers.map(({ data }) => data),
  })
  if (all === undefined || part === undefined) return '\u00a0'
  if (isFiltered)
    return `${totalText(part)} of ${totalText(all)} ${all === 1 ? 'session matches' : 'sessions match'} the filter`
  return `${totalText(all)} ${all === 1 ? 'session' : 'sessions'}, ${countText(part)} running`
}

function Peeked({ row, onClose }: PeekPartProps<SessionFacts>) {
  return row === undefined ? null : <SessionPeek session={row} onClose={onClose} />
}

function Sessions({
  state,
  search,
}: {
  readonly state: FilterState
  readonly search: RefObject<HTMLInputElement | null>
}) {
  const { filter, order } = state
  const list = useSessionList(filter, order)
  const [, setEnvironment] = useQueryState('env', parseAsString)
  return (
    <ListBody
      face={SESSION_FACE}
      list={list}
      place={useChosenRow()}
      order={order}
      onOrder={state.onOrder}
      search={search}
      Peek={Peeked}
      empty={<NoSessions state={state} onEveryEnvironment={() => void setEnvironment(null)} />}
    />
  )
}
