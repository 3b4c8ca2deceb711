'use client'

import type { RefObject } from 'react'
import { ChoiceChips } from '@/components/kit/list/choice-chips.tsx'
import { FilterBox } from '@/components/kit/list/filter-box.tsx'
import { PromptSelect } from '@/components/kit/list/prompt-select.tsx'
import { DEFAULT_RANGES, RANGES } from '@/components/kit/list/range.ts'
import { Select } from '@/components/ui/select.tsx'
import { type FilterState, STATUSES } from './session-filter.ts'
import { findView, VIEWS } from './views.ts'

const ALL = 'all'

const VERDICT_OPTIONS = [
  { value: ALL, label: 'any verdict' },
  { value: 'denied', label: 'Denied' },
  { value: 'blocked', label: 'Blocked' },
  { value: 'bypassed', label: 'Bypassed' },
  { value: 'warning', label: 'Warning' },
] as const

const ENFORCED_OPTIONS = [
  { value: ALL, label: 'any enforcement' },
  { value: 'not', label: 'Not fully enforced' },
  { value: 'fully', label: 'Fully enforced' },
] as const

const VIEW_CHOICES = VIEWS.map(({ name }) => ({ value: name, label: name }))

const STATUS_OPTIONS = [
  { value: ALL, label: 'any status' },
  ...STATUSES.map((status) => ({ value: status, label: status })),
] as const

const CUSTOM = 'custom'

export interface FilterProps {
  readonly state: FilterState
  readonly isLiveFirst: boolean
  readonly search: RefObject<HTMLInputElement | null>
}

export function SessionFilters(props: FilterProps) {
  const { state, isLiveFirst, search } = props
  const { values, change } = state
  return (
    <search
      data-filters
      className="flex shrink-0 flex-col gap-1.5 border-border border-b bg-surface-2 px-4 py-1.5"
    >
      <ChoiceChips
        label="Views"
        choices={VIEW_CHOICES}
        value={findView(values, isLiveFirst)?.name ?? null}
        onChange={(name) => {
          const view = VIEWS.find((one) => one.name === name) ?? VIEWS[0]
          if (view !== undefined) void change({ ...view.values, range: values.range })
        }}
      />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <FilterBox
          input={search}
          label="Search sessions"
          placeholder="status:running runtime:worker-3"
          text={values.q}
          problem={state.problem}
          onText={(q) => change({ q })}
        />
        <div className="flex min-w-0 max-w-full gap-1.5 max-sm:overflow-x-auto sm:flex-wrap">
          <RangeSelect state={state} />
          <StatusSelect state={state} isLiveFirst={isLiveFirst} />
          <PromptSelect value={values.prompt} onChange={(prompt) => change({ prompt })} />
          <Select
            label="Verdict"
            value={values.verdict === 'deadline' ? 'bypassed' : (values.verdict ?? ALL)}
            options={VERDICT_OPTIONS}
            onChange={(verdict) => change({ verdict: verdict === ALL ? null : verdict })}
          />
          <Select
            label="Enforcement"
            value={values.enforced ?? ALL}
            options={ENFORCED_OPTIONS}
            onChange={(enforced) => change({ enforced: enforced === ALL ? null : enforced })}
          />
        </div>
      </div>
    </search>
  )
}

function RangeSelect({ state }: Pick<FilterProps, 'state'>) {
  const range = state.isTimed ? CUSTOM : (state.values.range ?? DEFAULT_RANGES.sessions)
  const isKnown = RANGES.some(({ value }) => value === range)
  const known = RANGES.map(({ value, label }) => ({ value: String(value), label }))
  const custom = { value: CUSTOM, label: state.isTimed ? 'set by the filter' : 'custom range' }
  return (
    <Select
      label="Range"
      value={isKnown ? range : CUSTOM}
      options={isKnown ? known : [...known, custom]}
      onChange={(next) => {
        if (next !== CUSTOM) {
          void state.change({
            range: next === DEFAULT_RANGES.sessions && !state.isTimed ? null : next,
          })
        }
      }}
    />
  )
}

function StatusSelect({ state, isLiveFirst }: Omit<FilterProps, 'search'>) {
  return (
    <Select
      label="Status"
      value={state.filter.status ?? ALL}
      options={STATUS_OPTIONS}
      onChange={(next) => state.change({ status: next === ALL && !isLiveFirst ? null : next })}
    />
  )
}
