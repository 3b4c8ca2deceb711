// For layout that CSS alone cannot decide (row heights of a virtual list, which pane is rendered).
'use client'

import { useLayoutEffect, useState, useSyncExternalStore } from 'react'

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const media = window.matchMedia(query)
      media.addEventListener('change', changed)
      return () => media.removeEventListener('change', changed)
    },
    () => window.matchMedia(query).matches,
    () => false,
  )
}

/** Width of the element in pixels; `before` until it is known. */
export function useElementWidth(
  element: { readonly current: HTMLElement | null },
  before: number,
): number {
  const [width, setWidth] = useState(before)
  useLayoutEffect(() => {
    const measured = element.current
    if (measured === null) return
    setWidth(measured.clientWidth)
    const observer = new ResizeObserver(() => setWidth(measured.clientWidth))
    observer.observe(measured)
    return () => observer.disconnect()
  }, [element])
  return width
}
