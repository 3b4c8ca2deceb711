// Applies changes to a list without moving it: notifications name rows, which are read together and replaced in place; new rows are only
// counted. A hidden tab collects notifications and reads nothing.
'use client'

import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { useNotifications } from '@/components/live/use-notifications.ts'
import type { ChangeNotification } from '@/server/platform/live/change-notification.ts'
import { applyPatches, type ListedRow, type Patch, type Patches } from './patches.ts'
import { isReturning } from './returning.ts'
import { RowReader, type RowSource } from './row-reader.ts'

/**
 * A list that the user returns to is shown as it was left; changes since then are fetched once. `look` reads beside the list, not the list
 * itself.
 */
function useCatchUp(look: () => unknown, isLive = true): void {
  const [isKept] = useState(isReturning)
  const catchUp = useEffectEvent(() => void look())
  useEffect(() => {
    if (isKept && isLive) catchUp()
  }, [isKept, isLive])
}

const PATCH_EVERY_MS = 300
/** Silence has no event, so what can fall silent is read again now and then. */
const LOOK_EVERY_MS = 10_000
const NONE: Patches<never> = new Map<string, never>()
const NOTHING = { rows: undefined, fresh: 0 } as const

/** `read` and `readHead` send a request each time: a shared response may be older than the change. */
export interface PatchedList<Row extends ListedRow> extends RowSource<Row> {
  /** Absent: no notification is about its rows. */
  readonly kind?: ChangeNotification['kind']
  /** The filter as text: rows read under a different filter do not tell whether they match this one. */
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
  /** Overlays a row before the server is asked; it stays until `look`. */
  readonly lay: (row: Row) => void
  /** Reads a row again: the server has answered. */
  readonly look: (id: string) => void
  /** The list is loaded again, so no patches apply. */
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
  useNotifications(kind === undefined ? [] : { kind }, (notification) => {
    if (notification !== null && read === undefined) reader.lookAtHead()
    else if (notification?.id === undefined) lookAgain()
    else reader.wait([notification.id])
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
