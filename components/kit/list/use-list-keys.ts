// A row has the address of its explanation in `data-why`, and its menu has `data-row-actions`.
'use client'

import { type RefObject, useRef } from 'react'
import { withoutPrefix } from '@/components/paths/prefix.ts'
import { useGo } from '@/components/shell/address.ts'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { linkedAt, openPage, readElementLine } from './copy-link.ts'
import { focusFilter, listKeys } from './list-keys.ts'
import type { Peeking } from './peek-action.ts'
import type { Marks } from './use-marks.ts'

export interface ListKeyOptions {
  readonly noun?: string
  readonly search?: RefObject<HTMLInputElement | null>
  readonly showFresh?: () => void
  /** Absent: no peek. */
  readonly peek?: Peeking
  readonly marks?: Marks
  readonly hasActions?: boolean
  readonly hasWhy?: boolean
  readonly hasFilter?: boolean
}

const queryListRows = (): readonly HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>('main [data-row]'),
]

const ROW = 'tr, li, [role="row"]'

const readRowId = (row: HTMLElement | undefined): string | null => row?.dataset['row'] ?? null

function scrollToEnd(row: HTMLElement | undefined, end: 'first' | 'last'): void {
  for (let box = row?.parentElement ?? null; box !== null; box = box.parentElement) {
    if (
      box.scrollHeight <= box.clientHeight ||
      !/auto|scroll/.test(getComputedStyle(box).overflowY)
    )
      continue
    box.scrollTop = end === 'first' ? 0 : box.scrollHeight
    return
  }
}

export function useListKeys(page: string, options: ListKeyOptions): void {
  const go = useGo()
  const left = useRef<HTMLElement | null>(null)
  const { peek, marks } = options
  const at = (rows: readonly HTMLElement[]): number => {
    const holder = document.activeElement?.closest(ROW)
    const focused = rows.findIndex((row) => holder?.contains(row))
    return focused === -1 && left.current !== null ? rows.indexOf(left.current) : focused
  }
  const current = (): HTMLElement | undefined => {
    const rows = queryListRows()
    return rows[at(rows)]
  }
  const focus = (row: HTMLElement | undefined): void => {
    if (row === undefined) return
    row.focus()
    row.scrollIntoView({ block: 'nearest' })
    left.current = row
    if (peek !== undefined && peek.shown !== null) peek.show(readRowId(row))
  }
  const move = (by: number): void => {
    const rows = queryListRows()
    const from = at(rows)
    focus(from === -1 ? rows[0] : rows[Math.max(0, Math.min(rows.length - 1, from + by))])
  }
  const toEnd = (end: 'first' | 'last') => (): void => {
    scrollToEnd(queryListRows()[0], end)
    requestAnimationFrame(() =>
      focus(end === 'first' ? queryListRows()[0] : queryListRows().at(-1)),
    )
  }
  const withRow = (act: (row: HTMLElement) => void) => (): void => {
    const row = current()
    if (row !== undefined) act(row)
  }
  const markRow = (row: HTMLElement | undefined): void => {
    const id = readRowId(row)
    if (id !== null && id !== '') marks?.toggle(id)
  }
  usePageKeys(
    page,
    listKeys({
      noun: options.noun ?? 'row',
      move,
      first: toEnd('first'),
      last: toEnd('last'),
      open: withRow((row) => row.click()),
      ...(peek === undefined
        ? {}
        : {
            peek: () => {
              const row = current() ?? queryListRows()[0]
              focus(row)
              peek.show(peek.shown === null ? readRowId(row) : null)
            },
            closePeek: () => peek.show(null),
          }),
      ...(marks === undefined
        ? {}
        : {
            mark: withRow(markRow),
            extend: (by) => {
              const from = readRowId(current())
              move(by)
              const ids = [from, readRowId(current())]
              marks.add(ids.filter((id): id is string => id !== null && id !== ''))
            },
          }),
      linked: () => {
        const row = current() ?? null
        const href = row?.getAttribute('href') ?? null
        return href === null ? openPage() : linkedAt(withoutPrefix(href), readElementLine(row))
      },
      showFresh: options.showFresh,
      ...(options.hasFilter === true ? { filter: focusFilter } : {}),
      ...(options.hasWhy === true
        ? {
            why: withRow((row) =>
              go(row.dataset['why'] ?? withoutPrefix(row.getAttribute('href') ?? '')),
            ),
          }
        : {}),
      ...(options.hasActions === true
        ? {
            actions: withRow((row) =>
              row.closest(ROW)?.querySelector<HTMLElement>('[data-row-actions]')?.click(),
            ),
          }
        : {}),
      ...(options.search === undefined ? {} : { search: () => options.search?.current?.select() }),
    }),
  )
}
