// Ten running sessions: values change in place, new sessions wait for the reader unless the list is empty.
'use client'

import { ArrowUp } from 'lucide-react'
import { useState } from 'react'
import {
  ActivityText,
  LastEvent,
  LastStop,
  planText,
  TimeText,
  VersionText,
} from '@/components/sessions/session-cells.tsx'
import { useSessionList } from '@/components/sessions/use-session-list.ts'
import { useLinkTo } from '@/components/shell/environment-switcher.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorState, Skeleton } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'

const MOST = 10

export function RunningNow({ environment }: { readonly environment: string | undefined }) {
  const [filter] = useState(() => ({
    status: 'running' as const,
    ...(environment === undefined ? {} : { environment }),
  }))
  const list = useSessionList(filter, 'started')
  const linkTo = useLinkTo()
  return (
    <Card>
      <CardHeader
        title="Running now"
        actions={
          <span className="inline-flex items-center gap-3">
            {list.fresh > 0 ? (
              <Button onClick={list.showFresh}>
                <ArrowUp size={14} aria-hidden /> {list.fresh} new · show
              </Button>
            ) : null}
            <Link href={linkTo('/sessions')} className="text-link">
              All sessions
            </Link>
          </span>
        }
      />
      <Rows list={list} />
    </Card>
  )
}

function Rows({ list }: { readonly list: ReturnType<typeof useSessionList> }) {
  const { rows: sessions, error } = list
  if (sessions === undefined) {
    return error === null ? (
      <Skeleton className="m-3 h-16" />
    ) : (
      <ErrorState what="The running sessions could not be read." why={error} onRetry={list.retry} />
    )
  }
  if (sessions.length === 0) {
    return <p className="px-3 py-3 text-text-2">No session is running.</p>
  }
  return (
    <Table isStacked>
      <thead>
        <tr>
          <HeadCell>Status</HeadCell>
          <HeadCell>Prompt</HeadCell>
          <HeadCell>Config</HeadCell>
          <HeadCell>Plan</HeadCell>
          <HeadCell>Time</HeadCell>
          <HeadCell className="text-right">Denied</HeadCell>
          <HeadCell>Last stop</HeadCell>
          <HeadCell>Last event</HeadCell>
        </tr>
      </thead>
      <tbody>
        {sessions.slice(0, MOST).map((session) => (
          <Row key={session.id} className="focus-within:bg-row-selected">
            <Cell>
              <ActivityText session={session} />
            </Cell>
            <Cell>
              <Link data-row href={`/sessions/${session.id}`} className="font-medium text-link">
                {session.ns}/{session.key}
              </Link>
            </Cell>
            <Cell className="stacked:hidden">
              <VersionText session={session} />
            </Cell>
            <Cell className="tabular-nums stacked:hidden">{planText(session)}</Cell>
            <Cell label="Time" className="tabular-nums">
              <TimeText session={session} />
            </Cell>
            <Cell label="Denied" className="text-right tabular-nums">
              {session.denied}
            </Cell>
            <Cell className="stacked:hidden">
              <LastStop session={session} />
            </Cell>
            <Cell label="Last event" className="max-w-64 text-text-2">
              <LastEvent session={session} />
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  )
}
