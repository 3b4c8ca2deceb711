// The sessions list's filter, order and chosen row, all of it in the URL.
'use client'

import {
  createLoader,
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
  useQueryStates,
} from 'nuqs'
import { useMemo } from 'react'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import type { SessionOrder } from '@/server/read-models/session-list.ts'
import type { AskedFilter } from '@/server/services/session-lists.ts'
import { parseAsRange } from './list-params.ts'
import { DEFAULT_RANGES, rangeOf } from './range.ts'

export const STATUSES = [
  'running',
  'working',
  'waiting',
  'blocked',
  'silent',
  'unknown',
  'ended',
  'lost',
] as const
export const VERDICTS = ['denied', 'blocked', 'bypassed', 'deadline', 'warning'] as const
export const ENFORCED = ['not', 'fully'] as const

const PARSERS = {
  status: parseAsStringLiteral([...STATUSES, 'all']),
  verdict: parseAsStringLiteral(VERDICTS),
  enforced: parseAsStringLiteral(ENFORCED),
  prompt: parseAsString,
  version: parseAsInteger,
  runtime: parseAsString,
  q: parseAsString,
  range: parseAsRange,
  mine: parseAsBoolean,
  sort: parseAsStringLiteral(['denied']),
} as const

export interface FilterValues {
  readonly status: (typeof STATUSES)[number] | 'all' | null
  readonly verdict: (typeof VERDICTS)[number] | null
  readonly enforced: (typeof ENFORCED)[number] | null
  /** `ns/key` */
  readonly prompt: string | null
  readonly version: number | null
  readonly runtime: string | null
  readonly q: string | null
  readonly range: string | null
  readonly mine: boolean | null
  readonly sort: 'denied' | null
}

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
  readonly environment: string | undefined
  readonly isLiveFirst: boolean
  readonly now: number
}

function statusOf({ status, isLiveFirst }: Given): AskedFilter['status'] {
  if (status === 'all') return undefined
  return status ?? (isLiveFirst ? 'running' : undefined)
}

function filterOf(given: Given): AskedFilter {
  const { environment, verdict, enforced, prompt, version, runtime, q, mine, range, now } = given
  const status = statusOf(given)
  const words = (q ?? '').trim()
  return {
    ...(environment === undefined ? {} : { environment }),
    ...(status === undefined ? {} : { status }),
    ...(verdict === null ? {} : { verdict }),
    ...(enforced === null ? {} : { enforced }),
    ...(prompt === null ? {} : { prompt: splitPrompt(prompt) }),
    ...(version === null ? {} : { version }),
    ...(runtime === null ? {} : { runtime }),
    ...(words === '' ? {} : { q: words }),
    ...(mine === true ? { mine } : {}),
    ...rangeOf(range ?? DEFAULT_RANGES.sessions, now),
  }
}

const load = createLoader(PARSERS)

/** What an address of the list names, for somebody who does not look at the list: without a status, of any. `now`: epoch ms. */
export function filterOfQuery(query: string, now: number): AskedFilter {
  const environment = new URLSearchParams(query).get('env') ?? undefined
  return filterOf({ ...load(`?${query}`), environment, isLiveFirst: false, now })
}

export interface FilterState {
  readonly filter: AskedFilter
  readonly order: SessionOrder
  readonly values: FilterValues
  /** Whether the filter leaves anything out by the reader's choice. */
  readonly isNarrowed: boolean
  readonly change: (values: Partial<FilterValues>) => void
  /** Takes everything back and shows every session of the last 30 days. */
  readonly clear: () => void
}

export interface Opening {
  /** Without a status only running sessions are shown, because some run. */
  readonly isLiveFirst: boolean
  /** Epoch ms by the server's clock: where a relative range ends, or every render would ask for another list. */
  readonly openedAt: number
}

export function useSessionFilter({ isLiveFirst, openedAt: now }: Opening): FilterState {
  const environment = useEnvironment()
  const [values, set] = useQueryStates(PARSERS)
  const filter = useMemo(
    () => filterOf({ ...values, environment, isLiveFirst, now }),
    [values, environment, isLiveFirst, now],
  )
  return {
    filter,
    order: values.sort ?? 'started',
    values,
    isNarrowed: Object.keys(filter).some((part) => part !== 'since'),
    change: (next) => void set(next),
    clear: () => void set({ ...NO_FILTER, status: isLiveFirst ? 'all' : null }),
  }
}
