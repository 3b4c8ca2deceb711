// What happened to a list since it was read, without moving it: hints name rows, which are read again together and laid over the list
// in their places; new ones are only counted. In a hidden tab news are collected and nothing is read.
'use client'

import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { Hint } from '@/components/live/signal.ts'
import { useHints } from '@/components/live/use-hints.ts'
import { applyPatches, type ListedRow, type Patch, type Patches } from './patches.ts'
import { useCatchUp } from './use-catch-up.ts'

const PATCH_EVERY_MS = 300
/** Silence has no event, so what can fall silent is read again now and then. */
const LOOK_EVERY_MS = 10_000
const MOST_IDS = 500
const NONE: Patches<never> = new Map<string, never>()
const NOTHING = { rows: undefined, fresh: 0 } as const

export interface PatchedList<Row extends ListedRow> {
  readonly kind: Hint['kind']
  /** The filter as a text: what was read under another one says nothing about whether a row matches this one. */
  readonly under: string
  /** Undefined: not read yet. */
  readonly listed: readonly Row[] | undefined
  readonly beganAt: (row: Row) => number
  /** Rows as they are now; null: not known. */
  readonly read: (ids: readonly string[]) => Promise<readonly Patch<Row>[] | null>
  /** Ids of the first page as it is now, which may hold rows that began during a gap in the hints; null: not known. */
  readonly readHead: () => Promise<readonly string[] | null>
  /** Whether a row changes without a hint. Absent: none does. */
  readonly fallsSilent?: (row: Row) => boolean
}

export interface PatchedRows<Row> {
  /** Undefined: not read yet. */
  readonly rows: readonly Row[] | undefined
  /** Rows that began since the list was read. */
  readonly fresh: number
  /** Lays a row over the list before the server was asked; it stays so, whatever is read, until `look`. */
  readonly lay: (row: Row) => void
  /** Reads a row again: the server has answered. */
  readonly look: (id: string) => void
  /** The list is read anew: nothing happened to it yet. */
  readonly forget: () => void
}

export function usePatches<Row extends ListedRow>(list: PatchedList<Row>): PatchedRows<Row> {
  const { kind, under, listed, beganAt, read, readHead, fallsSilent } = list
  const [known, setKnown] = useState<{
    readonly under: string
    readonly patches: Patches<Row>
  }>({ under, patches: NONE })
  const waiting = useRef(new Set<string>())
  const held = useRef(new Set<string>())
  const isHeadUnread = useRef(false)
  const keep = (rows: readonly Patch<Row>[]): void =>
    setKnown((before) => ({
      under,
      patches: new Map([
        ...(before.under === under ? before.patches : []),
        ...rows.map((row) => [row.id, row] as const),
      ]),
    }))
  const flushHead = async (): Promise<void> => {
    if (!isHeadUnread.current) return
    isHeadUnread.current = false
    const ids = await readHead()
    // Right after a gap the way to the server may not be there yet.
    if (ids === null) isHeadUnread.current = true
    for (const id of ids ?? []) waiting.current.add(id)
  }
  const flush = useEffectEvent(async (): Promise<void> => {
    if (document.hidden) return
    void flushHead()
    const ids = [...waiting.current].filter((id) => !held.current.has(id)).slice(0, MOST_IDS)
    for (const id of ids) waiting.current.delete(id)
    if (ids.length === 0) return
    const rows = await read(ids)
    if (rows !== null) keep(rows.filter(({ id }) => !held.current.has(id)))
    else for (const id of ids) waiting.current.add(id)
  })
  useEffect(() => {
    const timer = setInterval(() => void flush(), PATCH_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  const lookAtSilent = useEffectEvent((): void => {
    for (const row of listed ?? []) if (fallsSilent?.(row) === true) waiting.current.add(row.id)
  })
  useEffect(() => {
    const timer = setInterval(() => lookAtSilent(), LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  /** After a gap in the hints: what is listed, and what may have begun meanwhile. */
  const lookAgain = (): void => {
    for (const { id } of listed ?? []) waiting.current.add(id)
    isHeadUnread.current = true
  }
  useCatchUp(lookAgain)
  useHints({ kind }, (hint) => {
    if (hint?.id === undefined) lookAgain()
    else waiting.current.add(hint.id)
  })
  const patches: Patches<Row> = known.under === under ? known.patches : NONE
  const { rows, fresh } = useMemo(
    () => (listed === undefined ? NOTHING : applyPatches(listed, patches, beganAt)),
    [listed, patches, beganAt],
  )
  return {
    ...{ rows, fresh },
    lay: (row) => {
      held.current.add(row.id)
      keep([{ ...row, matches: known.patches.get(row.id)?.matches ?? true }])
    },
    look: (id) => {
      held.current.delete(id)
      waiting.current.add(id)
    },
    forget: () => setKnown({ under, patches: NONE }),
  }
}
