'use client'
// The link is shown once.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Form, FormFoot, FormProblem, Submit, useServerForm } from '@/components/kit/form/form.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { ShownOnce } from '@/components/ui/shown-once.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { MailOutcome } from '@/server/people/invitation-mail.ts'
import { InviteInput } from '@/server/people/people-input.ts'
import type { GrantInput } from './grant.ts'
import { PublishInField, RoleField } from './role-fields.tsx'

const BLANK: GrantInput & { email: string } = { email: '', role: 'viewer', publishIn: null }

/** `hasMail` undefined: not loaded. */
function describeInvitation(hasMail: boolean | undefined): string {
  if (hasMail === undefined) return 'Creates a one-time invite link.'
  return hasMail
    ? 'Creates a one-time invite link and emails it to the user. You can also copy it.'
    : 'Creates a one-time invite link. This server has no mail server, so give the link to the user yourself.'
}

export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const { data: ways } = useQuery(trpc.account.ways.queryOptions())
  const create = useMutation(
    trpc.invitations.create.mutationOptions({
      onSuccess: () =>
        void client.invalidateQueries({ queryKey: trpc.invitations.list.queryKey() }),
    }),
  )
  const form = useServerForm({
    values: BLANK,
    schema: InviteInput,
    toInput: (values) => values,
    send: create.mutateAsync,
  })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Invite a user"
      description={describeInvitation(ways?.passwordReset)}
    >
      {create.data === undefined ? (
        <Form form={form}>
          <form.AppField name="email">
            {(field) => (
              <field.TextField
                label="Email"
                hint="Only this address can use the link."
                type="email"
                autoComplete="off"
                required
              />
            )}
          </form.AppField>
          <form.AppField name="role">{() => <RoleField />}</form.AppField>
          <form.Subscribe selector={({ values }) => values}>
            {({ role, publishIn }) => (
              <>
                {role === 'publisher' && (
                  <form.AppField name="publishIn">{() => <PublishInField />}</form.AppField>
                )}
                <FormProblem />
                <FormFoot onCancel={onClose}>
                  <Submit variant="primary" disabled={publishIn?.length === 0}>
                    Create link
                  </Submit>
                </FormFoot>
              </>
            )}
          </form.Subscribe>
        </Form>
      ) : (
        <ShownOnce secret={create.data.link} copyLabel="Copy the invitation link" onDone={onClose}>
          <MailLine mail={create.data.mail} email={create.variables?.email ?? ''} />
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
          <StatusText status="warning">The email was not sent.</StatusText> {mail.why} The
          invitation is valid: give {email} this link.
        </p>
      )
    default:
      return mail satisfies never
  }
}
