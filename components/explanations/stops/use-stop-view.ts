'use client'
// View state of the stops pages, all of it in the address.
import {
  createParser,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
  useQueryStates,
} from 'nuqs'
import { useMemo } from 'react'
import { parseAsRange, parsePrompt } from '@/components/kit/list/list-params.ts'
import { DEFAULT_RANGES, parseRange } from '@/components/kit/list/range.ts'
import { orderParser } from '@/components/kit/list/use-list-state.ts'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import type { StopFilter } from '@/server/explanations/stop-list.sql.ts'
import { STOPS } from '@/server/explanations/stops.list.ts'
import { readFilterText } from '@/server/platform/list/filter-grammar.ts'

export const VERDICTS = [
  { value: 'blocked', label: 'Blocked' },
  { value: 'bypassed', label: 'Bypassed' },
  { value: 'error', label: 'Error' },
  { value: 'no_checker', label: 'No checker' },
  { value: 'allowed', label: 'Allowed' },
] as const

export const VIEWS = [
  { value: 'reason', label: 'By reason' },
  { value: 'config', label: 'By config' },
  { value: 'all', label: 'Ungrouped' },
] as const

export const RANGES = [
  { value: '24h', label: '24 h' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: 'all', label: 'All' },
] as const

const EVERYTHING = 'all'

/** Accepts any range that lists accept, because links may contain ranges beyond the offered ones. */
const parseAsStopRange = createParser({
  parse: (text) => (text === EVERYTHING ? text : parseAsRange.parse(text)),
  serialize: (text: string) => text,
})

function toStopRange(range: string, now: number): Pick<StopFilter, 'since' | 'until'> {
  if (range === EVERYTHING) return {}
  return parseRange(range, now) ?? {}
}

const PARSERS = {
  verdict: parseAsStringLiteral(VERDICTS.map(({ value }) => value)),
  by: parseAsStringLiteral(VIEWS.map(({ value }) => value)).withDefault('reason'),
  range: parseAsStopRange.withDefault(DEFAULT_RANGES.stops),
  code: parseAsString,
  /** `ns/key` */
  prompt: parseAsString,
  version: parseAsInteger,
  q: parseAsString,
  /** The expanded group: verdict, code and, when grouped by config, `ns/key`. */
  open: parseAsString,
  /** Id of the stop in the peek. */
  peek: parseAsString,
  /** Null: newest first. */
  sort: orderParser(STOPS),
}

/** `now`: end of a relative range. */
export function useStopView(now: number) {
  const environment = useEnvironment()
  const [view, set] = useQueryStates(PARSERS)
  const { verdict, code, range, prompt, version, q } = view
  const text = useMemo(() => readFilterText(q, STOPS.grammar), [q])
  const filter = useMemo<StopFilter>(() => {
    const place = parsePrompt(prompt)
    return {
      ...(environment === undefined ? {} : { environment }),
      ...(verdict === null ? {} : { verdict }),
      ...(code === null ? {} : { code }),
      ...(place === undefined ? {} : { prompt: place }),
      ...(place === undefined || version === null ? {} : { version }),
      ...(text.terms.length === 0 ? {} : { terms: text.terms }),
      ...toStopRange(range, now),
    }
  }, [environment, verdict, code, range, prompt, version, now, text])
  return {
    view,
    set,
    filter,
    order: view.sort ?? STOPS.defaultOrder,
    onOrder: (order: string): void => void set({ sort: order === 'oldest' ? 'oldest' : null }),
    problem: text.problem,
  }
}

export type StopView = ReturnType<typeof useStopView>
