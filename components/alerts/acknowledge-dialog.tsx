// Acknowledges an alert, with a note about what is being done.
'use client'

import { useState } from 'react'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Field, Textarea } from '@/components/ui/input.tsx'
import type { ListedAlert } from '@/server/alerts/alert-list.sql.ts'

export function AcknowledgeDialog({
  alert,
  start,
  onAcknowledge,
  onClose,
}: {
  readonly alert: ListedAlert
  /** Text of an earlier note that failed to send. */
  readonly start: string
  readonly onAcknowledge: (note: string) => void
  readonly onClose: () => void
}) {
  const [note, setNote] = useState(start)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Acknowledge ${alert.rule}?`}
      description={alert.reason}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            onClick={() => {
              onAcknowledge(note)
              onClose()
            }}
          >
            Acknowledge
          </Button>
        </>
      }
    >
      <Field label="Note" hint="What you are doing about it. Every member sees it with the alert.">
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
    </Dialog>
  )
}
