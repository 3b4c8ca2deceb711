'use client'
// Filters of the audit log: actor, action, subject, and time range.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { InstantField } from '@/components/ui/instant-field.tsx'
import { Select } from '@/components/ui/select.tsx'
import { actionText } from './audit-words.ts'
import type { useAuditFilter } from './use-audit-filter.ts'

type Filtering = ReturnType<typeof useAuditFilter>

const ALL = 'all'

export function AuditFilterFields({ filtering }: { readonly filtering: Filtering }) {
  const { state, change, clear, isFiltered } = filtering
  const trpc = useTRPC()
  const { data } = useQuery(trpc.auditLog.choices.queryOptions())
  const actors = (data?.actors ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const actions = (data?.actions ?? []).map((value) => ({ value, label: actionText(value) }))
  return (
    <div
      data-filters
      className="flex flex-wrap items-end gap-x-2 gap-y-1.5 border-border border-b bg-surface-2 px-3 py-2"
    >
      <Choice
        label="Who"
        all="everybody"
        value={state.actor}
        options={actors}
        onChange={(actor) => change({ actor })}
      />
      <Choice
        label="Did"
        all="anything"
        value={state.action}
        options={actions}
        onChange={(action) => change({ action })}
      />
      {/* Another target from outside is another text to begin with. */}
      <TargetField
        key={state.target}
        target={state.target}
        onChange={(target) => change({ target })}
      />
      <InstantField label="From" at={state.since} onChange={(since) => change({ since })} />
      <InstantField label="Before" at={state.until} onChange={(until) => change({ until })} />
      {isFiltered && <Button onClick={clear}>Clear filter</Button>}
    </div>
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
  // A link may name an actor or a target that this log does not contain.
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
      <Field label="To (id; Enter)">
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
