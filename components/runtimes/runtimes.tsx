'use client'
// Is every connected process running what I think it is?
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import { useCallback } from 'react'
import type { AppRouter } from '@/server/trpc/root.ts'
import { harnessText } from '../enforcement/harness-text.ts'
import { useHints } from '../live/use-hints.ts'
import { useEnvironment } from '../shell/environment-switcher.tsx'
import { useTRPC } from '../trpc-provider.tsx'
import { Card } from '../ui/card.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../ui/states.tsx'
import { type Status, StatusText } from '../ui/status-badge.tsx'
import { Cell, HeadCell, Row, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'

type Runtime = inferRouterOutputs<AppRouter>['runtimes']['list'][number]

interface Shown {
  readonly status: Status
  readonly words: string
}

/** What matters most of a runtime, in one status. */
function shownState(runtime: Runtime): Shown {
  if (runtime.connection !== 'connected')
    return { status: runtime.connection, words: runtime.connection }
  switch (runtime.sync) {
    case 'in_sync':
      return { status: 'in_sync', words: 'in sync' }
    case 'rejected':
      return {
        status: 'rejected',
        words: `rejected: ${runtime.rejectedReason ?? 'no reason given'}`,
      }
    case 'ahead':
      return { status: 'ahead', words: 'ahead' }
    case 'behind':
      return {
        status: 'behind',
        words: `${runtime.expectedRevision - (runtime.appliedRevision ?? 0)} behind`,
      }
    case 'nothing_applied':
      return { status: 'behind', words: 'nothing applied' }
    default:
      return runtime.sync satisfies never
  }
}

export function Runtimes() {
  const trpc = useTRPC()
  const environment = useEnvironment()
  const options = trpc.runtimes.list.queryOptions(environment === undefined ? {} : { environment })
  const query = useQuery({ ...options, refetchInterval: 5000 })
  const client = useQueryClient()
  const refresh = useCallback(
    () => void client.invalidateQueries({ queryKey: trpc.runtimes.list.queryKey() }),
    [client, trpc],
  )
  useHints({ kind: 'runtime' }, refresh)
  const rows = query.data ?? []
  const behind = rows.filter(
    (row) => row.connection === 'connected' && row.sync !== 'in_sync',
  ).length
  return (
    <>
      <PageHeader
        title="Runtimes"
        facts={<span>{`${rows.length} seen in 7 days · ${behind} not in sync`}</span>}
      />
      <div className="p-4">
        <Card>
          {query.isError && (
            <ErrorState
              what="The runtimes could not be loaded."
              why={query.error.message}
              onRetry={() => void query.refetch()}
            />
          )}
          {query.isPending && <SkeletonRows />}
          {query.isSuccess && rows.length === 0 && (
            <EmptyState title="No runtime has connected yet.">
              A runtime appears here when an agent calls <code>createGuardrails</code> with a key
              from Settings.
            </EmptyState>
          )}
          {rows.length > 0 && <RuntimeTable rows={rows} />}
        </Card>
      </div>
    </>
  )
}

/** As the runtime named it when it registered. */
function harnessOf({ harness }: Runtime): string {
  const { name, version } = harness
  if (typeof name !== 'string') return '–'
  return harnessText(typeof version === 'string' ? { name, version } : { name })
}

function RuntimeTable({ rows }: { readonly rows: readonly Runtime[] }) {
  return (
    <Table>
      <thead>
        <tr>
          <HeadCell>Name</HeadCell>
          <HeadCell>Environment</HeadCell>
          <HeadCell>Prompts</HeadCell>
          <HeadCell>Harness</HeadCell>
          <HeadCell>SDK</HeadCell>
          <HeadCell>Applied / expected</HeadCell>
          <HeadCell>Source</HeadCell>
          <HeadCell>Heartbeat</HeadCell>
          <HeadCell>Sessions</HeadCell>
          <HeadCell>State</HeadCell>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const { status, words } = shownState(row)
          return (
            <Row key={row.id}>
              <Cell className="font-medium" title={row.id}>
                {row.name}
              </Cell>
              <Cell>{row.environment}</Cell>
              <Cell>
                <code>{row.prompts.join(', ')}</code>
              </Cell>
              <Cell>{harnessOf(row)}</Cell>
              <Cell>{row.sdkVersion}</Cell>
              <Cell className="font-mono text-mono">
                {row.appliedRevision ?? '–'} / {row.expectedRevision}
              </Cell>
              <Cell>{row.appliedSource ?? '–'}</Cell>
              <Cell>
                <Ago at={row.lastSeenAt} />
              </Cell>
              <Cell>{row.liveSessions}</Cell>
              <Cell title={words}>
                <StatusText status={status}>{words}</StatusText>
              </Cell>
            </Row>
          )
        })}
      </tbody>
    </Table>
  )
}
