'use client'

import { useId } from 'react'
import { Form, RefusedInput, Submit, useServerForm } from '@/components/kit/form/form.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { useZone } from '@/components/ui/time.tsx'
import { instantIn, localIn } from '@/components/ui/zoned-time.ts'

const DAY_MS = 86_400_000

export function MuteUntilDialog({
  name,
  onMute,
  onClose,
}: {
  readonly name: string
  /** `until`: epoch ms. */
  readonly onMute: (until: number) => void
  readonly onClose: () => void
}) {
  const zone = useZone()
  const id = useId()
  const form = useServerForm({
    values: { until: localIn(Date.now() + DAY_MS, zone) },
    toInput: ({ until }) => ({ until: instantIn(until, zone) }),
    send: async ({ until }) => {
      if (until === null || until <= Date.now()) {
        throw new RefusedInput('Choose a time in the future.', 'until')
      }
      onMute(until)
      onClose()
    },
  })
  return (
    <form.AppForm>
      <Dialog
        open
        onOpenChange={onClose}
        title={`Mute “${name}” until…`}
        description="It keeps firing, but no notifications are sent. Alerts stay in the list."
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Submit form={id} variant="primary">
              Mute the rule
            </Submit>
          </>
        }
      >
        <Form form={form} id={id}>
          <form.AppField name="until">
            {(field) => (
              <field.TextField
                label={`Date and time (${zone})`}
                type="datetime-local"
                className="w-56"
              />
            )}
          </form.AppField>
        </Form>
      </Dialog>
    </form.AppForm>
  )
}
