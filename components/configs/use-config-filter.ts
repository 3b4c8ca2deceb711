'use client'
// Filter and chosen row of the configs list, all in the URL.
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs'
import { useMemo } from 'react'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import type { ListFilter } from '@/server/configs/configs.ts'
import { DEFAULT_FILTER, STANDS } from './config-filter.ts'

export function useConfigFilter() {
  const environment = useEnvironment() ?? null
  const [{ q, show, archived, row, peek }, set] = useQueryStates({
    q: parseAsString.withDefault(''),
    show: parseAsStringLiteral(STANDS.map(({ value }) => value)),
    archived: parseAsBoolean.withDefault(false),
    row: parseAsString,
    peek: parseAsBoolean.withDefault(false),
  })
  const filter = useMemo<ListFilter>(
    () => ({ ...DEFAULT_FILTER, archived, text: q.trim(), stands: show, environment }),
    [archived, q, show, environment],
  )
  return {
    filter,
    /** Text as typed. */
    text: q,
    /** `ns/key` of the chosen row. */
    row,
    isPeeking: peek,
    setPeeking: (next: boolean) => void set({ peek: next || null }),
    isNarrowed: q.trim() !== '' || show !== null,
    setText: (next: string | null) => set({ q: next, row: null }),
    setStands: (next: ListFilter['stands']) => void set({ show: next, row: null }),
    setArchived: (next: boolean) => void set({ archived: next || null, row: null }),
    /** Resolves once the address has it: a step to another page made before would be taken back by it. */
    setRow: (next: string): Promise<unknown> => set({ row: next }),
    clear: () => void set({ q: null, show: null, row: null }),
  }
}

export type FilterState = ReturnType<typeof useConfigFilter>
