'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { useField } from '@/components/kit/form/fields.tsx'
import { FormProblem, Submit, submitForm, useServerForm } from '@/components/kit/form/form.tsx'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Checkbox } from '@/components/ui/checkbox.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { DestinationFormInput } from '@/server/alerts/alert-input.ts'
import type { ListedDestination } from '@/server/alerts/destination-list.ts'
import { DestinationFields } from './destination-fields.tsx'
import { type DraftDestination, toDestination } from './rule-draft.ts'

interface Values {
  readonly destination: DraftDestination
  /** Ids of the rules that notify the destination. */
  readonly rules: string[]
}

export function DestinationDialog({
  changed,
  onClose,
}: {
  /** Null: a new destination. */
  readonly changed: ListedDestination | null
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const values: Values = {
    destination: { kind: changed?.kind ?? 'webhook', url: '' },
    rules: changed?.rules.map(({ id }) => id) ?? [],
  }
  const save = useMutation({
    mutationFn: async (input: z.input<typeof DestinationFormInput>) => {
      if (changed === null) await client.destinations.add.mutate(input)
      else {
        const { destination } = input
        await client.destinations.change.mutate({ id: changed.id, destination })
      }
    },
    onSuccess: onClose,
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: trpc.destinations.pathKey() }),
        queries.invalidateQueries({ queryKey: trpc.alerts.rules.queryKey() }),
      ]),
  })
  const form = useServerForm({
    values,
    schema: DestinationFormInput,
    toInput: ({ destination, rules }) => ({ destination: toDestination(destination), rules }),
    send: save.mutateAsync,
  })
  return (
    <form.AppForm>
      <Dialog
        open
        onOpenChange={onClose}
        title={changed === null ? 'New destination' : `Change ${changed.to}`}
        description={
          changed === null
            ? 'The selected rules notify it when they fire.'
            : 'All rules that use this destination will use the new address. The current address is hidden.'
        }
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Submit type="button" variant="primary" onClick={() => submitForm(form)}>
              {changed === null ? 'Add destination' : 'Save destination'}
            </Submit>
          </>
        }
      >
        <div className="flex flex-col gap-4">
          <div className="flex items-start gap-2">
            <DestinationFields form={form} fields="destination" kindLabel="Kind of destination" />
          </div>
          {changed === null ? (
            <form.AppField name="rules">{() => <RulesField />}</form.AppField>
          ) : null}
          <FormProblem />
        </div>
      </Dialog>
    </form.AppForm>
  )
}

function RulesField() {
  const { id: first, value: chosen, change, error } = useField<Values['rules']>()
  const trpc = useTRPC()
  const rules = useQuery(trpc.alerts.rules.queryOptions())
  const toggle = (id: string): void =>
    change(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id])
  return (
    <fieldset>
      <legend className="font-medium text-small text-text-2">Used by</legend>
      {rules.data?.map(({ id, name }, at) => (
        <Checkbox
          key={id}
          id={at === 0 ? first : undefined}
          checked={chosen.includes(id)}
          onChange={() => toggle(id)}
        >
          <span className="break-words">{name}</span>
        </Checkbox>
      ))}
      {rules.data?.length === 0 ? (
        <p className="text-text-2">
          There is no alert rule yet.{' '}
          <Link href="/alerts/rules" className="text-link underline">
            Create rule
          </Link>
        </p>
      ) : null}
      <ErrorLine className="text-small">
        {rules.error === null ? error : `The rules could not be loaded: ${rules.error.message}`}
      </ErrorLine>
    </fieldset>
  )
}
