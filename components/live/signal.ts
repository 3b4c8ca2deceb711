// Signals of the live channel to a page: "this changed, read it again", or "you may have missed something, read everything that you show".
// Neither carries data.
import type { Hint } from '@/server/platform/live/hint.ts'

export type LiveSignal =
  | { readonly kind: 'hint'; readonly hint: Hint }
  /** After a (re)connect: hints may have been missed. */
  | { readonly kind: 'resync' }

export interface Connection {
  readonly state: 'live' | 'reconnecting' | 'offline'
  /** Epoch ms since when nothing is heard; null: it is live. */
  readonly since: number | null
}

export const LIVE: Connection = { state: 'live', since: null }

export interface HintFilter {
  readonly kind: Hint['kind']
  /** Absent: all of the kind. */
  readonly id?: string
}

/** A hint without id is about any of its kind. */
export function isAbout(hint: Hint, filter: HintFilter): boolean {
  if (hint.kind !== filter.kind) return false
  return filter.id === undefined || hint.id === undefined || hint.id === filter.id
}
