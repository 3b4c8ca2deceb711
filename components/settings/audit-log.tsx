'use client'
// The audit log: who changed what, newest first. A record: times are absolute, nothing here can be edited.
import { useInfiniteQuery } from '@tanstack/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import { useState } from 'react'
import type { AppRouter } from '@/server/trpc/root.ts'
import { useTRPC } from '../trpc-provider.tsx'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader, KeyValueList } from '../ui/card.tsx'
import { IdChip } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '../ui/table.tsx'
import { Timestamp } from '../ui/time.tsx'
import { changeText } from './audit-change.ts'
import { SettingsFrame } from './settings-frame.tsx'

type Entry = inferRouterOutputs<AppRouter>['members']['auditLog']['entries'][number]

/** `member.role_changed` as people read it. */
function actionText(action: string): string {
  return action.replaceAll(/[._]/g, ' ')
}

export function AuditLog() {
  const trpc = useTRPC()
  const query = useInfiniteQuery(
    trpc.members.auditLog.infiniteQueryOptions({}, { getNextPageParam: (page) => page.next }),
  )
  const entries = query.data?.pages.flatMap((page) => page.entries)
  const isForbidden = query.error?.data?.code === 'FORBIDDEN'
  return (
    <SettingsFrame>
      <Card>
        <CardHeader title="Audit log" aside="newest first; entries are never changed" />
        {query.isPending && <SkeletonRows />}
        {isForbidden && (
          <EmptyState title="Only an admin can read the audit log.">
            It needs the permission <code>member.manage</code>. An admin can change your role under
            Users.
          </EmptyState>
        )}
        {query.isError && !isForbidden && (
          <ErrorState
            what="The audit log could not be loaded."
            why={query.error.message}
            onRetry={() => void query.refetch()}
          />
        )}
        {entries?.length === 0 && <EmptyState title="Nothing was changed yet." />}
        {entries !== undefined && entries.length > 0 && <EntryTable entries={entries} />}
        {query.hasNextPage && (
          <footer className="flex items-center gap-3 border-border border-t px-3 py-2">
            <Button onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
              Load older entries
            </Button>
            <span className="text-small text-text-2 tabular-nums">
              Showing the newest {entries?.length ?? 0}
            </span>
          </footer>
        )}
      </Card>
    </SettingsFrame>
  )
}

function EntryTable({ entries }: { readonly entries: readonly Entry[] }) {
  const [shown, setShown] = useState<Entry>()
  return (
    <>
      <Table>
        <thead>
          <tr>
            <HeadCell>At</HeadCell>
            <HeadCell>Who</HeadCell>
            <HeadCell>Did</HeadCell>
            <HeadCell>To</HeadCell>
            <HeadCell>Change</HeadCell>
            <HeadCell>
              <span className="sr-only">Actions</span>
            </HeadCell>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <Row key={entry.id}>
              <Cell>
                <Timestamp at={entry.at} style="second" />
              </Cell>
              <Cell className="font-medium">{entry.actor}</Cell>
              <Cell>{actionText(entry.action)}</Cell>
              <Cell>
                <IdChip id={entry.target} label={`Copy ${entry.target}`} />
              </Cell>
              <Cell className="text-text-2">{changeText(entry.before, entry.after) || '–'}</Cell>
              <Cell className="text-right">
                <Button
                  variant="quiet"
                  className="h-6"
                  onClick={() => setShown(entry)}
                  aria-label={`Details of ${actionText(entry.action)} ${entry.target}`}
                >
                  Details
                </Button>
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
      {shown !== undefined && <EntryDialog entry={shown} close={() => setShown(undefined)} />}
    </>
  )
}

function EntryDialog({ entry, close }: { readonly entry: Entry; readonly close: () => void }) {
  return (
    <Dialog open onOpenChange={close} title={actionText(entry.action)} wide>
      <KeyValueList
        items={[
          { name: 'At', value: <Timestamp at={entry.at} /> },
          { name: 'Who', value: entry.actor },
          { name: 'Who, by id', value: <IdChip id={entry.actorId} label="Copy the actor's id" /> },
          { name: 'To', value: <IdChip id={entry.target} label="Copy the target's id" /> },
          { name: 'Entry', value: <IdChip id={entry.id} label="Copy the entry's id" /> },
          { name: 'Before', value: <Stored value={entry.before} /> },
          { name: 'After', value: <Stored value={entry.after} /> },
        ]}
      />
    </Dialog>
  )
}

/** A side of the change exactly as it is stored. */
function Stored({ value }: { readonly value: Entry['before'] }) {
  if (value === null) return <span className="text-text-3">–</span>
  return (
    <pre className="overflow-x-auto whitespace-pre-wrap break-words font-mono text-mono">
      {JSON.stringify(value, null, 2)}
    </pre>
  )
}
