// Applies changes to a list without moving it: notifications name rows, which are read together and replaced in place; new rows are only
// counted. A hidden tab collects notifications and reads nothing.
'use client'

import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { useHints } from '@/components/live/use-hints.ts'
import type { Hint } from '@/server/platform/live/hint.ts'
import { applyPatches, type ListedRow, type Patch, type Patches } from './patches.ts'
import { RowReader, type RowSource } from './row-reader.ts'
import { useCatchUp } from './use-catch-up.ts'

const PATCH_EVERY_MS = 300
/** Silence has no event, so what can fall silent is read again now and then. */
const LOOK_EVERY_MS = 10_000
const NONE: Patches<never> = new Map<string, never>()
const NOTHING = { rows: undefined, fresh: 0 } as const

/** `read` and `readHead` ask the server each time: an answer that somebody else waits for may be older than what happened. */
export interface PatchedList<Row extends ListedRow> extends RowSource<Row> {
  /** Absent: no notification is about its rows. */
  readonly kind?: Hint['kind']
  /** The filter as a text: what was read under another one says nothing about whether a row matches this one. */
  readonly under: string
  /** Undefined: not read yet. */
  readonly listed: readonly Row[] | undefined
  readonly beganAt: (row: Row) => number
  /** True when a row changes without a notification. Absent: none does. */
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
  const [reader] = useState(() => new RowReader<Row>())
  const keep = (rows: readonly Patch<Row>[]): void =>
    setKnown((before) => ({
      under,
      patches: new Map([
        ...(before.under === under ? before.patches : []),
        ...rows.map((row) => [row.id, row] as const),
      ]),
    }))
  const flush = useEffectEvent(async (): Promise<void> => {
    if (document.hidden || !navigator.onLine) return
    const rows = await reader.next(read === undefined ? { readHead } : { read, readHead })
    if (rows !== null) keep(rows)
  })
  useEffect(() => {
    const timer = setInterval(() => void flush(), PATCH_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was asked under another filter is no answer to this one.
  useEffect(() => () => reader.giveUp(), [reader, under])
  const lookAtSilent = useEffectEvent((): void => {
    reader.wait((listed ?? []).filter((row) => fallsSilent?.(row) === true).map(({ id }) => id))
  })
  useEffect(() => {
    const timer = setInterval(() => lookAtSilent(), LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  const lookAgain = (): void =>
    reader.lookAgain(read === undefined ? [] : (listed ?? []).map(({ id }) => id))
  useCatchUp(lookAgain)
  useHints(kind === undefined ? [] : { kind }, (hint) => {
    if (hint !== null && read === undefined) reader.lookAtHead()
    else if (hint?.id === undefined) lookAgain()
    else reader.wait([hint.id])
  })
  const patches: Patches<Row> = known.under === under ? known.patches : NONE
  const { rows, fresh } = useMemo(
    () => (listed === undefined ? NOTHING : applyPatches(listed, patches, beganAt)),
    [listed, patches, beganAt],
  )
  return {
    rows,
    fresh,
    lay: (row) => {
      reader.hold(row.id)
      keep([{ ...row, matches: known.patches.get(row.id)?.matches ?? true }])
    },
    look: (id) => reader.release(id),
    forget: () => setKnown({ under, patches: NONE }),
  }
}
