// Says that somebody looks after an alert, and what they do.
'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC, useTRPCClient } from '@/components/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Field, Textarea } from '@/components/ui/input.tsx'
import type { ListedAlert } from '@/server/read-models/alert-list.ts'

export function AcknowledgeDialog({
  alert,
  onClose,
}: {
  readonly alert: ListedAlert
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const [note, setNote] = useState('')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.alerts.acknowledge.mutate({ id: alert.id, note }),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.alerts.pathKey() }),
  })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Acknowledge ${alert.rule}?`}
      description={alert.reason}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={isPending} onClick={() => mutate()}>
            Acknowledge
          </Button>
        </>
      }
    >
      <Field label="Note" hint="What you do about it; everybody sees it beside the alert.">
        {(control) => (
          <Textarea
            {...control}
            rows={2}
            maxLength={2_000}
            value={note}
            onChange={({ currentTarget }) => setNote(currentTarget.value)}
          />
        )}
      </Field>
      {error === null ? null : (
        <p role="alert" className="pt-2 text-deny-fg">
          {error.message}
        </p>
      )}
    </Dialog>
  )
}
