'use client'
import { useStore } from '@tanstack/react-form'
import { useMutation } from '@tanstack/react-query'
import { useId } from 'react'
import { Form, FormProblem, Submit, useServerForm } from '@/components/kit/form/form.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { useZone } from '@/components/ui/time.tsx'
import { instantIn, localIn } from '@/components/ui/zoned-time.ts'
import { MovePlanInput } from '@/server/releases/release-input.ts'
import type { ListedSchedule } from '@/server/releases/schedule-list.sql.ts'
import { usePlanSettled } from './use-plan-settled.ts'

export function MovePlanDialog({
  row,
  onClose,
}: {
  readonly row: ListedSchedule
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const zone = useZone()
  const id = useId()
  const move = useMutation(
    trpc.schedules.move.mutationOptions({ onSuccess: onClose, onSettled: usePlanSettled() }),
  )
  const form = useServerForm({
    values: { dueAt: localIn(row.dueAt, zone) },
    schema: MovePlanInput,
    toInput: (values) => {
      const dueAt = instantIn(values.dueAt, zone)
      return dueAt === null ? null : { id: row.id, dueAt, zone, expectedLive: row.live }
    },
    send: move.mutateAsync,
  })
  const isChosen = useStore(form.store, ({ values }) => instantIn(values.dueAt, zone) !== null)
  return (
    <form.AppForm>
      <Dialog
        open
        onOpenChange={onClose}
        title="Change time"
        description={`${row.version === null ? 'Draft' : `v${row.version}`} of ${row.ns}/${row.key} → ${row.environment}`}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Submit form={id} variant="primary" disabled={!isChosen}>
              Change time
            </Submit>
          </>
        }
      >
        <Form form={form} id={id}>
          <form.AppField name="dueAt">
            {(field) => <field.TextField label={`Date and time (${zone})`} type="datetime-local" />}
          </form.AppField>
          <FormProblem />
        </Form>
      </Dialog>
    </form.AppForm>
  )
}
