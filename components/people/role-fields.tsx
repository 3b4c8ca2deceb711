'use client'
// A role, and for publishers the environments where it holds.
import { useQuery } from '@tanstack/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Checkbox } from '@/components/ui/checkbox.tsx'
import { Field } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import type { AppRouter } from '@/server/trpc/root.ts'

export type Member = inferRouterOutputs<AppRouter>['members']['list'][number]
export type Role = Member['role']

export interface GrantInput {
  readonly role: Role
  /** Null: every environment. */
  readonly publishIn: string[] | null
}

const ROLES = [
  { value: 'viewer', label: 'viewer', does: 'Reads everything except keys and the audit log.' },
  { value: 'editor', label: 'editor', does: 'Also creates and edits drafts, and runs backtests.' },
  { value: 'publisher', label: 'publisher', does: 'Also publishes, promotes and rolls back.' },
  { value: 'admin', label: 'admin', does: 'Also manages people, keys and the project.' },
] as const satisfies readonly {
  readonly value: Role
  readonly label: string
  readonly does: string
}[]

/** `publisher of dev and staging`. */
export function grantText({ role, publishIn }: Pick<Member, 'role' | 'publishIn'>): string {
  if (role !== 'publisher' || publishIn === null) return role
  return `publisher of ${publishIn.length === 0 ? 'nothing' : publishIn.join(', ')}`
}

export function RoleFields({
  value,
  onChange,
  error,
}: {
  readonly value: GrantInput
  readonly onChange: (value: GrantInput) => void
  readonly error?: string | undefined
}) {
  const { role, publishIn } = value
  return (
    <>
      <Field label="Role" hint={ROLES.find((one) => one.value === role)?.does} error={error}>
        {({ id }) => (
          <Select
            id={id}
            label="Role"
            value={role}
            options={ROLES}
            onChange={(next) => onChange({ role: next, publishIn })}
          />
        )}
      </Field>
      {role === 'publisher' && (
        <Places publishIn={publishIn} onChange={(next) => onChange({ role, publishIn: next })} />
      )}
    </>
  )
}

function Places({
  publishIn,
  onChange,
}: {
  readonly publishIn: string[] | null
  readonly onChange: (publishIn: string[] | null) => void
}) {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.runtimes.environments.queryOptions())
  const names = (data ?? []).map(({ name }) => name)
  const toggle = (name: string) => {
    const chosen = publishIn ?? []
    onChange(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name])
  }
  return (
    <fieldset>
      <legend className="font-medium text-small text-text-2">May release to</legend>
      <Checkbox
        checked={publishIn === null}
        onChange={() => onChange(publishIn === null ? names.slice(0, 1) : null)}
      >
        every environment, including future ones
      </Checkbox>
      {publishIn !== null &&
        names.map((name) => (
          <Checkbox key={name} checked={publishIn.includes(name)} onChange={() => toggle(name)}>
            {name}
          </Checkbox>
        ))}
      {publishIn?.length === 0 && (
        <ErrorLine className="text-small">
          Choose at least one environment, or assign the role editor.
        </ErrorLine>
      )}
    </fieldset>
  )
}
