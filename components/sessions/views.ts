import { type FilterValues, NO_FILTER } from './session-filter.ts'

export interface View {
  readonly name: string
  readonly values: FilterValues
}

const view = (name: string, values: Partial<FilterValues>): View => ({
  name,
  values: { ...NO_FILTER, ...values },
})

export const VIEWS: readonly View[] = [
  view('All', { status: 'all' }),
  view('Running', { status: 'running' }),
  view('Blocked now', { status: 'blocked' }),
  view('Denied most', { status: 'all', verdict: 'denied', sort: 'denied' }),
  view('Bypassed at deadline', { status: 'all', verdict: 'deadline' }),
  view('Lost', { status: 'lost' }),
  view('Mine', { status: 'all', mine: true }),
]

/** The view with these values; null: none. Every range matches, and every order unless it belongs to a view. */
export function findView(values: FilterValues): View | null {
  const given = { ...NO_FILTER, ...values, status: values.status ?? 'all', range: null }
  return findSame(given) ?? findSame({ ...given, sort: null })
}

function findSame(values: FilterValues): View | null {
  const text = JSON.stringify(values)
  return VIEWS.find((one) => JSON.stringify(one.values) === text) ?? null
}
