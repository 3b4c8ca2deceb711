'use client'

import { useQuery } from '@tanstack/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import { clsx } from 'clsx'
import { findPagePath } from '@/components/paths/id-path.ts'
import { serverAddress } from '@/components/paths/prefix.ts'
import { SettingsFrame } from '@/components/shell/settings-frame.tsx'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader, type KeyValue, KeyValueList } from '@/components/ui/card.tsx'
import { CopyButton, IdChip } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { AppRouter } from '@/server/trpc/root.ts'
import { fieldChanges, fieldLabel, valueText } from './audit-change.ts'
import { AuditRefusal } from './audit-log.tsx'
import { actionText } from './audit-words.ts'

type Entry = inferRouterOutputs<AppRouter>['auditLog']['entry']

export function AuditEntry({ id }: { readonly id: string }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.auditLog.entry.queryOptions({ id }))
  const { reason } = useRight('admin')
  if (reason !== null) return <AuditRefusal reason={reason} />
  return (
    <SettingsFrame>
      <nav aria-label="Path" className="text-text-2">
        <Link className="text-link" href="/settings/audit-log">
          Audit log
        </Link>{' '}
        › Entry
      </nav>
      {query.isPending && <SkeletonRows />}
      {query.isError &&
        (query.error.data?.code === 'NOT_FOUND' ? (
          <EmptyState title="There is no such entry in this project's audit log." />
        ) : (
          <ErrorState
            what="The entry could not be loaded."
            why={query.error}
            onRetry={() => void query.refetch()}
          />
        ))}
      {query.data !== undefined && <Shown entry={query.data} />}
    </SettingsFrame>
  )
}

function Shown({ entry }: { readonly entry: Entry }) {
  return (
    <>
      <Card>
        <CardHeader
          title={`${entry.actor} ${actionText(entry.action)}`}
          actions={<CopyLink id={entry.id} />}
        />
        <KeyValueList className="px-3 py-2" items={listAuditFacts(entry)} />
      </Card>
      <Card>
        <CardHeader title="Before and after" />
        <Changes entry={entry} />
      </Card>
      <Card>
        <CardHeader title="Position in the chain" />
        <KeyValueList className="px-3 py-2" items={listChainFacts(entry)} />
      </Card>
    </>
  )
}

function CopyLink({ id }: { readonly id: string }) {
  const address = typeof window === 'undefined' ? '' : `${serverAddress()}/settings/audit-log/${id}`
  return <CopyButton text={address} label="Copy link to this entry" />
}

function listAuditFacts({ at, actorId, action, target, origin, id }: Entry): readonly KeyValue[] {
  const href = findPagePath(target)
  const sameTarget = `/settings/audit-log?target=${encodeURIComponent(target)}`
  return [
    { name: 'At', value: <Timestamp at={at} /> },
    { name: 'Actor', value: <IdChip id={actorId} label="Copy the actor's id" /> },
    { name: 'Action', value: <code>{action}</code> },
    {
      name: 'Target',
      value: (
        <span className="inline-flex flex-wrap items-center gap-x-2">
          <IdChip id={target} label="Copy the target's id" />
          {href !== null && (
            <Link className="text-link" href={href}>
              open
            </Link>
          )}
          <Link className="text-link" href={sameTarget}>
            all changes to this target
          </Link>
        </span>
      ),
    },
    {
      name: 'IP address',
      value: origin === null ? 'unknown, or Signalbox itself' : <code>{origin}</code>,
    },
    { name: 'Entry', value: <IdChip id={id} label="Copy the entry's id" /> },
  ]
}

function Changes({ entry }: { readonly entry: Entry }) {
  const fields = fieldChanges(entry.before, entry.after)
  if (fields.length === 0) return <EmptyState title="No field changed." />
  return (
    <Table isStacked>
      <thead>
        <tr>
          <HeadCell>Field</HeadCell>
          <HeadCell>Before</HeadCell>
          <HeadCell>After</HeadCell>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ name, before, after, isChanged }) => (
          <Row key={name}>
            <Cell className={clsx('align-top', isChanged && 'font-medium')}>
              {fieldLabel(name)}
            </Cell>
            <ValueCell
              label="Before"
              name={name}
              value={before}
              tone={isChanged ? 'text-deny-fg' : 'text-text-2'}
            />
            <ValueCell
              label="After"
              name={name}
              value={after}
              tone={isChanged ? 'text-allow-fg' : 'text-text-2'}
            />
          </Row>
        ))}
      </tbody>
    </Table>
  )
}

function ValueCell({
  label,
  name,
  value,
  tone,
}: {
  readonly label: string
  readonly name: string
  readonly value: Entry['before'] | undefined
  readonly tone: string
}) {
  return (
    <Cell label={label} className="max-w-none whitespace-normal align-top">
      <code className={clsx('break-words', value === undefined ? 'text-text-3' : tone)}>
        {valueText(name, value)}
      </code>
    </Cell>
  )
}

function listChainFacts({ position, prev, hash, text }: Entry): readonly KeyValue[] {
  if (position === null)
    return [{ name: 'Position', value: 'none: it was added outside the chain' }]
  return [
    { name: 'Position', value: `${position}` },
    { name: 'Hash', value: <code className="break-all">{hash}</code> },
    {
      name: 'Previous hash',
      value:
        prev === '' ? 'none: this is the first entry' : <code className="break-all">{prev}</code>,
    },
    { name: 'Hashed text', value: <code className="whitespace-pre-wrap break-all">{text}</code> },
  ]
}
