// The search narrows the list only on request and never changes whether the list follows.
'use client'

import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { Annotations } from '@/components/annotations/use-annotations.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { atFirstUse } from '@/components/ui/first-use.ts'
import { usePaused } from '@/components/ui/use-paused.ts'
import type { EventRow } from './rows/session-rows.ts'

const PAUSE_MS = 150
const LEAST_LETTERS = 2
const NOTHING: readonly EventRow[] = []
const NO_SEQS: ReadonlySet<number> = new Set()

export interface Search {
  /** The debounced query; it may lag behind the input. */
  readonly query: string
  /** Null: no search. */
  readonly matched: readonly EventRow[] | null
  readonly keys: ReadonlySet<number>
  /** More payloads match than are returned, so the count is shown as `1,204+`. */
  readonly isCut: boolean
  readonly isSearching: boolean
  /** Reason why the search was refused or is incomplete; null: neither. */
  readonly problem: string | null
}

const FILTER = queryOptions({
  queryKey: ['event-filter'],
  queryFn: () => import('./event-filter.ts'),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
})

type Filtering = typeof import('./event-filter.ts')

/** Undefined until loaded, at the first interaction with the page or for the query in its address. */
function useFiltering(query: string) {
  const client = useQueryClient()
  useEffect(() => atFirstUse(() => void client.prefetchQuery(FILTER)), [client])
  return useQuery({ ...FILTER, enabled: query !== '' })
}

function usePayloads(sessionId: string, query: string, filtering: Filtering | undefined) {
  const trpc = useTRPC()
  const words = useMemo(
    () =>
      filtering === undefined
        ? []
        : filtering
            .payloadWords(filtering.parseFilter(query))
            .filter(({ length }) => length >= LEAST_LETTERS),
    [filtering, query],
  )
  const found = useQuery(
    trpc.sessions.search.queryOptions(
      { sessionId, words: words.slice(0, 8) },
      { enabled: words.length > 0, staleTime: 30_000, placeholderData: keepPreviousData },
    ),
  )
  const data = words.length === 0 || found.isPlaceholderData ? undefined : found.data
  const seqs = useMemo(() => (data === undefined ? NO_SEQS : new Set(data.seqs)), [data])
  return { seqs, isCut: data?.isCut === true, isFetching: found.isFetching, error: found.error }
}

export interface Searched {
  readonly sessionId: string
  readonly rows: readonly EventRow[]
  readonly annotations: Pick<Annotations, 'bySeq'>
}

function holdsWords(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase()
  return words.length > 0 && words.every((word) => lower.includes(word.toLowerCase()))
}

function findAnnotated(bySeq: Annotations['bySeq'], words: readonly string[]): ReadonlySet<number> {
  const seqs = [...bySeq].flatMap(([seq, notes]) =>
    notes.some(({ text }) => holdsWords(text, words)) ? [seq] : [],
  )
  return seqs.length === 0 ? NO_SEQS : new Set(seqs)
}

function describeFailure(
  filtering: Error | null,
  payloads: { readonly message: string } | null,
): string | null {
  if (filtering !== null)
    return 'The search could not be loaded. Check the connection, and try again.'
  return payloads === null ? null : `Payloads were not searched: ${payloads.message}`
}

/** `typed`: deferred text, because every row is searched. */
export function useSearch({ sessionId, rows, annotations }: Searched, typed: string): Search {
  const query = typed.trim()
  const { bySeq } = annotations
  const paused = usePaused(query, PAUSE_MS)
  const { data: filtering, error } = useFiltering(query)
  const payloads = usePayloads(sessionId, paused, filtering)
  const filter = useMemo(() => filtering?.parseFilter(query), [filtering, query])
  const isAnswered = paused === query
  const words = useMemo(
    () => (filter === undefined ? [] : (filtering?.payloadWords(filter) ?? [])),
    [filtering, filter],
  )
  const inNotes = useMemo(() => findAnnotated(bySeq, words), [bySeq, words])
  const inPayloads = isAnswered ? payloads.seqs : NO_SEQS
  const matched = useMemo(() => {
    if (query === '' || filtering === undefined || filter === undefined) return null
    if (!filter.ok) return NOTHING
    const isElsewhere = inPayloads.size > 0 || inNotes.size > 0
    const isHeld = (seq: number): boolean => inPayloads.has(seq) || inNotes.has(seq)
    return rows.filter((row) =>
      filtering.matches(row, filter, isElsewhere && row.members.some(isHeld)),
    )
  }, [rows, query, filtering, filter, inPayloads, inNotes])
  const keys = useMemo(() => new Set(matched?.map(({ key }) => key)), [matched])
  const failure = describeFailure(error, payloads.error)
  const isLoading = query !== '' && filtering === undefined && error === null
  return {
    query: typed,
    matched,
    keys,
    isCut: isAnswered && payloads.isCut,
    isSearching: isLoading || (words.length > 0 && (!isAnswered || payloads.isFetching)),
    problem: filter?.ok === false ? filter.message : failure,
  }
}
