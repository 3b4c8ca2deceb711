'use client'
// All of it is in the address.
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs'
import { toChoices } from '@/components/kit/list/to-choices.ts'
import { type ListState, useListState } from '@/components/kit/list/use-list-state.ts'
import { STOPS } from '@/server/explanations/stops.list.ts'

export const VERDICT_CHOICES = toChoices(STOPS.params.verdict.values)

export const VIEWS = [
  { value: 'reason', label: 'By reason' },
  { value: 'config', label: 'By config' },
  { value: 'all', label: 'Ungrouped' },
] as const

const PARSERS = {
  by: parseAsStringLiteral(VIEWS.map(({ value }) => value)).withDefault('reason'),
  /** The expanded group: verdict, code and, when grouped by config, `ns/key`. */
  open: parseAsString,
  peek: parseAsString,
}

function useView() {
  const [view, show] = useQueryStates(PARSERS)
  return { view, show }
}

export type StopView = ListState<typeof STOPS> &
  ReturnType<typeof useView> & {
    readonly narrow: ListState<typeof STOPS>['set']
  }

/** `now`: end of a relative range. */
export function useStopView(now: number): StopView {
  const state = useListState(STOPS, now)
  const { view, show } = useView()
  return {
    ...state,
    view,
    show,
    narrow: (values) => {
      void show({ open: null })
      return state.set(values)
    },
  }
}
