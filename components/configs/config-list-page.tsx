'use client'
// What is in force for each prompt, where, and what is pending.
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import Link from 'next/link'
import { parseAsBoolean, useQueryState } from 'nuqs'
import { useState } from 'react'
import type { ListedConfig } from '@/server/services/configs.ts'
import { useHints } from '../live/use-hints.ts'
import { useTRPC } from '../trpc-provider.tsx'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../ui/states.tsx'
import { StatusText } from '../ui/status-badge.tsx'
import { Cell, HeadCell, Row, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { configPath } from './config-path.ts'
import { NewConfigDialog } from './new-config-dialog.tsx'

export function ConfigListPage() {
  const trpc = useTRPC()
  const [archived, setArchived] = useQueryState('archived', parseAsBoolean.withDefault(false))
  const [adding, setAdding] = useState<string | null>(null)
  const list = useQuery(trpc.configs.list.queryOptions({ archived }))
  const environments = useQuery(trpc.runtimes.environments.queryOptions())
  const me = useQuery(trpc.members.me.queryOptions())
  useHints({ kind: 'config' }, () => void list.refetch())
  useHints({ kind: 'runtime' }, () => void list.refetch())
  const mayEdit = me.data !== undefined && me.data.role !== 'viewer'
  const add = (prompt: string) => (
    <Button
      variant="primary"
      disabled={!mayEdit}
      title={mayEdit ? undefined : 'Your role does not include draft.edit'}
      onClick={() => setAdding(prompt)}
    >
      <Plus size={14} aria-hidden /> New config
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Configs"
        facts="What is in force for each prompt, where, and what is pending"
        actions={
          <>
            <Checkbox
              checked={archived}
              onChange={({ target }) => void setArchived(target.checked || null)}
            >
              Archived
            </Checkbox>
            {add('')}
          </>
        }
      />
      <div className="flex flex-col gap-3 p-4 max-sm:p-2">
        <Card>
          {list.error !== null && (
            <ErrorState
              what="Could not read the configs."
              why={list.error.message}
              onRetry={() => void list.refetch()}
            />
          )}
          {list.data === undefined && list.error === null && <SkeletonRows />}
          {list.data?.configs.length === 0 && (
            <EmptyState
              title={archived ? 'No config is archived.' : 'No configs yet.'}
              action={add('')}
            >
              A config holds the guardrails of one prompt: what its tools may do, what feedback it
              gets, and when it may stop.
            </EmptyState>
          )}
          {list.data !== undefined && list.data.configs.length > 0 && (
            <ConfigTable
              configs={list.data.configs}
              environments={(environments.data ?? []).map(({ name }) => name)}
            />
          )}
        </Card>
        {list.data !== undefined && list.data.unmanaged.length > 0 && (
          <Card>
            <CardHeader title="Prompts without a config" aside="reported by connected runtimes" />
            <ul>
              {list.data.unmanaged.map(({ prompt, runtimes }) => (
                <li
                  key={prompt}
                  className="flex min-h-9 items-center gap-3 border-border border-b px-3 py-1 last:border-b-0"
                >
                  <code className="min-w-0 flex-1 truncate">{prompt}</code>
                  <span className="text-text-2">
                    {runtimes === 1 ? '1 runtime' : `${runtimes} runtimes`}
                  </span>
                  <Button disabled={!mayEdit} onClick={() => setAdding(prompt)}>
                    Create
                  </Button>
                </li>
              ))}
            </ul>
          </Card>
        )}
      </div>
      {adding !== null && <NewConfigDialog prompt={adding} onClose={() => setAdding(null)} />}
    </>
  )
}

function ConfigTable({
  configs,
  environments,
}: {
  readonly configs: readonly ListedConfig[]
  readonly environments: readonly string[]
}) {
  return (
    <Table>
      <thead>
        <tr>
          <HeadCell>Prompt</HeadCell>
          {environments.map((name) => (
            <HeadCell key={name}>{name}</HeadCell>
          ))}
          <HeadCell>Draft</HeadCell>
          <HeadCell>Policies / feedback / checks</HeadCell>
          <HeadCell>Runtimes</HeadCell>
          <HeadCell>Denied, blocked 24 h</HeadCell>
          <HeadCell>Last release</HeadCell>
        </tr>
      </thead>
      <tbody>
        {configs.map((config) => (
          <ConfigRow key={config.id} config={config} environments={environments} />
        ))}
      </tbody>
    </Table>
  )
}

function ConfigRow({
  config,
  environments,
}: {
  readonly config: ListedConfig
  readonly environments: readonly string[]
}) {
  const { ns, key, rules, runtimes, lastReleasedAt } = config
  return (
    <Row>
      <Cell>
        <Link href={configPath(ns, key)} className="font-medium text-link hover:underline">
          {ns}/{key}
        </Link>
      </Cell>
      {environments.map((name) => (
        <Cell key={name}>
          <PointerChip config={config} environment={name} first={environments[0] ?? ''} />
        </Cell>
      ))}
      <Cell>
        <DraftCell config={config} />
      </Cell>
      <Cell>
        {rules === null ? '–' : `${rules.policies} / ${rules.providers} / ${rules.checks}`}
      </Cell>
      <Cell>
        <RuntimesCell runtimes={runtimes} />
      </Cell>
      <Cell>{dayText(config.day)}</Cell>
      <Cell className="text-text-2">
        {lastReleasedAt === null ? '–' : <Ago at={lastReleasedAt} />}
      </Cell>
    </Row>
  )
}

function PointerChip({
  config,
  environment,
  first,
}: {
  readonly config: ListedConfig
  readonly environment: string
  readonly first: string
}) {
  const versionIn = (name: string) =>
    config.pointers.find((pointer) => pointer.environment === name)?.version
  const version = versionIn(environment)
  if (version === undefined) return <span className="text-text-3">–</span>
  const behind = (versionIn(first) ?? version) - version
  return (
    <span>
      <span className="font-mono text-mono">v{version}</span>
      {behind > 0 && (
        <span className="text-small text-text-2">
          {' '}
          {behind} behind {first}
        </span>
      )}
    </span>
  )
}

function DraftCell({ config }: { readonly config: ListedConfig }) {
  const { draft } = config
  if (draft === null || draft.state === 'clean') return <span className="text-text-3">–</span>
  const who = `${draft.author ?? 'somebody who left'}, `
  return (
    <span className="inline-flex items-center gap-2">
      {draft.state === 'invalid' ? (
        <StatusText status="warning">invalid</StatusText>
      ) : (
        <Link
          href={`${configPath(config.ns, config.key)}/edit?tab=diff`}
          className="text-link hover:underline"
        >
          changed
        </Link>
      )}
      <span className="text-text-2">
        {who}
        <Ago at={draft.updatedAt} />
      </span>
    </span>
  )
}

function RuntimesCell({ runtimes }: { readonly runtimes: ListedConfig['runtimes'] }) {
  const { inSync, total } = runtimes
  if (total === 0) return <span className="text-text-3">–</span>
  return (
    <StatusText
      status={inSync === total ? 'in_sync' : 'behind'}
    >{`${inSync}/${total} in sync`}</StatusText>
  )
}

function share(part: number, whole: number): string {
  if (whole === 0) return '–'
  const percent = (part / whole) * 100
  return `${percent.toFixed(percent < 10 && percent > 0 ? 1 : 0)}%`
}

function dayText(day: ListedConfig['day']): string {
  if (day === null) return '–'
  return `${share(day.denied, day.calls)}, ${share(day.blocked, day.stops)}`
}
