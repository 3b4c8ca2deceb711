'use client'
// The audit log's filter, all of it in the URL: `?actor=…&action=…&target=…&since=…&until=…`, times as instants.
import { parseAsInteger, parseAsString, useQueryStates } from 'nuqs'
import { useMemo } from 'react'

export interface AuditFilterState {
  readonly actor: string | null
  readonly action: string | null
  readonly target: string | null
  /** Epoch ms. */
  readonly since: number | null
  readonly until: number | null
}

const NONE: AuditFilterState = {
  actor: null,
  action: null,
  target: null,
  since: null,
  until: null,
}

export function useAuditFilter() {
  const [state, set] = useQueryStates({
    actor: parseAsString,
    action: parseAsString,
    target: parseAsString,
    since: parseAsInteger,
    until: parseAsInteger,
  })
  const { actor, action, target, since, until } = state
  const filter = useMemo(
    () => ({
      ...(actor === null ? {} : { actor }),
      ...(action === null ? {} : { action }),
      ...(target === null ? {} : { target }),
      ...(since === null ? {} : { since }),
      ...(until === null ? {} : { until }),
    }),
    [actor, action, target, since, until],
  )
  return {
    state,
    filter,
    isFiltered: Object.keys(filter).length > 0,
    change: (next: Partial<AuditFilterState>) => void set(next),
    clear: () => void set(NONE),
  }
}

export type AuditFilter = ReturnType<typeof useAuditFilter>['filter']

/** The file with exactly what the filter leaves. The project comes along from the page's address. */
export function exportHref(filter: AuditFilter, format: 'csv' | 'jsonl'): string {
  const query = new URLSearchParams({ format })
  for (const [name, value] of Object.entries(filter)) query.set(name, String(value))
  return `/api/export/audit?${query.toString()}`
}
