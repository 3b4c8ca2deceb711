'use client'

import { plural } from '@signalbox/core/analysis'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { TypedConfirm } from '@/components/kit/form/lazy-typed-confirm.ts'
import { Refusal } from '@/components/shell/refusal.tsx'
import { SettingsFrame } from '@/components/shell/settings-frame.tsx'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { ActionsHead, Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Ago, durationText, Timestamp, useNow } from '@/components/ui/time.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { AppRouter } from '@/server/trpc/root.ts'
import { SCOPES } from './key-scopes.ts'
import { computeKeyState, describeKeys, isDemoKey, type KeyState } from './people-facts.ts'

const KeyDialog = lazyDialog(() => import('./key-dialog.tsx').then((module) => module.KeyDialog))
const RotateDialog = lazyDialog(() =>
  import('./rotate-dialog.tsx').then((module) => module.RotateDialog),
)

type ApiKey = inferRouterOutputs<AppRouter>['keys']['list'][number]

export function Keys() {
  const trpc = useTRPC()
  const query = useQuery(trpc.keys.list.queryOptions())
  const [creating, setCreating] = useState(false)
  const right = useRight('admin')
  return (
    <SettingsFrame facts={query.data && describeKeys(query.data, query.dataUpdatedAt)}>
      <Card>
        <CardHeader
          title="API keys"
          aside="for runtimes and automation"
          actions={
            <ReasonedButton {...right} variant="primary" onClick={() => setCreating(true)}>
              <KeyRound size={14} aria-hidden />
              New key
            </ReasonedButton>
          }
        />
        {right.reason !== null && <Refusal>{right.reason}</Refusal>}
        {query.isPending && right.reason === null && <SkeletonRows />}
        {query.isError && right.reason === null && (
          <ErrorState
            what="The keys could not be loaded."
            why={query.error}
            onRetry={() => void query.refetch()}
          />
        )}
        {query.data?.length === 0 && (
          <EmptyState title="No keys yet.">A runtime needs one to connect.</EmptyState>
        )}
        {query.data !== undefined && query.data.length > 0 && <KeyTable keys={query.data} />}
        {query.data !== undefined && query.data.length > 0 && <ScopeWords />}
      </Card>
      {creating && <KeyDialog onClose={() => setCreating(false)} />}
    </SettingsFrame>
  )
}

function ScopeWords() {
  return (
    <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 border-border border-t px-3 py-2 text-small max-sm:grid-cols-1">
      {SCOPES.map(({ name, does }) => (
        <div key={name} className="contents">
          <dt className="font-medium">{name}</dt>
          <dd className="text-text-2">{does}</dd>
        </div>
      ))}
    </dl>
  )
}

function KeyTable({ keys }: { readonly keys: readonly ApiKey[] }) {
  const [revoking, setRevoking] = useState<ApiKey>()
  const [rotating, setRotating] = useState<ApiKey>()
  const now = useNow() ?? 0
  return (
    <>
      <Table isStacked>
        <thead>
          <tr>
            <HeadCell>Name</HeadCell>
            <HeadCell>Key</HeadCell>
            <HeadCell>Environment</HeadCell>
            <HeadCell>Scopes</HeadCell>
            <HeadCell>Last used</HeadCell>
            <HeadCell>Expires</HeadCell>
            <HeadCell>Created by</HeadCell>
            <ActionsHead />
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <Row key={key.id}>
              <Cell className="font-medium">
                {key.name} <DemoTag isDemo={isDemoKey(key)} />
              </Cell>
              <Cell label="Key">
                <code>{key.prefix}…</code>
              </Cell>
              <Cell label="Environment">{key.environment}</Cell>
              <Cell label="Scopes">{key.scopes.join(', ')}</Cell>
              <Cell label="Last used">
                {key.lastUsedAt === null ? 'never' : <Ago at={key.lastUsedAt} />}
              </Cell>
              <Cell label="Expires">
                <Expires apiKey={key} now={now} />
              </Cell>
              <Cell label="Created by">
                {key.createdByName ?? (key.createdBy === 'system' ? 'Signalbox' : '–')}
              </Cell>
              <Cell className="text-right">
                <Acts
                  apiKey={key}
                  state={computeKeyState(key, now)}
                  onRevoke={() => setRevoking(key)}
                  onRotate={() => setRotating(key)}
                />
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
      {revoking !== undefined && (
        <RevokeKey apiKey={revoking} onClose={() => setRevoking(undefined)} />
      )}
      {rotating !== undefined && (
        <RotateDialog apiKey={rotating} onClose={() => setRotating(undefined)} />
      )}
    </>
  )
}

function Expires({ apiKey, now }: { readonly apiKey: ApiKey; readonly now: number }) {
  const { expiresAt, replacedBy } = apiKey
  if (expiresAt === null) return <>never</>
  const state = computeKeyState(apiKey, now)
  if (state === 'ending') {
    return (
      <span className="font-medium text-caution-fg" data-status="caution">
        expires in {durationText(expiresAt - now)}
        {replacedBy !== null && ', rotated'}
      </span>
    )
  }
  return (
    <>
      {state === 'expired' && 'expired '}
      <Timestamp at={expiresAt} style="second" />
    </>
  )
}

function Acts({
  apiKey,
  state,
  onRevoke,
  onRotate,
}: {
  readonly apiKey: ApiKey
  readonly state: KeyState
  readonly onRevoke: () => void
  readonly onRotate: () => void
}) {
  if (state === 'revoked' || state === 'expired') {
    return <span className="text-text-3">{state}</span>
  }
  const isRotated = apiKey.replacedBy !== null
  return (
    <span className="inline-flex gap-2">
      <Button
        className="h-6"
        disabled={isRotated}
        title={isRotated ? 'Rotated: the new key is in this list' : undefined}
        onClick={onRotate}
        aria-label={`Rotate ${apiKey.name} ${apiKey.prefix}`}
      >
        Rotate
      </Button>
      <Button className="h-6" onClick={onRevoke} aria-label={`Revoke ${apiKey.name}`}>
        Revoke
      </Button>
    </span>
  )
}

function RevokeKey({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const { id, name } = apiKey
  const runtimes = useQuery(trpc.runtimes.list.queryOptions({ environment: apiKey.environment }))
  const revoke = useMutation(
    trpc.keys.revoke.mutationOptions({
      onSuccess: () => {
        toast(`${name} was revoked.`)
        void client.invalidateQueries({ queryKey: trpc.keys.list.queryKey() })
        onClose()
      },
    }),
  )
  const connected = runtimes.data?.filter(({ connection }) => connection === 'connected').length
  return (
    <TypedConfirm
      onClose={onClose}
      title={`Revoke ${name}`}
      effect="Runtimes that use it stop sending events within two seconds. They keep enforcing their last config. This cannot be undone."
      word={name}
      action={`Revoke ${name}`}
      onConfirm={() => revoke.mutateAsync({ id })}
    >
      <p className="text-text-2">
        {connected === undefined ? 'Connected runtimes' : plural(connected, 'connected runtime')} of{' '}
        {apiKey.environment} may use it. Last used:{' '}
        {apiKey.lastUsedAt === null ? 'never' : <Ago at={apiKey.lastUsedAt} />}.
      </p>
    </TypedConfirm>
  )
}
