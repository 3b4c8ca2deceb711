// A hidden tab collects notifications and reads nothing.
'use client'

import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { useNotifications } from '@/components/live/use-notifications.ts'
import type { ChangeNotification } from '@/server/platform/live/change-notification.ts'
import { applyPatches, type ListedRow, type Patch, type Patches } from './patches.ts'
import { isReturning } from './returning.ts'
import { RowReader, type RowSource } from './row-reader.ts'

/** Changes since the visit are fetched once with `read`, without reading the list again. */
function useCatchUp(read: () => unknown, isLive = true): void {
  const [isKept] = useState(isReturning)
  const catchUp = useEffectEvent(() => void read())
  useEffect(() => {
    if (isKept && isLive) catchUp()
  }, [isKept, isLive])
}

const PATCH_EVERY_MS = 300
/** A session that falls silent causes no event, so such rows are read again periodically. */
const CHECK_EVERY_MS = 10_000
const NONE: Patches<never> = new Map<string, never>()
const NOTHING = { rows: undefined, fresh: 0 } as const

/** `read` and `readHead` send a request each time: a shared response may be older than the change. */
export interface PatchedList<Row extends ListedRow> extends RowSource<Row> {
  /** Kind of notifications about the rows. Absent: none. */
  readonly kind?: ChangeNotification['kind']
  /** The filter as text. Rows read under another filter do not tell whether they match this one. */
  readonly under: string
  /** Undefined: not loaded. */
  readonly listed: readonly Row[] | undefined
  readonly beganAt: (row: Row) => number
  /** Absent: no row changes without a notification. */
  readonly fallsSilent?: (row: Row) => boolean
}

export interface PatchedRows<Row> {
  /** Undefined: not loaded. */
  readonly rows: readonly Row[] | undefined
  readonly fresh: number
  readonly showRow: (row: Row) => void
  readonly readRow: (id: string) => void
  /** The list is loaded again. */
  readonly dropPatches: () => void
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: a read under another filter does not answer this one.
  useEffect(() => () => reader.abort(), [reader, under])
  const markSilent = useEffectEvent((): void => {
    reader.wait((listed ?? []).filter((row) => fallsSilent?.(row) === true).map(({ id }) => id))
  })
  useEffect(() => {
    const timer = setInterval(() => markSilent(), CHECK_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  const markAll = (): void =>
    reader.markAll(read === undefined ? [] : (listed ?? []).map(({ id }) => id))
  useCatchUp(markAll)
  useNotifications(kind === undefined ? [] : { kind }, (notification) => {
    if (notification !== null && read === undefined) reader.markHead()
    else if (notification?.id === undefined) markAll()
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
    showRow: (row) => {
      reader.hold(row.id)
      keep([{ ...row, matches: known.patches.get(row.id)?.matches ?? true }])
    },
    readRow: (id) => reader.release(id),
    dropPatches: () => setKnown({ under, patches: NONE }),
  }
}
