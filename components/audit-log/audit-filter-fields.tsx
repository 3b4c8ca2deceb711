'use client'

import { useQuery } from '@tanstack/react-query'
import { type RefObject, useState } from 'react'
import { FilterBox } from '@/components/kit/list/filter-box.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { InstantField } from '@/components/ui/instant-field.tsx'
import { Select } from '@/components/ui/select.tsx'
import { actionText } from './audit-words.ts'
import type { AuditFilterState } from './use-audit-filter.ts'

const ALL = 'all'

export function AuditFilterFields({
  state,
  search,
}: {
  readonly state: AuditFilterState
  readonly search: RefObject<HTMLInputElement | null>
}) {
  const { values, set, times, setTimes, problem, clear, isFiltered } = state
  const trpc = useTRPC()
  const { data } = useQuery(trpc.auditLog.choices.queryOptions())
  const actors = (data?.actors ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const actions = (data?.actions ?? []).map((value) => ({ value, label: actionText(value) }))
  return (
    <search
      data-filters
      className="flex flex-wrap items-end gap-x-2 gap-y-1.5 border-border border-b bg-surface-2 px-3 py-2"
    >
      <FilterBox
        input={search}
        label="Search the audit log"
        placeholder="did:release from:10.0.0.1"
        text={values.q}
        problem={problem}
        onText={(q) => set({ q })}
      />
      <Choice
        label="Actor"
        all="anyone"
        value={values.actor}
        options={actors}
        onChange={(actor) => void set({ actor })}
      />
      <Choice
        label="Action"
        all="any"
        value={values.action}
        options={actions}
        onChange={(action) => void set({ action })}
      />
      {/* The key remounts the field when the address changes its target. */}
      <TargetField
        key={values.target}
        target={values.target}
        onChange={(target) => void set({ target })}
      />
      <InstantField label="From" at={times.since} onChange={(since) => setTimes({ since })} />
      <InstantField label="Before" at={times.until} onChange={(until) => setTimes({ until })} />
      {isFiltered && <Button onClick={clear}>Clear filter</Button>}
    </search>
  )
}

function Choice({
  label,
  all,
  value,
  options,
  onChange,
}: {
  readonly label: string
  readonly all: string
  readonly value: string | null
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly onChange: (value: string | null) => void
}) {
  // A link may name an actor or target that this log does not contain.
  const isKnown = value === null || options.some((option) => option.value === value)
  const known = isKnown ? options : [...options, { value, label: value }]
  return (
    <Field label={label}>
      {({ id }) => (
        <Select
          id={id}
          label={label}
          value={value ?? ALL}
          options={[{ value: ALL, label: all }, ...known]}
          onChange={(next) => onChange(next === ALL ? null : next)}
          className="max-w-56"
        />
      )}
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
