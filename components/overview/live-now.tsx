// Sessions that run now, newest first.
import type { inferRouterOutputs } from '@trpc/server'
import Link from 'next/link'
import type { AppRouter } from '@/server/trpc/root.ts'
import { Card, CardHeader } from '../ui/card.tsx'
import { shortId } from '../ui/copy.tsx'
import { StatusText } from '../ui/status-badge.tsx'
import { Cell, HeadCell, Row, Table } from '../ui/table.tsx'
import { Ago, Countdown } from '../ui/time.tsx'

type Overview = inferRouterOutputs<AppRouter>['overview']['get']

export function LiveNow({ sessions }: { readonly sessions: Overview['live'] }) {
  return (
    <Card>
      <CardHeader
        title="Live now"
        actions={
          <Link href="/sessions" className="text-link">
            All sessions
          </Link>
        }
      />
      {sessions.length === 0 ? (
        <p className="px-3 py-3 text-text-2">No session is running.</p>
      ) : (
        <Table>
          <thead>
            <tr>
              <HeadCell>Prompt</HeadCell>
              <HeadCell>Session</HeadCell>
              <HeadCell>Plan</HeadCell>
              <HeadCell>Deadline</HeadCell>
              <HeadCell>Denied</HeadCell>
              <HeadCell>Stops</HeadCell>
              <HeadCell>Last event</HeadCell>
            </tr>
          </thead>
          <tbody>
            {sessions.map((session) => (
              <Row key={session.id}>
                <Cell className="font-medium">
                  <Link href={`/sessions/${session.id}`}>
                    {session.ns}/{session.key}
                  </Link>
                </Cell>
                <Cell>
                  <code className="text-text-2">{shortId(session.id)}</code>
                </Cell>
                <Cell>
                  {session.planTotal === null
                    ? '–'
                    : `${session.planDone ?? 0}/${session.planTotal}`}
                </Cell>
                <Cell>
                  {session.deadlineAt === null ? '–' : <Countdown until={session.deadlineAt} />}
                </Cell>
                <Cell>{session.denied}</Cell>
                <Cell>
                  {session.stopsBlocked > 0 ? (
                    <StatusText status="blocked">{`blocked ×${session.stopsBlocked}`}</StatusText>
                  ) : (
                    '–'
                  )}
                </Cell>
                <Cell className="text-text-2">
                  {session.lastEventText ?? ''} · <Ago at={session.lastEventAt} />
                </Cell>
              </Row>
            ))}
          </tbody>
        </Table>
      )}
    </Card>
  )
}
