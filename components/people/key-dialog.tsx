'use client'
// The key is shown once.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Form, FormFoot, FormProblem, Submit, useServerForm } from '@/components/kit/form/form.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { ShownOnce } from '@/components/ui/shown-once.tsx'
import { KeyFormInput } from '@/server/people/key-input.ts'
import { ExpiryField } from './expiry-field.tsx'
import { type Expiry, expiresAt, IN_90_DAYS } from './key-expiry.ts'
import { SCOPES, type Scope } from './key-scopes.ts'

const SCOPE_OPTIONS = SCOPES.map(({ value, name, does }) => ({
  value,
  label: (
    <>
      <span className="font-medium">{name}</span>: {does}
    </>
  ),
}))

interface KeyValues {
  readonly name: string
  /** Null: the first environment. */
  readonly environment: string | null
  readonly scopes: Scope[]
  readonly expiresAt: Expiry
}

const BLANK: KeyValues = {
  name: '',
  environment: null,
  scopes: ['ingest', 'read'],
  expiresAt: IN_90_DAYS,
}

export function KeyDialog({ onClose }: { readonly onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const environments = useQuery(trpc.runtimes.environments.queryOptions()).data ?? []
  const options = environments.map(({ name }) => ({ value: name, label: name }))
  const first = options[0]?.value ?? ''
  const create = useMutation(
    trpc.keys.create.mutationOptions({
      onSuccess: () => void client.invalidateQueries({ queryKey: trpc.keys.list.queryKey() }),
    }),
  )
  const form = useServerForm({
    values: BLANK,
    schema: KeyFormInput,
    toInput: ({ environment, ...values }) => {
      const at = expiresAt(values.expiresAt, Date.now())
      return at === undefined
        ? null
        : { ...values, environment: environment ?? first, expiresAt: at }
    },
    send: create.mutateAsync,
  })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="New API key"
      description="A key belongs to one environment of this project."
    >
      {create.data === undefined ? (
        <Form form={form}>
          <form.AppField name="name">
            {(field) => (
              <field.TextField
                label="Name"
                hint="Where it is used, for example “nightly agents”."
                required
                maxLength={80}
              />
            )}
          </form.AppField>
          <form.AppField name="environment">
            {(field) => <field.SelectField label="Environment" options={options} unset={first} />}
          </form.AppField>
          <form.AppField name="scopes">
            {(field) => (
              <field.ChoicesField
                label="Scopes"
                options={SCOPE_OPTIONS}
                whenNone="Choose at least one scope."
              />
            )}
          </form.AppField>
          <form.AppField name="expiresAt">{() => <ExpiryField />}</form.AppField>
          <FormProblem />
          <FormFoot onCancel={onClose}>
            <form.Subscribe selector={({ values }) => values}>
              {({ name, scopes }) => (
                <Submit
                  variant="primary"
                  disabled={first === '' || scopes.length === 0 || name.trim() === ''}
                >
                  Create key
                </Submit>
              )}
            </form.Subscribe>
          </FormFoot>
        </Form>
      ) : (
        <ShownOnce secret={create.data.secret} copyLabel="Copy the key" onDone={onClose}>
          <p>The key is shown only once. Store it where its user reads secrets.</p>
        </ShownOnce>
      )}
    </Dialog>
  )
}
