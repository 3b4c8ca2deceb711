'use client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Form, FormFoot, FormProblem, Submit, useServerForm } from '@/components/kit/form/form.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { ShownOnce } from '@/components/ui/shown-once.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { RotateKeyInput } from '@/server/people/key-input.ts'
import { ExpiryField } from './expiry-field.tsx'
import { type Expiry, expiresAt, IN_90_DAYS } from './key-expiry.ts'

const OVERLAPS = [
  { value: '0', label: 'ends now' },
  { value: '1', label: 'works for 1 more hour' },
  { value: '24', label: 'works for 24 more hours' },
  { value: '168', label: 'works for 7 more days' },
] as const

interface RotateValues {
  readonly overlapHours: (typeof OVERLAPS)[number]['value']
  readonly expiresAt: Expiry
}

const BLANK: RotateValues = { overlapHours: '24', expiresAt: IN_90_DAYS }

export function RotateDialog({
  apiKey,
  onClose,
}: {
  readonly apiKey: { readonly id: string; readonly name: string; readonly prefix: string }
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const { id, name, prefix } = apiKey
  const rotate = useMutation(
    trpc.keys.rotate.mutationOptions({
      onSuccess: () => void client.invalidateQueries({ queryKey: trpc.keys.list.queryKey() }),
    }),
  )
  const form = useServerForm({
    values: BLANK,
    schema: RotateKeyInput,
    toInput: (values) => {
      const at = expiresAt(values.expiresAt, Date.now())
      if (at === undefined) return null
      return { id, overlapHours: Number(values.overlapHours), expiresAt: at }
    },
    send: rotate.mutateAsync,
  })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Rotate ${name}`}
      description="A new key with the same environment and scopes."
    >
      {rotate.data === undefined ? (
        <Form form={form}>
          <form.AppField name="overlapHours">
            {(field) => (
              <field.SelectField
                label={`The old key ${prefix}…`}
                hint="Give the new key to everything that uses the old one before then."
                options={OVERLAPS}
              />
            )}
          </form.AppField>
          <form.AppField name="expiresAt">{() => <ExpiryField />}</form.AppField>
          <FormProblem />
          <FormFoot onCancel={onClose}>
            <Submit variant="primary">Create new key</Submit>
          </FormFoot>
        </Form>
      ) : (
        <ShownOnce secret={rotate.data.secret} copyLabel="Copy the new key" onDone={onClose}>
          <p>
            This is the only time that the new key is shown. The old key {prefix}… is refused from{' '}
            <Timestamp at={rotate.data.oldExpiresAt} style="second" />.
          </p>
        </ShownOnce>
      )}
    </Dialog>
  )
}
