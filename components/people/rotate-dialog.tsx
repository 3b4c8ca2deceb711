'use client'
// Rotating a key: a new one in its place, while the old one works on for as long as the change takes.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Field } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import { ShownOnce } from '@/components/ui/shown-once.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { ExpiryField, expiresAt, IN_90_DAYS } from './key-expiry.tsx'

const OVERLAPS = [
  { value: '0', label: 'ends now' },
  { value: '1', label: 'works for 1 more hour' },
  { value: '24', label: 'works for 24 more hours' },
  { value: '168', label: 'works for 7 more days' },
] as const

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
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]['value']>('24')
  const [expiry, setExpiry] = useState(IN_90_DAYS)
  const rotate = useMutation(
    trpc.keys.rotate.mutationOptions({
      onSuccess: () => void client.invalidateQueries({ queryKey: trpc.keys.list.queryKey() }),
    }),
  )
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Rotate ${name}`}
      description="A new key with the same environment and scopes."
    >
      {rotate.data === undefined ? (
        <form
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault()
            const at = expiresAt(expiry, Date.now())
            if (at !== undefined) {
              rotate.mutate({ id, overlapHours: Number(overlap), expiresAt: at })
            }
          }}
        >
          <Field
            label={`The old key ${prefix}…`}
            hint="Give the new key to everything that uses the old one before then."
          >
            {(control) => (
              <Select
                id={control.id}
                label={`The old key ${prefix}`}
                value={overlap}
                options={OVERLAPS}
                onChange={setOverlap}
              />
            )}
          </Field>
          <ExpiryField value={expiry} onChange={setExpiry} error={rotate.error?.message} />
          <Button type="submit" variant="primary" disabled={rotate.isPending}>
            Create new key
          </Button>
        </form>
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
