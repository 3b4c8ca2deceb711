'use client'
// For admins only. The links themselves are not stored.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { ActionsHead, Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Countdown, Timestamp } from '@/components/ui/time.tsx'
import type { AppRouter } from '@/server/trpc/root.ts'
import { grantText } from './grant.ts'

type Invitation = inferRouterOutputs<AppRouter>['invitations']['list'][number]

export function Invitations() {
  const trpc = useTRPC()
  const query = useQuery(trpc.invitations.list.queryOptions())
  return (
    <Card>
      <CardHeader title="Invitations" aside="a link works once, for seven days" />
      {query.isPending && <SkeletonRows />}
      {query.isError && (
        <ErrorState
          what="The invitations could not be loaded."
          why={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.data?.length === 0 && (
        <EmptyState title="No invitations yet.">
          Each user whom you invite appears here, with the state of the invitation.
        </EmptyState>
      )}
      {query.data !== undefined && query.data.length > 0 && (
        <InvitationTable invitations={query.data} />
      )}
    </Card>
  )
}

function InvitationTable({ invitations }: { readonly invitations: readonly Invitation[] }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const revoke = useMutation(
    trpc.invitations.revoke.mutationOptions({
      onSettled: () =>
        void client.invalidateQueries({ queryKey: trpc.invitations.list.queryKey() }),
    }),
  )
  return (
    <>
      {revoke.error !== null && (
        <ErrorState what="The invitation was not revoked." why={revoke.error} />
      )}
      <Table isStacked>
        <thead>
          <tr>
            <HeadCell>Email</HeadCell>
            <HeadCell>State</HeadCell>
            <HeadCell>Role</HeadCell>
            <HeadCell>Invited by</HeadCell>
            <HeadCell>Created</HeadCell>
            <ActionsHead />
          </tr>
        </thead>
        <tbody>
          {invitations.map((one) => (
            <Row key={one.id}>
              <Cell className="font-medium">{one.email}</Cell>
              <Cell label="State">
                {one.state}
                {one.state === 'pending' && (
                  <span className="text-text-2">
                    , <Countdown until={one.expiresAt} />
                  </span>
                )}
              </Cell>
              <Cell label="Role">{grantText(one)}</Cell>
              <Cell label="Invited by">{one.invitedBy ?? '–'}</Cell>
              <Cell label="Created">
                <Timestamp at={one.createdAt} style="second" />
              </Cell>
              <Cell className="text-right">
                {one.state === 'pending' && (
                  <Button
                    className="h-6"
                    disabled={revoke.isPending}
                    onClick={() => revoke.mutate({ id: one.id })}
                    aria-label={`Revoke the invitation of ${one.email}`}
                  >
                    Revoke
                  </Button>
                )}
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
    </>
  )
}
