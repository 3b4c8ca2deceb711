// Settings › Event log: what the log holds, and the acknowledged events that were not stored.
'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { SettingsFrame } from '@/components/shell/settings-frame.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { bytesText } from '@/components/ui/bytes-text.ts'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { durationText, Timestamp } from '@/components/ui/time.tsx'
import type { AppRouter } from '@/server/trpc/root.ts'

type Outputs = inferRouterOutputs<AppRouter>['eventLog']
type State = NonNullable<Outputs['state']>
type Letter = Outputs['deadLetters']['listed'][number]

const STATE_EVERY_MS = 5_000

export function EventLogSettings() {
  const state = useLogState()
  const letters = useDeadLetters()
  return (
    <SettingsFrame
      facts={
        state.data === undefined || letters.data === undefined
          ? undefined
          : describeLog(state.data, letters.data.letters)
      }
    >
      <StateCard query={state} />
      <LettersCard query={letters} />
    </SettingsFrame>
  )
}

function useLogState() {
  const trpc = useTRPC()
  return useQuery({ ...trpc.eventLog.state.queryOptions(), refetchInterval: STATE_EVERY_MS })
}

function useDeadLetters() {
  const trpc = useTRPC()
  const environment = useEnvironment()
  return useQuery(
    trpc.eventLog.deadLetters.queryOptions(environment === undefined ? {} : { environment }),
  )
}

function describeLog(state: Outputs['state'], letters: number): string {
  const dead = plural(letters, 'dead letter')
  if (state === null) return `Events are stored without an event log; ${dead}.`
  const { batches } = state
  return `${plural(batches, 'batch')} ${batches === 1 ? 'waits' : 'wait'} to be stored; ${dead}.`
}

function StateCard({ query }: { readonly query: ReturnType<typeof useLogState> }) {
  return (
    <Card>
      <CardHeader title="Event log" aside="shared by all projects" />
      {query.isPending && <SkeletonRows />}
      {query.isError && (
        <ErrorState
          what="The state of the event log could not be loaded."
          why={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.data === null && (
        <EmptyState title="This installation has no event log.">
          Events are stored in the database before they are acknowledged. With{' '}
          <code>SIGNALBOX_EVENT_LOG</code>, replicated servers hold them while the database cannot
          be reached or is busy.
        </EmptyState>
      )}
      {query.data && <StateLines state={query.data} />}
    </Card>
  )
}

function StateLines({ state }: { readonly state: State }) {
  const { problem, weakness, lagMs, batches, bytes, mostBytes } = state
  return (
    <ul className="flex flex-col gap-1.5 px-3 py-3">
      <li>
        {problem === null ? (
          <StatusText status="working">takes events</StatusText>
        ) : (
          <StatusText status="rejected">{problem}</StatusText>
        )}
      </li>
      {weakness === null ? null : (
        <li>
          <StatusText status="caution">
            {`Acknowledged events may be lost when its servers lose power: ${weakness}.`}
          </StatusText>
        </li>
      )}
      <li className="text-text-2">
        {batches === 0
          ? 'Everything is stored in the database.'
          : `${plural(batches, 'batch')} not stored yet, the oldest for ${durationText(lagMs)}`}{' '}
        · {bytesText(bytes)} of {bytesText(mostBytes)}
      </li>
    </ul>
  )
}

function LettersCard({ query }: { readonly query: ReturnType<typeof useDeadLetters> }) {
  const { data } = query
  return (
    <Card>
      <CardHeader
        title="Dead letters"
        aside={
          data === undefined || data.letters <= data.listed.length
            ? 'acknowledged events that were not stored, newest first'
            : `the newest ${data.listed.length} of ${countText(data.letters)}`
        }
      />
      {query.isPending && <SkeletonRows />}
      {query.isError && (
        <ErrorState
          what="The dead letters could not be loaded."
          why={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {data?.listed.length === 0 && (
        <EmptyState title="No dead letters.">
          Events appear here when they were acknowledged by the event log and then refused, for
          example because their API key was revoked meanwhile.
        </EmptyState>
      )}
      {data !== undefined && data.listed.length > 0 && <LetterTable letters={data.listed} />}
    </Card>
  )
}

function LetterTable({ letters }: { readonly letters: readonly Letter[] }) {
  return (
    <Table isStacked>
      <thead>
        <tr>
          <HeadCell>Acknowledged</HeadCell>
          <HeadCell>Environment</HeadCell>
          <HeadCell>API key</HeadCell>
          <HeadCell>Events</HeadCell>
          <HeadCell>Reason</HeadCell>
          <HeadCell>Content</HeadCell>
        </tr>
      </thead>
      <tbody>
        {letters.map((letter) => (
          <Row key={letter.id}>
            <Cell>
              <Timestamp at={letter.acceptedAt} style="second" />
            </Cell>
            <Cell label="Environment">{letter.environment}</Cell>
            <Cell label="API key">{letter.keyName ?? '–'}</Cell>
            <Cell label="Events">
              <Events letter={letter} />
            </Cell>
            <Cell label="Reason">
              {letter.detail} <code className="text-text-3">{letter.reason}</code>
            </Cell>
            <Cell label="Content">
              <details>
                <summary>Show</summary>
                <pre className="max-h-60 overflow-auto whitespace-pre-wrap break-all text-small">
                  {letter.text}
                </pre>
              </details>
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  )
}

function Events({ letter: { sessionId, seq, events } }: { readonly letter: Letter }) {
  if (sessionId === null) return countText(events)
  return (
    <Link href={`/sessions/${sessionId}`} className="text-link underline">
      event {seq}
    </Link>
  )
}
