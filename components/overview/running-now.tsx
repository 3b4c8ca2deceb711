// Eight running sessions: values change in place, new sessions wait for the reader unless the list is empty. Blocked ones are first.
'use client'

import { countText } from '@signalbox/core/analysis'
import { useEffect, useEffectEvent, useState } from 'react'
import {
  ActivityText,
  LastEventText,
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
import { Ago } from '@/components/ui/time.tsx'
import type { SessionFacts } from '@/server/sessions/session-columns.sql.ts'
import { runningText } from './figure-set.ts'

const MOST = 8

/** Sessions that ended are left out; those that became blocked move up. */
function listShown(rows: readonly SessionFacts[]): readonly SessionFacts[] {
  const running = rows.filter(({ status }) => status === 'running')
  const isBlocked = ({ activity }: SessionFacts): boolean => activity === 'blocked'
  return [...running.filter(isBlocked), ...running.filter((row) => !isBlocked(row))].slice(0, MOST)
}

export function RunningNow({
  environment,
  running,
  countedAt,
}: {
  readonly environment: string | undefined
  /** Undefined: not loaded. */
  readonly running: number | undefined
  /** Epoch ms of the count. */
  readonly countedAt: number
}) {
  const [filter] = useState(() => ({
    status: 'running' as const,
    ...(environment === undefined ? {} : { environment }),
  }))
  const list = useSessionList(filter, 'urgent')
  const { fresh, rows } = list
  const shown = rows && listShown(rows)
  const linkTo = useLinkTo()
  const count = running !== undefined && running > 0 ? running : null
  const waiting = shown?.length === 0 ? 0 : fresh.count
  const isShort =
    shown !== undefined && count !== null && shown.length < Math.min(MOST, count - waiting)
  const refill = useEffectEvent(() => list.retry())
  // Once for each count, because the list may be newer than the count.
  useEffect(() => {
    if (isShort && countedAt > 0) refill()
  }, [isShort, countedAt])
  return (
    <Card className="min-w-0">
      <CardHeader
        title={<span className="whitespace-nowrap">Running now</span>}
        aside={
          count === null
            ? undefined
            : `${runningText(count)} ${count === 1 ? 'session' : 'sessions'} · blocked first`
        }
        actions={
          <span className="inline-flex items-center gap-3">
            {waiting > 0 ? (
              <Button onClick={fresh.show}>{countText(waiting)} new, show</Button>
            ) : null}
            <Link href={linkTo('/sessions?status=running')} className="text-link">
              {count === null ? 'All sessions' : `All ${runningText(count)} running`}
            </Link>
          </span>
        }
      />
      <Rows list={list} sessions={shown} />
    </Card>
  )
}

function Rows({
  list: { error, retry },
  sessions,
}: {
  readonly list: ReturnType<typeof useSessionList>
  /** Undefined: not loaded. */
  readonly sessions: readonly SessionFacts[] | undefined
}) {
  if (sessions === undefined) {
    return error === null ? (
      <Skeleton className="m-3 h-16" />
    ) : (
      <ErrorState what="The running sessions could not be loaded." why={error} onRetry={retry} />
    )
  }
  if (sessions.length === 0) {
    return (
      <p className="px-3 py-3 text-text-2">
        No session is running. A session appears here when an agent starts.{' '}
        <Link href="/runtimes?connect=claude-code" className="text-link hover:underline">
          Connect an agent
        </Link>
      </p>
    )
  }
  return (
    <Table
      isStacked
      className="[&_td]:h-8 stacked:[&_tr]:grid stacked:[&_tr]:grid-cols-[1fr_auto] stacked:[&_td]:h-auto"
    >
      <thead>
        <tr>
          <HeadCell>Activity</HeadCell>
          <HeadCell>Prompt</HeadCell>
          <HeadCell className="text-right">Plan</HeadCell>
          <HeadCell>Time left</HeadCell>
          <HeadCell>Latest event</HeadCell>
          <HeadCell className="text-right">Age</HeadCell>
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <Row key={session.id} className="focus-within:bg-row-selected">
            <Cell className="stacked:order-2">
              <ActivityText session={session} />
            </Cell>
            <Cell className="max-w-56 truncate stacked:order-1">
              <Link data-row href={`/sessions/${session.id}`} className="font-medium">
                {session.ns}/{session.key}
              </Link>{' '}
              <span className="font-mono text-mono">
                <VersionText session={session} />
              </span>
            </Cell>
            <Cell className="text-right tabular-nums stacked:hidden">{planText(session)}</Cell>
            <Cell className="tabular-nums stacked:hidden">
              {session.deadlineAt === null ? '–' : <TimeText session={session} />}
            </Cell>
            <Cell className="max-w-56 text-text-2 stacked:order-3 stacked:text-small">
              <LastEventText session={session} />
            </Cell>
            <Cell className="text-right text-text-2 stacked:order-4 stacked:text-small">
              <Ago at={session.lastEventAt} />
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  )
}
