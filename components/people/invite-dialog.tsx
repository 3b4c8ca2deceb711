'use client'
// Inviting a person: address, role, environments; the link is shown once.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { ShownOnce } from '@/components/ui/shown-once.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { MailOutcome } from '@/server/people/invitation-mail.ts'
import { type GrantInput, RoleFields } from './role-fields.tsx'

const NOBODY = { role: 'viewer', publishIn: null } as const satisfies GrantInput

export function InviteDialog({
  open,
  onOpenChange,
}: {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [email, setEmail] = useState('')
  const [grant, setGrant] = useState<GrantInput>(NOBODY)
  const create = useMutation(
    trpc.invitations.create.mutationOptions({
      onSuccess: () =>
        void client.invalidateQueries({ queryKey: trpc.invitations.list.queryKey() }),
    }),
  )
  const close = (next: boolean) => {
    if (!next) {
      create.reset()
      setEmail('')
      setGrant(NOBODY)
    }
    onOpenChange(next)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({ email, ...grant })
  }
  const field = create.error?.data?.field
  const error = create.error?.message
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title="Invite a user"
      description="Creates a one-time invite link. It is e-mailed if mail is configured; you can always copy it."
    >
      {create.data === undefined ? (
        <form onSubmit={submit} className="flex flex-col gap-3">
          <Field
            label="E-mail"
            hint="Only this address can use the link."
            error={field === 'publishIn' ? undefined : error}
          >
            {(control) => (
              <Input
                {...control}
                type="email"
                value={email}
                onChange={(event) => setEmail(event.currentTarget.value)}
                autoComplete="off"
                required
              />
            )}
          </Field>
          <RoleFields
            value={grant}
            onChange={setGrant}
            error={field === 'publishIn' ? error : undefined}
          />
          <Button
            type="submit"
            variant="primary"
            disabled={create.isPending || grant.publishIn?.length === 0}
          >
            Create link
          </Button>
        </form>
      ) : (
        <ShownOnce
          secret={create.data.link}
          copyLabel="Copy the invitation link"
          onDone={() => close(false)}
        >
          <MailLine mail={create.data.mail} email={email} />
          <p>
            It is shown once, works once, and ends at{' '}
            <Timestamp at={create.data.expiresAt} style="second" />.
          </p>
        </ShownOnce>
      )}
    </Dialog>
  )
}

function MailLine({ mail, email }: { readonly mail: MailOutcome; readonly email: string }) {
  switch (mail.state) {
    case 'none':
      return <p>Give {email} this link.</p>
    case 'sent':
      return <p>The link was sent to {email}. You can pass it on yourself as well.</p>
    case 'failed':
      return (
        <p role="alert">
          <StatusText status="warning">The e-mail was not sent.</StatusText> {mail.why} The
          invitation holds: give {email} this link.
        </p>
      )
    default:
      return mail satisfies never
  }
}
