// Restores a list on Back: the same offset, with the focus on the row that was opened. One component in the frame stores the position of
// every page by its address and restores it once the rows are loaded. Lists only keep their loaded pages (kept-pages.ts), name their rows
// (`data-row`), and mark the scroll box (`data-scrolls`).
'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { withoutPrefix } from '@/components/paths/prefix.ts'
import { beginReturn, endReturn, isReturning } from './returning.ts'

interface Place {
  readonly pageTop: number
  /** Offset of the scroll box in the page; 0: no box. */
  readonly boxTop: number
  /** Link of the row selected last; null: none. */
  readonly row: string | null
}

/** Most recently left page last. */
const places = new Map<string, Place>()
const MOST_PLACES = 200

/** Address without selected and peeked row, which do not change the list. */
function readListAddress(): string {
  const query = new URLSearchParams(window.location.search)
  for (const name of ['row', 'peek', 'project']) query.delete(name)
  query.sort()
  return `${window.location.pathname}?${query.toString()}`
}

const main = (): HTMLElement | null => document.getElementById('main')
const box = (): HTMLElement | null => document.querySelector<HTMLElement>('main [data-scrolls]')

const ROW = 'tr, li, [role="row"]'

function findRowHref(target: EventTarget | null): string | null {
  if (!(target instanceof Element)) return null
  const named = target.closest('[data-row]') ?? target.closest(ROW)?.querySelector('[data-row]')
  return named?.getAttribute('href') ?? null
}

/** A narrow screen scrolls the window, a wide one `main`. */
function pageTop(): number {
  return Math.max(window.scrollY, main()?.scrollTop ?? 0)
}

function storePlace(target: EventTarget | null): void {
  const address = readListAddress()
  const row = findRowHref(target) ?? places.get(address)?.row ?? null
  places.delete(address)
  places.set(address, { pageTop: pageTop(), boxTop: box()?.scrollTop ?? 0, row })
  const [oldest] = places.keys()
  if (places.size > MOST_PLACES && oldest !== undefined) places.delete(oldest)
}

/** Returns true once the place is reached. */
function restorePlace(place: Place): boolean {
  if (place.pageTop > 0) {
    main()?.scrollTo({ top: place.pageTop, behavior: 'instant' })
    window.scrollTo({ top: place.pageTop, behavior: 'instant' })
  }
  box()?.scrollTo({ top: place.boxTop, behavior: 'instant' })
  const isThere =
    Math.abs(pageTop() - place.pageTop) < 1 && Math.abs((box()?.scrollTop ?? 0) - place.boxTop) < 1
  if (!isThere) return false
  if (place.row === null) return true
  const row = [...document.querySelectorAll<HTMLElement>('main [data-row]')].find(
    (one) => one.getAttribute('href') === place.row,
  )
  row?.focus({ preventScroll: true })
  return row !== undefined
}

const READER_ACTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/** Returns the function that stops retrying. */
function restoreWhenRendered(place: Place): () => void {
  const drawn = new MutationObserver(() => attempt())
  const attempt = (): void => {
    isRestoring = !restorePlace(place)
    if (!isRestoring) drawn.disconnect()
  }
  const page = main()
  if (page !== null) drawn.observe(page, { childList: true, subtree: true })
  attempt()
  return () => {
    isRestoring = false
    drawn.disconnect()
  }
}

/** While true, scroll events do not come from the reader. */
let isRestoring = false

export function ReturnPlace() {
  const path = usePathname()
  const shown = useRef(path)
  const stopRestoring = useRef<() => void>(() => undefined)
  useEffect(() => {
    const onPlace = ({ target }: Event): void => {
      // Between Back and its rendering, the address already belongs to the page that is not shown yet.
      if (withoutPrefix(window.location.pathname) === shown.current && !isRestoring)
        storePlace(target)
    }
    const onBack = (): void => {
      if (withoutPrefix(window.location.pathname) === shown.current) endReturn()
      else beginReturn()
    }
    const onAct = (): void => {
      stopRestoring.current()
      endReturn()
    }
    const stopStoring = listenTo(document, ['scroll', 'focusin', 'click'], onPlace)
    const stopWatchingReader = listenTo(window, READER_ACTS, onAct)
    window.addEventListener('popstate', onBack)
    return () => {
      stopStoring()
      stopWatchingReader()
      window.removeEventListener('popstate', onBack)
    }
  }, [])
  useLayoutEffect(() => {
    shown.current = path
    const place = isReturning() ? places.get(readListAddress()) : undefined
    if (place === undefined) return
    stopRestoring.current = restoreWhenRendered(place)
    return stopRestoring.current
  }, [path])
  return null
}

/** Listens in the capture phase, before other listeners. */
function listenTo(
  on: EventTarget,
  names: readonly string[],
  handle: (event: Event) => void,
): () => void {
  const how = { capture: true, passive: true } as const
  for (const name of names) on.addEventListener(name, handle, how)
  return () => {
    for (const name of names) on.removeEventListener(name, handle, how)
  }
}
