'use client'

import { omitUndefined } from '@signalbox/core'
import {
  createLoader,
  type inferParserType,
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
  useQueryStates,
} from 'nuqs'
import { useMemo } from 'react'
import { limitTime, parseAsRange } from '@/components/kit/list/list-params.ts'
import { orderParser } from '@/components/kit/list/use-list-state.ts'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import type { OrderName } from '@/server/platform/list/define-list.ts'
import { type FilterText, hasField, readFilterText } from '@/server/platform/list/filter-grammar.ts'
import type { AskedFilter } from '@/server/sessions/session-lists.ts'
import { SESSIONS } from '@/server/sessions/sessions.list.ts'

const { status, verdict, enforced } = SESSIONS.params

const PARSERS = {
  status: parseAsStringLiteral([...status.values, 'all']),
  verdict: parseAsStringLiteral(verdict.values),
  enforced: parseAsStringLiteral(enforced.values),
  /** `ns/key` */
  prompt: parseAsString,
  version: parseAsInteger,
  runtime: parseAsString,
  q: parseAsString,
  range: parseAsRange,
  mine: parseAsBoolean,
  /** Null: newest first. */
  sort: orderParser(SESSIONS),
}

export type FilterValues = Readonly<inferParserType<typeof PARSERS>>

export const NO_FILTER: FilterValues = {
  status: null,
  verdict: null,
  enforced: null,
  prompt: null,
  version: null,
  runtime: null,
  q: null,
  range: null,
  mine: null,
  sort: null,
}

function splitPrompt(prompt: string) {
  const at = prompt.lastIndexOf('/')
  return { ns: prompt.slice(0, Math.max(0, at)), key: prompt.slice(at + 1) }
}

interface Given extends FilterValues {
  readonly text: FilterText
  readonly environment: string | undefined
  readonly now: number
}

/** `started` or `ended` in the filter text replaces the list's default range. */
const hasTimes = (text: FilterText): boolean => hasField(text, 'started') || hasField(text, 'ended')

/** Null: another kind of term. */
function plainWord(term: FilterText['terms'][number]): string | null {
  if (term.kind !== 'text' || term.field !== null || term.isNegated) return null
  const [word = ''] = term.words
  return term.words.length > 1 || /\s/.test(word) ? null : word
}

function toAskedFilter(given: Given): AskedFilter {
  const { environment, status, verdict, enforced, prompt, version, runtime, mine, range, now } =
    given
  const words = given.text.terms.flatMap((term) => plainWord(term) ?? [])
  const terms = given.text.terms.filter((term) => plainWord(term) === null)
  return {
    ...omitUndefined({
      environment,
      status: status === 'all' ? undefined : (status ?? undefined),
      verdict: verdict ?? undefined,
      enforced: enforced ?? undefined,
      prompt: prompt === null ? undefined : splitPrompt(prompt),
      version: version ?? undefined,
      runtime: runtime ?? undefined,
      q: words.length === 0 ? undefined : words.join(' '),
      terms: terms.length === 0 ? undefined : terms,
      mine: mine === true ? mine : undefined,
    }),
    ...(range === null && hasTimes(given.text) ? {} : limitTime(SESSIONS, range, now)),
  }
}

/** Null: the standard order. */
const parseSort = (order: string): FilterValues['sort'] => PARSERS.sort.parse(order)

const load = createLoader(PARSERS)

/** Filter of a list address, for callers other than the list. `now`: epoch ms. */
export function parseFilterQuery(query: string, now: number): AskedFilter {
  const environment = new URLSearchParams(query).get('env') ?? undefined
  const values = load(`?${query}`)
  const text = readFilterText(values.q, SESSIONS.grammar)
  return toAskedFilter({ ...values, environment, now, text })
}

export interface FilterState {
  readonly filter: AskedFilter
  readonly order: OrderName<typeof SESSIONS>
  readonly onOrder: (order: string) => void
  readonly values: FilterValues
  /** Reason why the filter text is invalid; null: it is valid. */
  readonly problem: string | null
  /** The filter text states the time, and the address has no range. */
  readonly isTimed: boolean
  readonly isNarrowed: boolean
  readonly set: (values: Partial<FilterValues>) => Promise<unknown>
  /** Removes all filters and shows every session of the last 30 days. */
  readonly clear: () => void
}

export interface Opening {
  /** Epoch ms of the server's clock. Fixed end of a relative range: the current time would request another list at every render. */
  readonly openedAt: number
}

export function useSessionFilter({ openedAt: now }: Opening): FilterState {
  const environment = useEnvironment()
  const [values, set] = useQueryStates(PARSERS)
  const text = useMemo(() => readFilterText(values.q, SESSIONS.grammar), [values.q])
  const filter = useMemo(
    () => toAskedFilter({ ...values, environment, now, text }),
    [values, environment, now, text],
  )
  return {
    filter,
    problem: text.problem,
    isTimed: values.range === null && hasTimes(text),
    order: values.sort ?? SESSIONS.defaultOrder,
    onOrder: (order) => void set({ sort: parseSort(order) }),
    values,
    isNarrowed: Object.keys(filter).some((part) => part !== 'since'),
    set,
    clear: () => void set(NO_FILTER),
  }
}
