// An entry is valid for exactly one sequence number; a session that another replica advanced is read again.

import { registerCache } from '@/server/platform/base/process-memory.ts'
import type { Folded } from './batch/fold.ts'

export interface LiveState {
  readonly folded: Folded
  /** Sequence number of the stored snapshot; 0: none. */
  readonly snapshotSeq: number
  /** Size of that snapshot: large states are stored less often. */
  readonly snapshotBytes: number
}

const MOST = 5_000

const states = registerCache(new Map<string, LiveState>())

export function liveStateAt(sessionId: string, seq: number): LiveState | null {
  const state = states.get(sessionId)
  return state !== undefined && state.folded.seq === seq ? state : null
}

/** True for a session whose row is committed, unless it was deleted since. */
export function hasLiveState(sessionId: string): boolean {
  return states.has(sessionId)
}

/** Call only after the transaction that stored the events has committed. */
export function keepLiveState(sessionId: string, state: LiveState): void {
  states.delete(sessionId)
  states.set(sessionId, state)
  if (states.size <= MOST) return
  // A Map iterates in insertion order, so the first key is the one that was written longest ago.
  for (const oldest of states.keys()) {
    states.delete(oldest)
    return
  }
}

export function forgetLiveState(sessionId: string): void {
  states.delete(sessionId)
}
