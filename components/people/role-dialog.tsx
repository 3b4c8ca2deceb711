'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { Form, FormProblem, Submit, useServerForm } from '@/components/kit/form/form.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { SetRoleInput } from '@/server/people/people-input.ts'
import { type GrantInput, grantText, type Member } from './grant.ts'
import { PublishInField, RoleField } from './role-fields.tsx'

export function RoleDialog({
  member,
  onClose,
}: {
  readonly member: Member
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const id = useId()
  const { userId, name, role, publishIn } = member
  const values: GrantInput = { role, publishIn: publishIn === null ? null : [...publishIn] }
  const save = useMutation(
    trpc.members.setRole.mutationOptions({
      onSuccess: () => {
        void client.invalidateQueries({ queryKey: trpc.members.pathKey() })
        onClose()
      },
    }),
  )
  const form = useServerForm({
    values,
    schema: SetRoleInput,
    toInput: (grant) => ({ userId, ...grant }),
    send: save.mutateAsync,
  })
  return (
    <form.AppForm>
      <form.Subscribe selector={(state) => state.values}>
        {(grant) => (
          <Dialog
            open
            onOpenChange={onClose}
            title={`Role of ${name}`}
            description="Applies from the user's next request."
            actions={
              <>
                <Button onClick={onClose}>Cancel</Button>
                <Submit
                  form={id}
                  variant="primary"
                  disabled={grantText(grant) === grantText(member) || grant.publishIn?.length === 0}
                >
                  Make {name} {grantText(grant)}
                </Submit>
              </>
            }
          >
            <Form form={form} id={id}>
              <form.AppField name="role">{() => <RoleField />}</form.AppField>
              {grant.role === 'publisher' && (
                <form.AppField name="publishIn">{() => <PublishInField />}</form.AppField>
              )}
              <FormProblem />
            </Form>
          </Dialog>
        )}
      </form.Subscribe>
    </form.AppForm>
  )
}
