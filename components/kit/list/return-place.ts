// Restores a list on Back: the same offset, with the focus on the row that was opened (ux.md §4.2). One component in the frame keeps the
// position of every page by its address and restores it once the rows have loaded; lists only keep their loaded pages (kept-pages.ts), name
// their rows (`data-row`), and mark the box that scrolls (`data-scrolls`).
'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { withoutPrefix } from '@/components/paths/prefix.ts'
import { beginReturn, endReturn, isReturning } from './returning.ts'

interface Place {
  readonly pageTop: number
  /** Scroll position of the box within the page; 0 when there is no box. */
  readonly boxTop: number
  /** Link of the row that was chosen last; null: none was. */
  readonly row: string | null
}

/** Positions by address, the most recently left page last. */
const places = new Map<string, Place>()
const MOST_PLACES = 200

/** The chosen or peeked row does not make it another list. */
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

/** On a narrow screen the window scrolls, else `main`. */
function pageTop(): number {
  return Math.max(window.scrollY, main()?.scrollTop ?? 0)
}

function note(target: EventTarget | null): void {
  const address = readListAddress()
  const row = findRowHref(target) ?? places.get(address)?.row ?? null
  places.delete(address)
  places.set(address, { pageTop: pageTop(), boxTop: box()?.scrollTop ?? 0, row })
  const [oldest] = places.keys()
  if (places.size > MOST_PLACES && oldest !== undefined) places.delete(oldest)
}

/** Scrolls as far as the content drawn so far allows; true once the place is reached. */
function putBack(place: Place): boolean {
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

/** Tries again whenever something is drawn, until the place is reached. Returns how to leave off. */
function putBackSoon(place: Place): () => void {
  const drawn = new MutationObserver(() => attempt())
  const attempt = (): void => {
    isPuttingBack = !putBack(place)
    if (!isPuttingBack) drawn.disconnect()
  }
  const page = main()
  if (page !== null) drawn.observe(page, { childList: true, subtree: true })
  attempt()
  return () => {
    isPuttingBack = false
    drawn.disconnect()
  }
}

/** Scroll events meanwhile do not come from the reader. */
let isPuttingBack = false

/** Draws nothing. */
export function ReturnPlace() {
  const path = usePathname()
  const shown = useRef(path)
  const leaveOff = useRef<() => void>(() => undefined)
  useEffect(() => {
    const onPlace = ({ target }: Event): void => {
      // Between Back and the drawing of its page the address is of a page that is not shown yet.
      if (withoutPrefix(window.location.pathname) === shown.current && !isPuttingBack) note(target)
    }
    const onBack = (): void => {
      if (withoutPrefix(window.location.pathname) === shown.current) endReturn()
      else beginReturn()
    }
    const onAct = (): void => {
      leaveOff.current()
      endReturn()
    }
    const stopNoting = listening(document, ['scroll', 'focusin', 'click'], onPlace)
    const stopHearing = listening(window, READER_ACTS, onAct)
    window.addEventListener('popstate', onBack)
    return () => {
      stopNoting()
      stopHearing()
      window.removeEventListener('popstate', onBack)
    }
  }, [])
  useLayoutEffect(() => {
    shown.current = path
    const place = isReturning() ? places.get(readListAddress()) : undefined
    if (place === undefined) return
    leaveOff.current = putBackSoon(place)
    return leaveOff.current
  }, [path])
  return null
}

/** Handles the event before other listeners do. Returns the function that stops listening. */
function listening(
  on: EventTarget,
  names: readonly string[],
  hear: (event: Event) => void,
): () => void {
  const how = { capture: true, passive: true } as const
  for (const name of names) on.addEventListener(name, hear, how)
  return () => {
    for (const name of names) on.removeEventListener(name, hear, how)
  }
}
