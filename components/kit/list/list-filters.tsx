// Controls above a list: the filter text, the list's own controls, and the parameters of a link without a control.
'use client'

import type { ReactNode, RefObject } from 'react'
import { FilterBox } from './filter-box.tsx'
import { RemoveFilter } from './remove-filter.tsx'

interface ListFiltersProps<Name extends string> {
  readonly search: RefObject<HTMLInputElement | null>
  /** "Search denied calls" */
  readonly label: string
  readonly placeholder: string
  readonly state: {
    readonly values: { readonly q: string | null } & {
      readonly [Part in Name]: string | number | null
    }
    readonly problem: string | null
    readonly set: (values: { readonly q?: string | null }) => Promise<unknown>
  }
  /** Parameters without a control, shown as removable text. Absent: every parameter has a control. */
  readonly words?: readonly Name[]
  readonly onRemove?: (name: Name) => void
  readonly children: ReactNode
}

export function ListFilters<Name extends string>(props: ListFiltersProps<Name>) {
  const { search, label, placeholder, state, words = [], onRemove, children } = props
  const { values, problem, set } = state
  return (
    <search
      data-filters
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-border border-b bg-surface-2 px-4 py-1.5"
    >
      <FilterBox
        input={search}
        label={label}
        placeholder={placeholder}
        text={values.q}
        problem={problem}
        onText={(q) => set({ q })}
      />
      {children}
      {words.map((name) =>
        values[name] === null ? null : (
          <RemoveFilter
            key={name}
            part={`${name}:${values[name]}`}
            onRemove={() => onRemove?.(name)}
          />
        ),
      )}
    </search>
  )
}
