'use client'
// People of the project and their roles.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import { UserPlus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { AppRouter } from '@/server/trpc/root.ts'
import { useTRPC } from '../trpc-provider.tsx'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Input } from '../ui/input.tsx'
import { Select } from '../ui/select.tsx'
import { ErrorState, SkeletonRows } from '../ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '../ui/table.tsx'
import { toast } from '../ui/toast.tsx'
import { SettingsFrame } from './settings-frame.tsx'
import { TypedConfirm } from './typed-confirm.tsx'

type Member = inferRouterOutputs<AppRouter>['members']['list'][number]
type Role = Member['role']

const ROLES: readonly { readonly value: Role; readonly label: string }[] = [
  { value: 'viewer', label: 'viewer' },
  { value: 'editor', label: 'editor' },
  { value: 'publisher', label: 'publisher' },
  { value: 'admin', label: 'admin' },
]

function useRefresh(): () => void {
  const trpc = useTRPC()
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: trpc.members.list.queryKey() })
}

export function Users() {
  const trpc = useTRPC()
  const query = useQuery(trpc.members.list.queryOptions())
  const me = useQuery(trpc.members.me.queryOptions())
  const [adding, setAdding] = useState(false)
  const isAdmin = me.data?.role === 'admin'
  return (
    <SettingsFrame>
      <Card>
        <CardHeader
          title="Users"
          aside="viewers read, editors draft, publishers release, admins manage"
          actions={
            <Button
              variant="primary"
              disabled={!isAdmin}
              title={isAdmin ? undefined : 'Only an admin can add users'}
              onClick={() => setAdding(true)}
            >
              <UserPlus size={14} aria-hidden />
              Add user
            </Button>
          }
        />
        {query.isPending && <SkeletonRows />}
        {query.isError && (
          <ErrorState
            what="The users could not be loaded."
            why={query.error.message}
            onRetry={() => void query.refetch()}
          />
        )}
        {query.isSuccess && (
          <UserTable members={query.data} isAdmin={isAdmin} ownId={me.data?.userId} />
        )}
      </Card>
      <AddUser open={adding} onOpenChange={setAdding} />
    </SettingsFrame>
  )
}

function UserTable({
  members,
  isAdmin,
  ownId,
}: {
  readonly members: readonly Member[]
  readonly isAdmin: boolean
  readonly ownId: string | undefined
}) {
  const trpc = useTRPC()
  const refresh = useRefresh()
  const [removing, setRemoving] = useState<Member>()
  const onError = (error: { readonly message: string }) => void toast(error.message)
  const setRole = useMutation(trpc.members.setRole.mutationOptions({ onSuccess: refresh, onError }))
  const remove = useMutation(trpc.members.remove.mutationOptions({ onSuccess: refresh, onError }))
  return (
    <>
      <Table>
        <thead>
          <tr>
            <HeadCell>Name</HeadCell>
            <HeadCell>E-mail</HeadCell>
            <HeadCell>Role</HeadCell>
            <HeadCell>
              <span className="sr-only">Actions</span>
            </HeadCell>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <Row key={member.userId}>
              <Cell className="font-medium">{member.name}</Cell>
              <Cell>{member.email}</Cell>
              <Cell>
                <Select
                  label={`Role of ${member.name}`}
                  value={member.role}
                  options={ROLES}
                  disabled={!isAdmin}
                  onChange={(role) => setRole.mutate({ userId: member.userId, role })}
                  className="h-6 w-28"
                />
              </Cell>
              <Cell className="text-right">
                {isAdmin && member.userId !== ownId && (
                  <Button
                    variant="danger"
                    className="h-6"
                    onClick={() => setRemoving(member)}
                    aria-label={`Remove ${member.name}`}
                  >
                    Remove
                  </Button>
                )}
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
      {removing !== undefined && (
        <TypedConfirm
          open
          onOpenChange={() => setRemoving(undefined)}
          title={`Remove ${removing.name}`}
          effect="They lose access at once. What they published stays."
          word={removing.email}
          action={`Remove ${removing.name}`}
          onConfirm={() => remove.mutate({ userId: removing.userId })}
        />
      )}
    </>
  )
}

function AddUser({
  open,
  onOpenChange,
}: {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}) {
  const trpc = useTRPC()
  const refresh = useRefresh()
  const [values, setValues] = useState({ name: '', email: '' })
  const [role, setRole] = useState<Role>('viewer')
  const create = useMutation(trpc.members.create.mutationOptions({ onSuccess: refresh }))
  const close = (next: boolean) => {
    if (!next) {
      create.reset()
      setValues({ name: '', email: '' })
    }
    onOpenChange(next)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({ ...values, role })
  }
  const password = create.data?.oneTimePassword
  return (
    <Dialog open={open} onOpenChange={close} title="Add user">
      {typeof password === 'string' ? (
        <div className="flex flex-col gap-3">
          <p>Give {values.email} this password. It is shown once.</p>
          <p className="flex items-center gap-1 rounded-control border border-border bg-surface-2 p-2">
            <code className="min-w-0 flex-1 break-all">{password}</code>
            <CopyButton text={password} label="Copy the password" />
          </p>
          <Button variant="primary" onClick={() => close(false)}>
            Done
          </Button>
        </div>
      ) : (
        <form onSubmit={submit} className="flex flex-col gap-3">
          <Field label="Name">
            {(control) => (
              <Input
                {...control}
                value={values.name}
                onChange={(event) => setValues({ ...values, name: event.currentTarget.value })}
                required
              />
            )}
          </Field>
          <Field label="E-mail" error={create.error?.message}>
            {(control) => (
              <Input
                {...control}
                type="email"
                value={values.email}
                onChange={(event) => setValues({ ...values, email: event.currentTarget.value })}
                required
              />
            )}
          </Field>
          <Field label="Role">
            {({ id }) => (
              <Select id={id} label="Role" value={role} options={ROLES} onChange={setRole} />
            )}
          </Field>
          <Button type="submit" variant="primary" disabled={create.isPending}>
            Add user
          </Button>
        </form>
      )}
    </Dialog>
  )
}
