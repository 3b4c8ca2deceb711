'use client'

import { clsx } from 'clsx'
import { type ReactNode, type RefObject, useState } from 'react'
import { Button } from '@/components/ui/button.tsx'
import { FilterBox } from './filter-box.tsx'
import { ALL_TIME } from './range.ts'
import { RemoveFilter } from './remove-filter.tsx'

interface ListFiltersProps<Name extends string> {
  readonly search: RefObject<HTMLInputElement | null>
  readonly label: string
  readonly placeholder: string
  readonly state: {
    readonly values: { readonly q: string | null } & {
      readonly [Part in Name]: string | number | boolean | null
    }
    readonly problem: string | null
    readonly set: (values: { readonly q?: string | null }) => Promise<unknown>
  }
  /** Absent: every parameter has a control. */
  readonly words?: readonly Name[]
  /** The list is in a card, and its controls have labels above them. */
  readonly isInCard?: boolean
  readonly children: ReactNode
}

/** The order, and what shows everything, hide no row; the text and the words have their place beside the button. */
function countHidden(values: object, words: readonly string[]): number {
  return Object.entries(values).filter(
    ([name, value]) =>
      value !== null &&
      value !== ALL_TIME &&
      name !== 'q' &&
      name !== 'sort' &&
      !words.includes(name),
  ).length
}

export function ListFilters<Name extends string>(props: ListFiltersProps<Name>) {
  const { search, label, placeholder, state, words = [], isInCard = false, children } = props
  const { values, problem, set } = state
  const [isOpen, setOpen] = useState(false)
  // A phone shows the other controls on request, so that rows are in its first screen.
  const shown = isOpen ? 'contents' : 'contents max-sm:hidden'
  const count = countHidden(values, words)
  return (
    <search
      data-filters
      className={clsx(
        'flex shrink-0 flex-col gap-1.5 border-border border-b bg-surface-2',
        isInCard ? 'px-3 py-2' : 'px-4 py-1.5',
      )}
    >
      <div
        className={clsx(
          'flex flex-wrap gap-y-1.5',
          isInCard ? 'items-end gap-x-2' : 'items-center gap-x-2',
        )}
      >
        <FilterBox
          input={search}
          label={label}
          placeholder={placeholder}
          text={values.q}
          problem={problem}
          onText={(q) => set({ q })}
        />
        <Button className="sm:hidden" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {count === 0 ? 'Filters' : `Filters (${count})`}
        </Button>
        <div className={shown}>{children}</div>
        {words.map((name) =>
          values[name] === null ? null : (
            <RemoveFilter
              key={name}
              part={`${name}:${values[name]}`}
              onRemove={() => void set({ [name]: null })}
            />
          ),
        )}
      </div>
    </search>
  )
}
