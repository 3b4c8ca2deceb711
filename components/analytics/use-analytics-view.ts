// All of it is in the address.
'use client'

import { omitUndefined } from '@signalbox/core'
import { useQuery } from '@tanstack/react-query'
import {
  parseAsArrayOf,
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
  useQueryStates,
} from 'nuqs'
import { useEffect, useMemo, useState } from 'react'
import { rangeText } from '@/components/kit/chart/chart-words.ts'
import { parseAsRange, parsePrompt } from '@/components/kit/list/list-params.ts'
import { DAY_MS, parseRange, RANGES } from '@/components/kit/list/range.ts'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'

const HOUR = 3_600_000

/** Time after which figures are read again. */
export const AGAIN_MS = 30_000

export const STANDARD_RANGE = '7d'

/** What the chart of denials is stacked by; the server's list is not for the browser. */
export const GROUPS = ['rule', 'reason', 'tool', 'prompt', 'version'] as const

const PARSERS = {
  range: parseAsRange.withDefault(STANDARD_RANGE),
  prompt: parseAsString,
  version: parseAsInteger,
  against: parseAsInteger,
  /** Hidden series as `chart.series`. */
  off: parseAsArrayOf(parseAsString).withDefault([]),
  table: parseAsArrayOf(parseAsString).withDefault([]),
  share: parseAsBoolean.withDefault(false),
  group: parseAsStringLiteral(GROUPS).withDefault('rule'),
}

/** Constant within an hour, so that the queries stay the same. */
export function useHourEnd(): number {
  const [end, setEnd] = useState(() => Math.ceil((Date.now() + 1) / HOUR) * HOUR)
  useEffect(() => {
    const timer = setInterval(() => setEnd(Math.ceil((Date.now() + 1) / HOUR) * HOUR), 20_000)
    return () => clearInterval(timer)
  }, [])
  return end
}

export interface AnalyticsFilter {
  readonly environment?: string
  readonly prompt?: { readonly ns: string; readonly key: string }
  readonly from: number
  readonly until: number
}

export type AnalyticsView = ReturnType<typeof useAnalyticsView>

export function useAnalyticsView() {
  const environment = useEnvironment()
  const [values, set] = useQueryStates(PARSERS)
  const end = useHourEnd()
  const { range, prompt: promptText, version } = values
  const filter = useMemo<AnalyticsFilter>(() => {
    const { since, until } = parseRange(range, end) ?? {}
    const prompt = parsePrompt(promptText)
    return {
      ...omitUndefined({ environment, prompt }),
      from: since ?? end - HOUR,
      until: until ?? end,
    }
  }, [environment, range, promptText, end])
  const trpc = useTRPC()
  const frame = useQuery(trpc.analytics.frame.queryOptions({ filter })).data
  const off = useMemo(() => new Set(values.off), [values.off])
  const without = (list: readonly string[], one: string): string[] | null => {
    const next = list.includes(one) ? list.filter((other) => other !== one) : [...list, one]
    return next.length === 0 ? null : next
  }
  return {
    values,
    filter,
    /** Undefined: not loaded. */
    frame,
    /** A version is meaningful only together with its prompt. */
    version: filter.prompt === undefined ? null : version,
    off,
    change: (next: Partial<{ [Name in keyof typeof values]: (typeof values)[Name] | null }>) =>
      void set(next),
    toggleOff: (key: string) => void set({ off: without(values.off, key) }, { history: 'replace' }),
    isTable: (chart: string) => values.table.includes(chart),
    toggleTable: (chart: string) => void set({ table: without(values.table, chart) }),
    /** `range`: range of the chart, which begins at a bucket. */
    listHref: (path: string, more: { readonly [name: string]: string }, range: string) => {
      // Charts do not count imported sessions, so the list leaves them out. The list of deliveries contains none.
      const counted = frame?.imported === true && path !== '/feedback' ? ['imported:no'] : []
      const text = [...(more['q'] === undefined ? [] : [more['q']]), ...counted].join(' ')
      const query = new URLSearchParams({
        ...omitUndefined({
          env: environment,
          prompt: promptText ?? undefined,
          version: filter.prompt === undefined || version === null ? undefined : String(version),
        }),
        range,
        ...more,
        ...(text === '' ? {} : { q: text }),
      })
      return `${path}?${query}`
    },
    /** `text`: further terms of the filter text. */
    endedHref: (text: string, range: string) => {
      const { since = filter.from, until = filter.until } = parseRange(range, end) ?? {}
      // A range in the filter text includes both ends.
      const ended = `ended:${rangeText(since, until - 1)}`
      const of = filter.prompt === undefined || version === null ? [] : [`ended-version:${version}`]
      const query = new URLSearchParams({
        ...omitUndefined({ env: environment, prompt: promptText ?? undefined }),
        status: 'all',
        q: [text, ended, ...of].join(' '),
      })
      return `/sessions?${query}`
    },
  }
}

export const RANGE_CHOICES = RANGES.filter(({ ms }) => ms >= DAY_MS)
