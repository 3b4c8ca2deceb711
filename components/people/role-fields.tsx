'use client'

import { useQuery } from '@tanstack/react-query'
import { useField } from '@/components/kit/form/fields.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Checkbox } from '@/components/ui/checkbox.tsx'
import { Field } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import type { GrantInput, Role } from './grant.ts'

const ROLES = [
  {
    value: 'viewer',
    label: 'viewer',
    does: 'Reads everything except alert rules, destinations, streams, keys and the audit log.',
  },
  { value: 'editor', label: 'editor', does: 'Also creates and edits drafts, and runs backtests.' },
  { value: 'publisher', label: 'publisher', does: 'Also publishes, promotes and rolls back.' },
  { value: 'admin', label: 'admin', does: 'Also manages users, keys and the project.' },
] as const satisfies readonly {
  readonly value: Role
  readonly label: string
  readonly does: string
}[]

export function RoleField() {
  const { id, value: role, change, error } = useField<Role>()
  return (
    <Field id={id} label="Role" hint={ROLES.find((one) => one.value === role)?.does} error={error}>
      {() => <Select id={id} label="Role" value={role} options={ROLES} onChange={change} />}
    </Field>
  )
}

export function PublishInField() {
  const { id, value: publishIn, change, error } = useField<GrantInput['publishIn']>()
  const trpc = useTRPC()
  const { data } = useQuery(trpc.runtimes.environments.queryOptions())
  const names = (data ?? []).map(({ name }) => name)
  const toggle = (name: string) => {
    const chosen = publishIn ?? []
    change(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name])
  }
  return (
    <fieldset>
      <legend className="font-medium text-small text-text-2">May release to</legend>
      <Checkbox
        id={id}
        checked={publishIn === null}
        onChange={() => change(publishIn === null ? names.slice(0, 1) : null)}
      >
        every environment, including future ones
      </Checkbox>
      {publishIn !== null &&
        names.map((name) => (
          <Checkbox key={name} checked={publishIn.includes(name)} onChange={() => toggle(name)}>
            {name}
          </Checkbox>
        ))}
      <ErrorLine className="text-small">
        {publishIn?.length === 0
          ? 'Choose at least one environment, or assign the role editor.'
          : error}
      </ErrorLine>
    </fieldset>
  )
}
