'use client'
// API keys: which exist, what they may do, when they were used, and how to end one.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import type { AppRouter } from '@/server/trpc/root.ts'
import { useTRPC } from '../trpc-provider.tsx'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '../ui/table.tsx'
import { Ago, Timestamp } from '../ui/time.tsx'
import { KeyDialog } from './key-dialog.tsx'
import { SettingsFrame } from './settings-frame.tsx'
import { TypedConfirm } from './typed-confirm.tsx'

type ApiKey = inferRouterOutputs<AppRouter>['keys']['list'][number]

export function Keys() {
  const trpc = useTRPC()
  const query = useQuery(trpc.keys.list.queryOptions())
  const [creating, setCreating] = useState(false)
  return (
    <SettingsFrame>
      <Card>
        <CardHeader
          title="API keys"
          aside="for runtimes and automation"
          actions={
            <Button variant="primary" onClick={() => setCreating(true)}>
              <KeyRound size={14} aria-hidden />
              New key
            </Button>
          }
        />
        {query.isPending && <SkeletonRows />}
        {query.isError && (
          <ErrorState
            what="The keys could not be loaded."
            why={query.error.message}
            onRetry={() => void query.refetch()}
          />
        )}
        {query.isSuccess && query.data.length === 0 && <EmptyState title="No key exists yet." />}
        {query.isSuccess && query.data.length > 0 && <KeyTable keys={query.data} />}
      </Card>
      <KeyDialog open={creating} onOpenChange={setCreating} />
    </SettingsFrame>
  )
}

function KeyTable({ keys }: { readonly keys: readonly ApiKey[] }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [revoking, setRevoking] = useState<ApiKey>()
  const revoke = useMutation(
    trpc.keys.revoke.mutationOptions({
      onSuccess: () => void client.invalidateQueries({ queryKey: trpc.keys.list.queryKey() }),
    }),
  )
  const failed = revoke.error
  return (
    <>
      {failed !== null && (
        <ErrorState
          what="The key was not revoked. It still works."
          why={failed.message}
          onRetry={() => revoke.variables !== undefined && revoke.mutate(revoke.variables)}
        />
      )}
      <Table>
        <thead>
          <tr>
            <HeadCell>Name</HeadCell>
            <HeadCell>Key</HeadCell>
            <HeadCell>Environment</HeadCell>
            <HeadCell>May</HeadCell>
            <HeadCell>Last used</HeadCell>
            <HeadCell>Expires</HeadCell>
            <HeadCell>
              <span className="sr-only">Actions</span>
            </HeadCell>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <Row key={key.id}>
              <Cell className="font-medium">{key.name}</Cell>
              <Cell>
                <code>{key.prefix}…</code>
              </Cell>
              <Cell>{key.environment}</Cell>
              <Cell>{key.scopes.join(', ')}</Cell>
              <Cell>{key.lastUsedAt === null ? 'never' : <Ago at={key.lastUsedAt} />}</Cell>
              <Cell>
                {key.expiresAt === null ? 'never' : <Timestamp at={key.expiresAt} style="second" />}
              </Cell>
              <Cell className="text-right">
                {key.revokedAt === null ? (
                  <Button
                    variant="danger"
                    className="h-6"
                    onClick={() => setRevoking(key)}
                    aria-label={`Revoke ${key.name}`}
                  >
                    Revoke
                  </Button>
                ) : (
                  <span className="text-text-3">revoked</span>
                )}
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
      {revoking !== undefined && (
        <TypedConfirm
          open
          onOpenChange={() => setRevoking(undefined)}
          title={`Revoke ${revoking.name}`}
          effect="Runtimes that use it stop sending events within two seconds. They keep enforcing their last config. This cannot be undone."
          word={revoking.name}
          action={`Revoke ${revoking.name}`}
          onConfirm={() => revoke.mutate({ id: revoking.id })}
        />
      )}
    </>
  )
}
