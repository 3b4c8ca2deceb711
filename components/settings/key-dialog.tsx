'use client'
// Making an API key: name, environment, scopes, expiry. The key is shown once.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../trpc-provider.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Input } from '../ui/input.tsx'
import { Select } from '../ui/select.tsx'

const DAY_MS = 86_400_000
const EXPIRIES = [
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
  { value: 'never', label: 'never' },
] as const

const SCOPES = [
  { value: 'ingest', does: 'send events and heartbeats' },
  { value: 'read', does: 'read configs' },
  { value: 'publish', does: 'publish and roll back' },
] as const

type Scope = (typeof SCOPES)[number]['value']
type Expiry = (typeof EXPIRIES)[number]['value']

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
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title="New API key"
      description="A key speaks for one environment of this project."
    >
      {create.data === undefined ? (
        <KeyForm
          error={create.error?.message}
          onSubmit={(input) => create.mutate(input)}
          busy={create.isPending}
        />
      ) : (
        <ShownOnce secret={create.data.secret} onDone={() => close(false)} />
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

function KeyForm({
  error,
  onSubmit,
  busy,
}: {
  readonly error: string | undefined
  readonly onSubmit: (input: KeyInput) => void
  readonly busy: boolean
}) {
  const trpc = useTRPC()
  const environments = useQuery(trpc.runtimes.environments.queryOptions())
  const options = (environments.data ?? []).map(({ name }) => ({ value: name, label: name }))
  const [name, setName] = useState('')
  const [environment, setEnvironment] = useState<string>()
  const [scopes, setScopes] = useState<readonly Scope[]>(['ingest', 'read'])
  const [expiry, setExpiry] = useState<Expiry>('90')
  const chosen = environment ?? options[0]?.value ?? ''
  const toggle = (scope: Scope) =>
    setScopes(
      scopes.includes(scope) ? scopes.filter((other) => other !== scope) : [...scopes, scope],
    )
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        const expiresAt = expiry === 'never' ? null : Date.now() + Number(expiry) * DAY_MS
        onSubmit({ name, environment: chosen, scopes: [...scopes], expiresAt })
      }}
    >
      <Field label="Name" hint="What uses it, for example “nightly agents”." error={error}>
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
      <Field label="Environment">
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
        {SCOPES.map(({ value, does }) => (
          <Checkbox key={value} checked={scopes.includes(value)} onChange={() => toggle(value)}>
            {does}
          </Checkbox>
        ))}
      </fieldset>
      <Field label="Expires">
        {({ id }) => (
          <Select id={id} label="Expires" value={expiry} options={EXPIRIES} onChange={setExpiry} />
        )}
      </Field>
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

function ShownOnce({ secret, onDone }: { readonly secret: string; readonly onDone: () => void }) {
  return (
    <div className="flex flex-col gap-3">
      <p>
        This is the only time that the key is shown. Keep it where your agent reads its secrets.
      </p>
      <p className="flex items-center gap-1 rounded-control border border-border bg-surface-2 p-2">
        <code data-testid="secret" className="min-w-0 flex-1 break-all">
          {secret}
        </code>
        <CopyButton text={secret} label="Copy the key" />
      </p>
      <Button variant="primary" onClick={onDone}>
        Done
      </Button>
    </div>
  )
}
