// Why do agents not get to stop? By reason first: four hundred blocked stops are a handful of reasons.
'use client'

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs'
import { useMemo } from 'react'
import { useHints } from '@/components/live/use-hints.ts'
import { ChoiceChips } from '@/components/sessions/choice-chips.tsx'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { useTRPC } from '@/components/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Ago, Timestamp } from '@/components/ui/time.tsx'
import type { StopFacts, StopFilter, StopGroup } from '@/server/read-models/stop-list.ts'
import { stopHeadline, viaText } from './stop-headline.ts'

const VERDICTS = [
  { value: 'blocked', label: 'Blocked' },
  { value: 'bypassed', label: 'Bypassed' },
  { value: 'error', label: 'Error' },
  { value: 'no_checker', label: 'No checker' },
  { value: 'allowed', label: 'Allowed' },
] as const

const VIEWS = [
  { value: 'reasons', label: 'By reason' },
  { value: 'all', label: 'One by one' },
] as const

const PARSERS = {
  verdict: parseAsStringLiteral(VERDICTS.map(({ value }) => value)),
  by: parseAsStringLiteral(VIEWS.map(({ value }) => value)).withDefault('reasons'),
  code: parseAsString,
}

function useFilter() {
  const environment = useEnvironment()
  const [view, set] = useQueryStates(PARSERS)
  const { verdict, code } = view
  const filter = useMemo<StopFilter>(
    () => ({
      ...(environment === undefined ? {} : { environment }),
      ...(verdict === null ? {} : { verdict }),
      ...(code === null ? {} : { code }),
    }),
    [environment, verdict, code],
  )
  return { view, set, filter }
}

export function StopsPage() {
  const { view, set, filter } = useFilter()
  return (
    <>
      <PageHeader title="Stops" />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-border border-b bg-surface-2 px-4 py-1.5">
        <ChoiceChips
          label="View"
          choices={VIEWS}
          value={view.by}
          onChange={(by) => void set({ by: by ?? (view.by === 'all' ? 'reasons' : 'all') })}
        />
        <ChoiceChips
          label="Verdict"
          choices={VERDICTS}
          value={view.verdict}
          onChange={(verdict) => void set({ verdict })}
        />
        {view.code === null ? null : (
          <Button onClick={() => void set({ code: null })}>
            Remove <code>{view.code}</code>
          </Button>
        )}
      </div>
      {view.by === 'reasons' ? <Groups filter={filter} /> : <Every filter={filter} />}
    </>
  )
}

function Groups({ filter }: { readonly filter: StopFilter }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.stops.groups.queryOptions({ filter }))
  useHints({ kind: 'session' }, () => void query.refetch({ cancelRefetch: false }))
  if (query.data === undefined) {
    if (query.error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The stops could not be loaded."
        why={query.error.message}
        onRetry={() => void query.refetch()}
      />
    )
  }
  if (query.data.length === 0) return <Nothing filter={filter} />
  return (
    <div className="bg-surface">
      <Table>
        <thead>
          <tr>
            <HeadCell>Verdict</HeadCell>
            <HeadCell>Reason</HeadCell>
            <HeadCell className="text-right">Stops</HeadCell>
            <HeadCell className="text-right">Sessions</HeadCell>
            <HeadCell className="text-right">Allowed later</HeadCell>
            <HeadCell>First</HeadCell>
            <HeadCell>Last</HeadCell>
          </tr>
        </thead>
        <tbody>
          {query.data.map((group) => (
            <GroupRow key={`${group.verdict} ${group.code}`} group={group} />
          ))}
        </tbody>
      </Table>
    </div>
  )
}

function GroupRow({ group }: { readonly group: StopGroup }) {
  const { status, word } = stopHeadline(group)
  const every = `/stops?by=all&verdict=${group.verdict}&code=${encodeURIComponent(group.code)}`
  const released = group.verdict === 'blocked' || group.verdict === 'error'
  return (
    <Row>
      <Cell>
        <StatusText status={status}>{word}</StatusText>
      </Cell>
      <Cell className="max-w-md" title={group.reason}>
        <Link className="font-medium text-link" href={`/stops/${group.newestId}`}>
          {group.reason}
        </Link>{' '}
        <code className="font-mono text-mono text-text-3">{group.code}</code>
      </Cell>
      <Cell className="text-right tabular-nums">
        <Link className="text-link" href={every}>
          {group.stops}
        </Link>
      </Cell>
      <Cell className="text-right tabular-nums">{group.sessions}</Cell>
      <Cell className="text-right tabular-nums">
        {released ? `${group.allowedLater} of ${group.sessions}` : '–'}
      </Cell>
      <Cell>
        <Timestamp at={group.firstAt} style="second" />
      </Cell>
      <Cell>
        <Ago at={group.lastAt} />
      </Cell>
    </Row>
  )
}

function Every({ filter }: { readonly filter: StopFilter }) {
  const trpc = useTRPC()
  const query = useInfiniteQuery(
    trpc.stops.list.infiniteQueryOptions(
      { filter },
      { getNextPageParam: (page) => page.nextCursor },
    ),
  )
  const stops = query.data?.pages.flatMap((page) => page.stops)
  if (stops === undefined) {
    if (query.error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The stops could not be loaded."
        why={query.error.message}
        onRetry={() => void query.refetch()}
      />
    )
  }
  if (stops.length === 0) return <Nothing filter={filter} />
  return (
    <div className="bg-surface">
      <Table>
        <thead>
          <tr>
            <HeadCell>Time</HeadCell>
            <HeadCell>Verdict</HeadCell>
            <HeadCell>Reason</HeadCell>
            <HeadCell>Prompt</HeadCell>
            <HeadCell>Session</HeadCell>
            <HeadCell className="text-right">Attempt</HeadCell>
            <HeadCell>At</HeadCell>
          </tr>
        </thead>
        <tbody>
          {stops.map((stop) => (
            <StopRow key={stop.id} stop={stop} />
          ))}
        </tbody>
      </Table>
      {query.hasNextPage ? (
        <div className="px-4 py-2">
          <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show 100 more
          </Button>
        </div>
      ) : null}
    </div>
  )
}

function StopRow({ stop }: { readonly stop: StopFacts }) {
  const { status, word } = stopHeadline(stop)
  return (
    <Row>
      <Cell>
        <Timestamp at={stop.at} style="second" />
      </Cell>
      <Cell>
        <StatusText status={status}>{word}</StatusText>
      </Cell>
      <Cell className="max-w-md" title={stop.reason}>
        <Link className="font-medium text-link" href={`/stops/${stop.id}`}>
          {stop.reason}
        </Link>
      </Cell>
      <Cell>
        {stop.ns}/{stop.key}
      </Cell>
      <Cell>
        <Link
          className="font-mono text-link text-mono"
          href={`/sessions/${stop.sessionId}?e=${stop.seq}`}
        >
          {shortId(stop.sessionId)}
        </Link>
      </Cell>
      <Cell className="text-right tabular-nums">{stop.via === 'final' ? '–' : stop.attempt}</Cell>
      <Cell>{viaText(stop.via)}</Cell>
    </Row>
  )
}

function Nothing({ filter }: { readonly filter: StopFilter }) {
  const isFiltered = Object.keys(filter).length > 0
  return (
    <EmptyState
      title={isFiltered ? 'No stop matches the filter.' : 'No agent has tried to stop yet.'}
    />
  )
}
