'use client'

import { useQuery } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { SettingsFrame } from '@/components/shell/settings-frame.tsx'
import { type Right, useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { ActionsHead, Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { grantText, type Member } from './grant.ts'
import { Invitations } from './invitations.tsx'
import { describeUsers } from './people-facts.ts'
import { RemoveUser } from './remove-user.tsx'
import { RoleMatrix } from './role-matrix.tsx'
import { SingleSignOnCard } from './single-sign-on-card.tsx'

const InviteDialog = lazyDialog(() =>
  import('./invite-dialog.tsx').then((module) => module.InviteDialog),
)
const RoleDialog = lazyDialog(() => import('./role-dialog.tsx').then((module) => module.RoleDialog))

export function Users() {
  const trpc = useTRPC()
  const query = useQuery(trpc.members.list.queryOptions())
  const me = useQuery(trpc.members.me.queryOptions())
  const [inviting, setInviting] = useState(false)
  const right = useRight('admin')
  const invitations = useQuery({
    ...trpc.invitations.list.queryOptions(),
    enabled: right.isAllowed,
  })
  const pending = invitations.data?.filter(({ state }) => state === 'pending').length
  return (
    <SettingsFrame facts={query.data && describeUsers(query.data, pending)}>
      <Card>
        <CardHeader
          title="Users"
          aside="members of this project and their roles"
          actions={
            <ReasonedButton {...right} variant="primary" onClick={() => setInviting(true)}>
              <UserPlus size={14} aria-hidden />
              Invite
            </ReasonedButton>
          }
        />
        {query.isPending && <SkeletonRows />}
        {query.isError && (
          <ErrorState
            what="The users could not be loaded."
            why={query.error}
            onRetry={() => void query.refetch()}
          />
        )}
        {query.isSuccess && (
          <UserTable members={query.data} right={right} ownId={me.data?.userId} />
        )}
      </Card>
      {right.isAllowed && <Invitations />}
      <RoleMatrix />
      <SingleSignOnCard />
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </SettingsFrame>
  )
}

const WAYS = { password: 'password', oidc: 'single sign-on' } as const

/** Null: the role can be changed. */
function roleReason({ byGroup }: Member, { reason }: Right): string | null {
  if (reason !== null) return reason
  return byGroup === null ? null : `Groups of ${byGroup.provider} decide about this role`
}

function GroupText({ member: { byGroup } }: { readonly member: Member }) {
  if (byGroup === null) return null
  const { provider, groups } = byGroup
  const named = groups.length === 1 ? `group ${groups[0]}` : `groups ${groups.join(', ')}`
  return (
    <span className="block text-small text-text-3">
      {groups.length === 0 ? `without a group of ${provider}` : `by ${named} of ${provider}`}
    </span>
  )
}

function UserTable({
  members,
  right,
  ownId,
}: {
  readonly members: readonly Member[]
  readonly right: Right
  readonly ownId: string | undefined
}) {
  const [editing, setEditing] = useState<Member>()
  const [removing, setRemoving] = useState<Member>()
  return (
    <>
      <Table isStacked>
        <thead>
          <tr>
            <HeadCell>Name</HeadCell>
            <HeadCell>Role</HeadCell>
            <HeadCell>Email</HeadCell>
            <HeadCell>Sign-in</HeadCell>
            <ActionsHead />
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <Row key={member.userId}>
              <Cell className="font-medium">
                {member.name}
                {member.userId === ownId && <span className="text-text-3"> (you)</span>}
              </Cell>
              <Cell label="Role">
                {grantText(member)}
                <GroupText member={member} />
              </Cell>
              <Cell label="Email">{member.email}</Cell>
              <Cell label="Sign-in">
                {member.signsInBy.map((way) => WAYS[way]).join(', ') || '–'}
              </Cell>
              <Cell className="text-right">
                <span className="inline-flex gap-2">
                  <ReasonedButton
                    className="h-6"
                    isAllowed={right.isAllowed && member.byGroup === null}
                    reason={roleReason(member, right)}
                    onClick={() => setEditing(member)}
                    aria-label={`Change role of ${member.name}`}
                  >
                    Change role
                  </ReasonedButton>
                  <ReasonedButton
                    {...right}
                    className="h-6"
                    onClick={() => setRemoving(member)}
                    aria-label={`Remove ${member.name}`}
                  >
                    Remove
                  </ReasonedButton>
                </span>
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
      {editing !== undefined && (
        <RoleDialog member={editing} onClose={() => setEditing(undefined)} />
      )}
      {removing !== undefined && (
        <RemoveUser member={removing} onClose={() => setRemoving(undefined)} />
      )}
    </>
  )
}
