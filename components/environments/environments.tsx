'use client'
import { countText, plural, pluralize } from '@signalbox/core/analysis'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, Lock, Plus } from 'lucide-react'
import { useState } from 'react'
import { TypedConfirm } from '@/components/kit/form/lazy-typed-confirm.ts'
import { SettingsFrame } from '@/components/shell/settings-frame.tsx'
import { type Right, useRight } from '@/components/shell/use-right.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { IconButton } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { EmptyState, ErrorLine, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import type { EnvironmentSettings } from '@/server/environments/environments.ts'
import type { Demands } from './environment-dialog.tsx'
import { MandatoryBase } from './mandatory-base.tsx'

const EnvironmentDialog = lazySection(
  () => import('./environment-dialog.tsx').then((module) => module.EnvironmentDialog),
  null,
)

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'change' | 'remove'; readonly environment: EnvironmentSettings }

export function Environments() {
  const trpc = useTRPC()
  const query = useQuery(trpc.environments.list.queryOptions())
  const right = useRight('admin')
  const [open, setOpen] = useState<Open | null>(null)
  const { change, reorder, remove, error } = useChanges(() => setOpen(null))
  const rows = query.data ?? []
  return (
    <SettingsFrame facts={query.data && describeChain(query.data)}>
      <Card>
        <CardHeader
          title="Environments"
          aside="in order of promotion; the demo is counted, too"
          actions={
            <ReasonedButton variant="primary" {...right} onClick={() => setOpen({ kind: 'new' })}>
              <Plus size={14} aria-hidden /> New environment
            </ReasonedButton>
          }
        />
        {query.isPending && <SkeletonRows />}
        {query.isError && (
          <ErrorState
            what="The environments could not be loaded."
            why={query.error}
            onRetry={() => void query.refetch()}
          />
        )}
        {error !== null && (
          <ErrorLine className="border-border border-b px-3 py-2">
            Nothing was changed. {error.message}
          </ErrorLine>
        )}
        {query.isSuccess && rows.length === 0 && <EmptyState title="No environments." />}
        <ol>
          {rows.map((environment, index) => (
            <EnvironmentRow
              key={environment.id}
              environment={environment}
              right={right}
              onMove={(step) => reorder.mutate(moved(rows, index, step))}
              isFirst={index === 0}
              isLast={index === rows.length - 1}
              onOpen={(kind) => setOpen({ kind, environment })}
            />
          ))}
        </ol>
      </Card>
      <MandatoryBase />
      {(open?.kind === 'new' || open?.kind === 'change') && (
        <EnvironmentDialog
          environment={open.kind === 'change' ? open.environment : null}
          onClose={() => setOpen(null)}
          onSave={(demands) => change.mutateAsync({ demands, isNew: open.kind === 'new' })}
        />
      )}
      {open?.kind === 'remove' && (
        <TypedConfirm
          onClose={() => setOpen(null)}
          title={`Remove ${open.environment.name}`}
          effect="Nothing has ever been released there, and no key, runtime or session belongs to it. This cannot be undone."
          word={open.environment.name}
          action={`Remove ${open.environment.name}`}
          onConfirm={(typedName) => remove.mutateAsync({ name: open.environment.name, typedName })}
        />
      )}
    </SettingsFrame>
  )
}

function moved(rows: readonly EnvironmentSettings[], index: number, step: -1 | 1): string[] {
  const names = rows.map(({ name }) => name)
  const [name] = names.splice(index, 1)
  if (name !== undefined) names.splice(index + step, 0, name)
  return names
}

function useChanges(onRemoved: () => void) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const onSettled = async () => {
    const { environments, runtimes, drafts, configs, releases, callApprovals } = trpc
    for (const { pathKey } of [environments, runtimes, drafts, configs, releases, callApprovals]) {
      await queries.invalidateQueries({ queryKey: pathKey() })
    }
  }
  const change = useMutation({
    mutationFn: async ({ demands, isNew }: { demands: Demands; isNew: boolean }) => {
      if (isNew) await client.environments.create.mutate(demands)
      else await client.environments.change.mutate(demands)
    },
    onSettled,
  })
  const reorder = useMutation({
    mutationFn: (names: string[]) => client.environments.reorder.mutate({ names }),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: (input: { readonly name: string; readonly typedName: string }) =>
      client.environments.remove.mutate(input),
    onSuccess: onRemoved,
    onSettled,
  })
  return { change, reorder, remove, error: reorder.error }
}

const AND = new Intl.ListFormat('en-GB')

function describeChain(environments: readonly EnvironmentSettings[]): string {
  const held = environments.filter(({ requiredApprovals }) => requiredApprovals > 0).length
  const demand =
    held === 0
      ? 'no release requires approval'
      : `releases to ${countText(held)} of them require approval`
  return `${plural(environments.length, 'environment')}; ${demand}.`
}

function listDemands(environment: EnvironmentSettings): readonly string[] {
  const { requiredApprovals: approvals, rollbackSkipsApproval: skips } = environment
  return [
    ...(environment.requiresNote ? ['a note'] : []),
    ...(environment.requiresTypedName ? ['the typed name'] : []),
    ...(environment.requiresBacktest ? ['a backtest of the text'] : []),
    ...(approvals === 0
      ? []
      : [`${plural(approvals, 'approval')}${skips ? ' (not for a rollback)' : ''}`]),
  ]
}

function describeUses({ use }: EnvironmentSettings): readonly string[] {
  const counts = [
    [use.releases, 'release'],
    [use.keys, 'active key'],
    [use.runtimes, 'runtime'],
    [use.sessions, 'session'],
  ] as const
  return counts.flatMap(([count, noun]) =>
    count === 0 ? [] : [count >= 1000 ? `1,000 or more ${pluralize(noun)}` : plural(count, noun)],
  )
}

function EnvironmentRow({
  environment,
  right,
  isFirst,
  isLast,
  onMove,
  onOpen,
}: {
  readonly environment: EnvironmentSettings
  readonly right: Right
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly onMove: (step: -1 | 1) => void
  readonly onOpen: (kind: 'change' | 'remove') => void
}) {
  const { name, requiresTypedName } = environment
  const asks = listDemands(environment)
  const uses = describeUses(environment)
  const whyStays =
    right.reason ?? (uses.length > 0 ? `It has ${uses.join(', ')}, so it cannot be removed` : null)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-border border-b px-3 py-2 last:border-b-0">
      <div className="min-w-0 flex-1 basis-72">
        <p className="inline-flex items-center gap-1.5 font-medium">
          {requiresTypedName && <Lock size={12} aria-hidden />}
          {name}
        </p>
        <p className="text-text-2">
          {asks.length === 0
            ? 'No extra release requirements'
            : `Releases require ${AND.format(asks)}`}
        </p>
        <p className="text-small text-text-3">
          {uses.length === 0 ? 'not used yet' : uses.join(' · ')}
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-1">
        <IconButton
          label={`Move ${name} up`}
          disabled={!right.isAllowed || isFirst}
          onClick={() => onMove(-1)}
        >
          <ArrowUp size={14} aria-hidden />
        </IconButton>
        <IconButton
          label={`Move ${name} down`}
          disabled={!right.isAllowed || isLast}
          onClick={() => onMove(1)}
        >
          <ArrowDown size={14} aria-hidden />
        </IconButton>
        <ReasonedButton {...right} aria-label={`Change ${name}`} onClick={() => onOpen('change')}>
          Change
        </ReasonedButton>
        <ReasonedButton
          isAllowed={right.isAllowed && whyStays === null}
          reason={whyStays}
          aria-label={`Remove ${name}`}
          onClick={() => onOpen('remove')}
        >
          Remove
        </ReasonedButton>
      </div>
    </li>
  )
}
