// Pausing affects only the view: ingestion and loading continue. Pure.

export interface Follow {
  readonly mode: 'following' | 'paused'
  /** Newest event when the reader paused; later ones count as new. */
  readonly seenSeq: number
}

export type FollowAction =
  | { readonly kind: 'select' | 'scroll_up' | 'brush' | 'toggle'; readonly newestSeq: number }
  | { readonly kind: 'resume' }

export function openFollow(opening: {
  readonly isRunning: boolean
  readonly hasSelection: boolean
  readonly isPausedByLink: boolean
  readonly newestSeq: number
}): Follow {
  const { isRunning, hasSelection, isPausedByLink, newestSeq } = opening
  const follows = isRunning && !hasSelection && !isPausedByLink
  return { mode: follows ? 'following' : 'paused', seenSeq: newestSeq }
}

function pause(follow: Follow, newestSeq: number): Follow {
  return follow.mode === 'paused' ? follow : { mode: 'paused', seenSeq: newestSeq }
}

export function follow(state: Follow, action: FollowAction): Follow {
  switch (action.kind) {
    case 'resume':
      return state.mode === 'following' ? state : { ...state, mode: 'following' }
    case 'toggle':
      return state.mode === 'paused'
        ? { ...state, mode: 'following' }
        : pause(state, action.newestSeq)
    case 'select':
    case 'scroll_up':
    case 'brush':
      return pause(state, action.newestSeq)
    default:
      return action satisfies never
  }
}

export function newEvents(
  state: Follow,
  entries: readonly (readonly [seq: number, ...rest: unknown[]])[],
): number {
  if (state.mode === 'following') return 0
  let count = 0
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    if ((entries[at]?.[0] ?? 0) <= state.seenSeq) break
    count += 1
  }
  return count
}
