// The views and the filter over the sessions list.
'use client'

import { useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import type { RefObject } from 'react'
import { useTRPC } from '@/components/trpc-provider.tsx'
import { Input } from '@/components/ui/input.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { Select } from '@/components/ui/select.tsx'
import { ChoiceChips } from './choice-chips.tsx'
import { DEFAULT_RANGES, RANGES } from './range.ts'
import { type FilterState, STATUSES } from './session-filter.ts'
import { VIEWS, viewOf } from './views.ts'

const VERDICT_CHOICES = [
  { value: 'denied', label: 'Denied' },
  { value: 'blocked', label: 'Blocked' },
  { value: 'bypassed', label: 'Bypassed' },
  { value: 'warning', label: 'Warning' },
] as const

const ENFORCED_CHOICES = [
  { value: 'not', label: 'Not fully enforced' },
  { value: 'fully', label: 'Fully enforced' },
] as const

const VIEW_CHOICES = VIEWS.map(({ name }) => ({ value: name, label: name }))

const ALL = 'all'

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
        value={viewOf(values, isLiveFirst)?.name ?? null}
        onChange={(name) => {
          const view = VIEWS.find((one) => one.name === name) ?? VIEWS[0]
          if (view !== undefined) change({ ...view.values, range: values.range })
        }}
      />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <div className="relative w-60 max-w-full">
          <Search
            size={14}
            aria-hidden
            className="absolute top-1/2 left-2 -translate-y-1/2 text-text-3"
          />
          <Input
            ref={search}
            aria-label="Search sessions"
            value={values.q ?? ''}
            spellCheck={false}
            placeholder="prompt, session id, runtime"
            className="pr-7 pl-7"
            onChange={({ target }) => change({ q: target.value === '' ? null : target.value })}
            onKeyDown={({ key, currentTarget }) => {
              if (key !== 'Escape') return
              change({ q: null })
              currentTarget.blur()
            }}
          />
          <span className="absolute inset-y-0 right-1.5 flex items-center max-sm:hidden">
            <Kbd>/</Kbd>
          </span>
        </div>
        <RangeSelect state={state} />
        <StatusSelect state={state} isLiveFirst={isLiveFirst} />
        <PromptSelect state={state} />
        <ChoiceChips
          label="Verdict"
          choices={VERDICT_CHOICES}
          value={values.verdict === 'deadline' ? 'bypassed' : values.verdict}
          onChange={(verdict) => change({ verdict })}
        />
        <ChoiceChips
          label="Enforcement"
          choices={ENFORCED_CHOICES}
          value={values.enforced}
          onChange={(enforced) => change({ enforced })}
        />
      </div>
    </search>
  )
}

function RangeSelect({ state }: Pick<FilterProps, 'state'>) {
  const range = state.values.range ?? DEFAULT_RANGES.sessions
  const isKnown = RANGES.some(({ value }) => value === range)
  const known = RANGES.map(({ value, label }) => ({ value: String(value), label }))
  return (
    <Select
      label="Range"
      value={isKnown ? range : CUSTOM}
      options={isKnown ? known : [...known, { value: CUSTOM, label: 'two instants' }]}
      onChange={(next) => {
        if (next !== CUSTOM) state.change({ range: next === DEFAULT_RANGES.sessions ? null : next })
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

function PromptSelect({ state }: Pick<FilterProps, 'state'>) {
  const trpc = useTRPC()
  const prompts = useQuery(trpc.sessions.prompts.queryOptions(undefined, { staleTime: 30_000 }))
  const names = (prompts.data ?? []).map(({ ns, key }) => `${ns}/${key}`)
  const chosen = state.values.prompt
  const all = chosen === null || names.includes(chosen) ? names : [...names, chosen]
  return (
    <Select
      label="Prompt"
      value={chosen ?? ALL}
      options={[
        { value: ALL, label: 'all prompts' },
        ...all.map((name) => ({ value: name, label: name })),
      ]}
      onChange={(next) => state.change({ prompt: next === ALL ? null : next })}
    />
  )
}
