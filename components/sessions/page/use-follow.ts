'use client'

import { useMemo, useReducer } from 'react'
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'
import { type Follow, type FollowAction, follow, newEvents, openFollow } from './follow.ts'
import type { SessionView } from './use-session-view.ts'

export interface Following {
  readonly state: Follow
  readonly fresh: number
  readonly act: (action: FollowAction) => void
  readonly toggle: () => void
}

export function useFollow(input: {
  readonly view: SessionView
  readonly isRunning: boolean
  readonly newestSeq: number
  readonly entries: readonly IndexEntry[]
}): Following {
  const { view, isRunning, newestSeq, entries } = input
  const [state, dispatch] = useReducer(follow, null, () =>
    openFollow({
      isRunning,
      newestSeq,
      hasSelection: view.selectedSeq !== null,
      isPausedByLink: view.isPaused,
    }),
  )
  const fresh = useMemo(() => newEvents(state, entries), [state, entries])
  const toggle = (): void => {
    const pauses = state.mode === 'following'
    dispatch({ kind: 'toggle', newestSeq })
    view.setPaused(pauses)
    if (!pauses && view.selectedSeq !== null) view.select(null)
  }
  const act = (action: FollowAction): void => {
    dispatch(action)
    if (action.kind === 'resume' && view.isPaused) view.setPaused(false)
  }
  return { state, fresh, act, toggle }
}
