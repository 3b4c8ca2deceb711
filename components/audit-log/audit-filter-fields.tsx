'use client'

import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, type RefObject, useState } from 'react'
import { ChoiceSelect } from '@/components/kit/list/choice-select.tsx'
import { ListFilters } from '@/components/kit/list/list-filters.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { InstantField } from '@/components/ui/instant-field.tsx'
import { actionText } from './audit-words.ts'
import type { AuditFilterState } from './use-audit-filter.ts'

export function AuditFilterFields({
  state,
  search,
}: {
  readonly state: AuditFilterState
  readonly search: RefObject<HTMLInputElement | null>
}) {
  const { values, set, times, setTimes, clear, isFiltered } = state
  const trpc = useTRPC()
  const { data } = useQuery(trpc.auditLog.choices.queryOptions())
  const actors = (data?.actors ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const actions = (data?.actions ?? []).map((value) => ({ value, label: actionText(value) }))
  return (
    <ListFilters
      isInCard
      search={search}
      label="Search the audit log"
      placeholder="did:release from:10.0.0.1"
      state={state}
    >
      <Choice
        label="Actor"
        all="Anyone"
        value={values.actor}
        choices={actors}
        onChange={(actor) => void set({ actor })}
      />
      <Choice
        label="Action"
        all="Any"
        value={values.action}
        choices={actions}
        onChange={(action) => void set({ action })}
      />
      {/* The key remounts the field when the address changes its target. */}
      <TargetField
        key={values.target}
        target={values.target}
        onChange={(target) => void set({ target })}
      />
      <InstantField label="Since" at={times.since} onChange={(since) => setTimes({ since })} />
      <InstantField label="Before" at={times.until} onChange={(until) => setTimes({ until })} />
      {isFiltered && <Button onClick={clear}>Clear filter</Button>}
    </ListFilters>
  )
}

function Choice({ label, ...select }: Omit<ComponentProps<typeof ChoiceSelect<string>>, 'id'>) {
  return (
    <Field label={label}>
      {({ id }) => <ChoiceSelect {...select} id={id} label={label} className="max-w-56" />}
    </Field>
  )
}

function TargetField({
  target,
  onChange,
}: {
  readonly target: string | null
  readonly onChange: (target: string | null) => void
}) {
  const [text, setText] = useState(target ?? '')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onChange(text.trim() === '' ? null : text.trim())
      }}
    >
      <Field label="Target ID">
        {(control) => (
          <Input
            {...control}
            className="w-44 font-mono text-mono"
            value={text}
            placeholder="rel_01…"
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
    </form>
  )
}
