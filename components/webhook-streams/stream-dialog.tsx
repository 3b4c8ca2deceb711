'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { FormProblem, Submit, submitForm, useServerForm } from '@/components/kit/form/form.tsx'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { StreamFormInput } from '@/server/webhook-streams/stream-input.ts'
import type { ListedStream } from '@/server/webhook-streams/streams.ts'

const EVERY = ''

export function StreamDialog({
  changed,
  onClose,
}: {
  /** Null: a new stream. */
  readonly changed: ListedStream | null
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const environments = useQuery(trpc.environments.list.queryOptions()).data ?? []
  const save = useMutation({
    mutationFn: async (stream: z.input<typeof StreamFormInput>) => {
      if (changed === null) await client.webhookStreams.create.mutate(stream)
      else await client.webhookStreams.change.mutate({ id: changed.id, stream })
    },
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.webhookStreams.pathKey() }),
  })
  const form = useServerForm({
    values: {
      name: changed?.name ?? '',
      url: '',
      audit: changed?.audit ?? true,
      decisions: changed?.decisions ?? false,
      environment: changed?.environment ?? EVERY,
    },
    schema: StreamFormInput,
    toInput: ({ environment, ...values }) => ({
      ...values,
      environment: environment === EVERY || !values.decisions ? null : environment,
    }),
    send: save.mutateAsync,
  })
  const places = [
    { value: EVERY, label: 'every environment' },
    ...environments.map(({ name }) => ({ value: name, label: name })),
  ]
  return (
    <form.AppForm>
      <Dialog
        open
        onOpenChange={onClose}
        title={changed === null ? 'New webhook stream' : `Change ${changed.name}`}
        description={
          changed === null
            ? 'It sends records from now on.'
            : 'The numbers of its records continue. The current address is hidden: enter it again, or a new one.'
        }
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Submit type="button" variant="primary" onClick={() => submitForm(form)}>
              {changed === null ? 'Create stream' : 'Save stream'}
            </Submit>
          </>
        }
      >
        <div className="flex flex-col gap-4">
          <form.AppField name="name">
            {(field) => <field.TextField label="Name" maxLength={100} />}
          </form.AppField>
          <form.AppField name="url">
            {(field) => <field.TextField label="Address" type="url" placeholder="https://" />}
          </form.AppField>
          <fieldset>
            <legend className="font-medium text-small text-text-2">Sends</legend>
            <form.AppField name="audit">
              {(field) => <field.CheckboxField>Audit log of the project</field.CheckboxField>}
            </form.AppField>
            <form.AppField name="decisions">
              {(field) => <field.CheckboxField>Denied calls and stops</field.CheckboxField>}
            </form.AppField>
          </fieldset>
          <form.Subscribe selector={({ values }) => values.decisions}>
            {(hasDecisions) =>
              hasDecisions ? (
                <form.AppField name="environment">
                  {(field) => <field.SelectField label="Decisions of" options={places} />}
                </form.AppField>
              ) : null
            }
          </form.Subscribe>
          <FormProblem />
        </div>
      </Dialog>
    </form.AppForm>
  )
}
