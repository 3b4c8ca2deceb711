'use client'

import { omitUndefined } from '@signalbox/core'
import { parseAsInteger, useQueryStates } from 'nuqs'
import { useMemo } from 'react'
import { type ListState, useListState } from '@/components/kit/list/use-list-state.ts'
import { AUDIT_LOG } from '@/server/audit-log/audit-log.list.ts'

interface Times {
  /** Epoch ms. */
  readonly since: number | null
  readonly until: number | null
}

export interface AuditFilterState extends ListState<typeof AUDIT_LOG> {
  readonly times: Times
  readonly setTimes: (times: Partial<Times>) => void
}

/** `openedAt`: epoch ms. */
export function useAuditFilter(openedAt: number): AuditFilterState {
  const state = useListState(AUDIT_LOG, openedAt)
  const [times, setTimes] = useQueryStates({ since: parseAsInteger, until: parseAsInteger })
  const { since, until } = times
  const filter = useMemo(
    () => ({
      ...state.filter,
      ...omitUndefined({ since: since ?? undefined, until: until ?? undefined }),
    }),
    [state.filter, since, until],
  )
  return {
    ...state,
    filter,
    times,
    setTimes: (next) => void setTimes(next),
    isFiltered: state.isFiltered || since !== null || until !== null,
    clear: () => {
      state.clear()
      void setTimes({ since: null, until: null })
    },
  }
}
