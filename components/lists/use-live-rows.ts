// Rows of a list in keyset pages, live: with every hint about a session the newest page is read again beside the list. What is on screen
// changes in place, what is new waits until the reader asks.
'use client'

import { useMemo } from 'react'
import { useReadOnHint } from '@/components/live/use-read-on-hint.ts'
import { withHead } from './live-rows.ts'
import { useCatchUp } from './use-catch-up.ts'

interface Asked<Row> {
  readonly rows: readonly Row[] | undefined
  /** Epoch ms of the answer. */
  readonly at: number
  readonly refetch: () => Promise<unknown>
}

export interface LiveRows<Row> {
  /** Undefined: not loaded yet. */
  readonly rows: readonly Row[] | undefined
  /** At most a page. */
  readonly fresh: number
  readonly showFresh: () => void
}

/** `head`: the newest page by itself, which nobody asks for before the first hint. */
export function useLiveRows<Row extends { readonly id: string }>(
  list: Asked<Row>,
  head: Asked<Row>,
  { isLive = true }: { readonly isLive?: boolean } = {},
): LiveRows<Row> {
  useReadOnHint({ kind: 'session' }, () => (isLive ? head.refetch() : Promise.resolve()))
  useCatchUp(head.refetch, isLive)
  // What was read before the list says nothing new about it.
  const newer = isLive && head.at > list.at ? head.rows : undefined
  const { rows, fresh } = useMemo(
    () => (list.rows === undefined ? NOTHING : withHead<Row>(list.rows, newer ?? [])),
    [list.rows, newer],
  )
  return { rows, fresh, showFresh: () => void list.refetch() }
}

const NOTHING = { rows: undefined, fresh: 0 } as const
