'use client'

import type { RefObject } from 'react'
import { ChoiceSelect } from '@/components/kit/list/choice-select.tsx'
import { ListFilters } from '@/components/kit/list/list-filters.tsx'
import { PromptSelect } from '@/components/kit/list/prompt-select.tsx'
import { RangeSelect } from '@/components/kit/list/range-select.tsx'
import { toChoices } from '@/components/kit/list/to-choices.ts'
import { Select } from '@/components/ui/select.tsx'
import { SESSIONS } from '@/server/sessions/sessions.list.ts'
import type { FilterState } from './session-filter.ts'
import { findView, VIEWS } from './views.ts'

const { verdict, enforced } = SESSIONS.params

// A session bypassed at its deadline is one of the bypassed.
const VERDICTS = toChoices(verdict.values.filter((value) => value !== 'deadline'))

const ENFORCED = toChoices(enforced.values, { not: 'Not fully enforced', fully: 'Fully enforced' })

const VIEW_CHOICES = VIEWS.map(({ name }) => ({ value: name, label: name }))

const CUSTOM = 'Custom filter'

/** Parameters without a control of their own. */
const WORDS = ['status', 'version', 'runtime'] as const

export interface FilterProps {
  readonly state: FilterState
  readonly search: RefObject<HTMLInputElement | null>
}

export function SessionFilters({ state, search }: FilterProps) {
  const { values, isTimed, set } = state
  const view = findView(values)?.name ?? CUSTOM
  return (
    <ListFilters
      search={search}
      label="Search sessions"
      placeholder="Filter, such as status:lost"
      state={state}
      words={view === CUSTOM ? WORDS.filter((name) => values[name] !== 'all') : []}
    >
      <Select
        label="View"
        value={view}
        options={
          view === CUSTOM ? [...VIEW_CHOICES, { value: CUSTOM, label: CUSTOM }] : VIEW_CHOICES
        }
        onChange={(name) => {
          const chosen = VIEWS.find((one) => one.name === name)
          if (chosen !== undefined) void set({ ...chosen.values, range: values.range })
        }}
      />
      <RangeSelect
        range={values.range}
        standard={SESSIONS.standardRange}
        isTimed={isTimed}
        onChange={(range) => void set({ range })}
      />
      <PromptSelect value={values.prompt} onChange={(prompt) => void set({ prompt })} />
      <ChoiceSelect
        label="Verdict"
        all="Any verdict"
        choices={VERDICTS}
        value={values.verdict === 'deadline' ? 'bypassed' : values.verdict}
        onChange={(next) => void set({ verdict: next })}
      />
      <ChoiceSelect
        label="Enforcement"
        all="Any enforcement"
        choices={ENFORCED}
        value={values.enforced}
        onChange={(next) => void set({ enforced: next })}
      />
    </ListFilters>
  )
}
