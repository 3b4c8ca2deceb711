'use client'

import type { RefObject } from 'react'
import { ChoiceChips } from '@/components/kit/list/choice-chips.tsx'
import { ChoiceSelect } from '@/components/kit/list/choice-select.tsx'
import { ListFilters } from '@/components/kit/list/list-filters.tsx'
import { PromptSelect } from '@/components/kit/list/prompt-select.tsx'
import { RangeSelect } from '@/components/kit/list/range-select.tsx'
import { toChoices } from '@/components/kit/list/to-choices.ts'
import { SESSIONS } from '@/server/sessions/sessions.list.ts'
import type { FilterState } from './session-filter.ts'
import { findView, VIEWS } from './views.ts'

const { status, verdict, enforced } = SESSIONS.params

// A session bypassed at its deadline is one of the bypassed.
const VERDICTS = toChoices(verdict.values.filter((value) => value !== 'deadline'))

const ENFORCED = toChoices(enforced.values, { not: 'Not fully enforced', fully: 'Fully enforced' })

const VIEW_CHOICES = VIEWS.map(({ name }) => ({ value: name, label: name }))

const STATUSES = status.values.map((value) => ({ value, label: value }))

export interface FilterProps {
  readonly state: FilterState
  readonly search: RefObject<HTMLInputElement | null>
}

export function SessionFilters({ state, search }: FilterProps) {
  const { values, filter, isTimed, set } = state
  return (
    <ListFilters
      search={search}
      label="Search sessions"
      placeholder="status:lost runtime:worker-3"
      state={state}
      above={
        <ChoiceChips
          label="Views"
          choices={VIEW_CHOICES}
          value={findView(values)?.name ?? null}
          onChange={(name) => {
            const view = VIEWS.find((one) => one.name === name) ?? VIEWS[0]
            if (view !== undefined) void set({ ...view.values, range: values.range })
          }}
        />
      }
    >
      <div className="flex min-w-0 max-w-full gap-1.5 max-sm:overflow-x-auto sm:flex-wrap">
        <RangeSelect
          range={values.range}
          standard={SESSIONS.standardRange}
          isTimed={isTimed}
          onChange={(range) => void set({ range })}
        />
        <ChoiceSelect
          label="Status"
          all="Any status"
          choices={STATUSES}
          value={filter.status ?? null}
          onChange={(next) => void set({ status: next })}
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
      </div>
    </ListFilters>
  )
}
