'use client'
// Making an API key: name, environment, scopes, expiry. The key is shown once.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Checkbox } from '@/components/ui/checkbox.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import { ShownOnce } from '@/components/ui/shown-once.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { ExpiryField, expiresAt, IN_90_DAYS } from './key-expiry.tsx'
import { SCOPES, type Scope } from './key-scopes.ts'

export function KeyDialog({
  open,
  onOpenChange,
}: {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const create = useMutation(
    trpc.keys.create.mutationOptions({
      onSuccess: () => void client.invalidateQueries({ queryKey: trpc.keys.list.queryKey() }),
    }),
  )
  const close = (next: boolean) => {
    if (!next) create.reset()
    onOpenChange(next)
  }
  const problem = create.error
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title="New API key"
      description="A key belongs to one environment of this project."
    >
      {create.data === undefined ? (
        <KeyForm
          problem={problem && { message: problem.message, field: problem.data?.field }}
          onSubmit={(input) => create.mutate(input)}
          busy={create.isPending}
        />
      ) : (
        <ShownOnce secret={create.data.secret} copyLabel="Copy the key" onDone={() => close(false)}>
          <p>The key is shown only once. Store it where your agent reads its secrets.</p>
        </ShownOnce>
      )}
    </Dialog>
  )
}

interface KeyInput {
  readonly name: string
  readonly environment: string
  readonly scopes: Scope[]
  readonly expiresAt: number | null
}

interface Problem {
  readonly message: string
  readonly field: string | undefined
}

function KeyForm({
  problem,
  onSubmit,
  busy,
}: {
  readonly problem: Problem | null
  readonly onSubmit: (input: KeyInput) => void
  readonly busy: boolean
}) {
  const trpc = useTRPC()
  const environments = useQuery(trpc.runtimes.environments.queryOptions())
  const options = (environments.data ?? []).map(({ name }) => ({ value: name, label: name }))
  const [name, setName] = useState('')
  const [environment, setEnvironment] = useState<string>()
  const [scopes, setScopes] = useState<readonly Scope[]>(['ingest', 'read'])
  const [expiry, setExpiry] = useState(IN_90_DAYS)
  const chosen = environment ?? options[0]?.value ?? ''
  const toggle = (scope: Scope) =>
    setScopes(
      scopes.includes(scope) ? scopes.filter((other) => other !== scope) : [...scopes, scope],
    )
  const isElsewhere = problem?.field === 'expiresAt' || problem?.field === 'environment'
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        const at = expiresAt(expiry, Date.now())
        if (at !== undefined) {
          onSubmit({ name, environment: chosen, scopes: [...scopes], expiresAt: at })
        }
      }}
    >
      <Field
        label="Name"
        hint="Where it is used, for example “nightly agents”."
        error={isElsewhere ? undefined : problem?.message}
      >
        {(control) => (
          <Input
            {...control}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            required
            maxLength={80}
          />
        )}
      </Field>
      <Field
        label="Environment"
        error={problem?.field === 'environment' ? problem.message : undefined}
      >
        {({ id }) => (
          <Select
            id={id}
            label="Environment"
            value={chosen}
            options={options}
            onChange={setEnvironment}
          />
        )}
      </Field>
      <fieldset>
        <legend className="font-medium text-small text-text-2">May</legend>
        {SCOPES.map(({ value, name: scope, does }) => (
          <Checkbox key={value} checked={scopes.includes(value)} onChange={() => toggle(value)}>
            <span className="font-medium">{scope}</span>: {does}
          </Checkbox>
        ))}
        {scopes.length === 0 && (
          <ErrorLine className="text-small">Choose at least one scope.</ErrorLine>
        )}
      </fieldset>
      <ExpiryField
        value={expiry}
        onChange={setExpiry}
        error={problem?.field === 'expiresAt' ? problem.message : undefined}
      />
      <Button
        type="submit"
        variant="primary"
        disabled={busy || chosen === '' || scopes.length === 0 || name.trim() === ''}
      >
        Create key
      </Button>
    </form>
  )
}
