'use client'

import type { RefObject } from 'react'
import { useGo } from '@/components/shell/address.ts'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { toast } from '@/components/ui/toast.tsx'
import { linkedAt, openPage } from './copy-link.ts'
import type { Face, ListedRow, RowAct } from './list-face.tsx'
import { focusFilter, listKeys } from './list-keys.ts'
import type { Marks } from './use-marks.ts'
import type { RowPlace } from './use-row-place.ts'

export interface RowKeys<Row extends ListedRow> {
  readonly face: Face<Row>
  readonly rows: readonly Row[]
  readonly place: RowPlace
  readonly wantsFocus: RefObject<boolean>
  /** Undefined: the list has no filter. */
  readonly search: RefObject<HTMLInputElement | null> | undefined
  readonly marks: Marks
  /** Undefined: new rows do not wait for the reader. */
  readonly showFresh: (() => void) | undefined
}

/** Index of the focused row, else of the selected one; -1: none. */
function currentRow(rows: readonly ListedRow[], chosen: string | null): number {
  const focused = document.activeElement?.closest('[data-id]')?.getAttribute('data-id')
  return rows.findIndex(({ id }) => id === (focused ?? chosen))
}

function openMenu({ id }: ListedRow): void {
  document.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"] [data-row-actions]`)?.click()
}

export function useRowKeys<Row extends ListedRow>(props: RowKeys<Row>): void {
  const { face, rows, place, wantsFocus, search, marks } = props
  const go = useGo()
  const at = (): number => currentRow(rows, place.chosen)
  const move = (index: number): Row | undefined => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, index))]
    if (next === undefined) return undefined
    wantsFocus.current = true
    place.choose(next.id)
    return next
  }
  const withRow = (act: (row: Row) => void) => (): void => {
    const row = rows[at()]
    if (row !== undefined) act(row)
  }
  const findAct = (row: Row): RowAct | null => face.act?.(row) ?? null
  /** Keeps the rows that lead to a page; other rows cannot be marked and have no link. */
  const paged = (found: readonly (Row | undefined)[]): readonly Row[] =>
    found.flatMap((row) => (row === undefined || findAct(row) !== null ? [] : [row]))
  const { why } = face
  const peek = (): void => {
    const row = rows[at()] ?? rows[0]
    if (row !== undefined) place.choose(row.id)
    place.show(place.shown === null ? (row?.id ?? null) : null)
  }
  const own = (face.keys ?? []).map(({ keys, does, run }) => ({
    keys,
    shown: keys,
    does,
    run: withRow((row) => run(row, go)),
  }))
  usePageKeys(face.name, [
    ...listKeys({
      noun: face.noun,
      move: (by) => void move(at() + by),
      first: () => void move(0),
      last: () => void move(rows.length - 1),
      open: withRow((row) => {
        const act = findAct(row)
        if (act === null) go(face.href(row))
        else act.run()
      }),
      peek,
      closePeek: () => place.show(null),
      mark: () => {
        for (const { id } of paged([rows[at()]])) marks.toggle(id)
      },
      extend: (by) => {
        const row = rows[at()]
        const next = move(at() + by)
        marks.add(paged([row, next]).map(({ id }) => id))
      },
      why:
        why === undefined
          ? undefined
          : withRow((row) => {
              const path = why(row)
              if (path === null) toast(face.noWhy ?? 'This row has no explanation.')
              else go(path)
            }),
      linked: () => {
        const [row] = paged([rows[at()]])
        return row === undefined ? openPage() : linkedAt(face.href(row), face.title(row))
      },
      filter: search === undefined ? undefined : focusFilter,
      showFresh: props.showFresh,
      actions: withRow(openMenu),
      search: search === undefined ? undefined : () => search.current?.select(),
    }),
    ...own,
  ])
}
