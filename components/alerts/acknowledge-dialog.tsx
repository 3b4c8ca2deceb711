'use client'

import { useRef } from 'react'
import { Submit, submitForm, useServerForm } from '@/components/kit/form/form.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { AcknowledgeInput } from '@/server/alerts/alert-input.ts'
import type { ListedAlert } from '@/server/alerts/alert-list.sql.ts'

export function AcknowledgeDialog({
  alert,
  start,
  onAcknowledge,
  onClose,
}: {
  readonly alert: ListedAlert
  /** Text of an earlier note that could not be sent. */
  readonly start: string
  readonly onAcknowledge: (note: string) => void
  readonly onClose: () => void
}) {
  const isDone = useRef(false)
  const form = useServerForm({
    values: { note: start },
    schema: AcknowledgeInput,
    toInput: ({ note }) => ({ id: alert.id, note }),
    send: async ({ note }) => {
      isDone.current = true
      onAcknowledge(note ?? '')
      onClose()
    },
  })
  return (
    <form.AppForm>
      <Dialog
        open
        onOpenChange={onClose}
        // The button that opened it goes with the acknowledgment.
        returnTo={() =>
          isDone.current ? document.querySelector<HTMLElement>(`[data-row="${alert.id}"]`) : null
        }
        title={`Acknowledge “${alert.rule}”?`}
        description={alert.reason}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Submit type="button" variant="primary" onClick={() => submitForm(form)}>
              Acknowledge
            </Submit>
          </>
        }
      >
        <form.AppField name="note">
          {(field) => (
            <field.TextareaField
              label="Note"
              hint="Describe what you are doing about it. Every member sees the note with the alert."
              rows={2}
              maxLength={2_000}
            />
          )}
        </form.AppField>
      </Dialog>
    </form.AppForm>
  )
}
