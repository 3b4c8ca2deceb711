// Single keys of a page (listed on the frame's key sheet, switched off in the profile). Ignored while a text field has the focus, while an input method composes, and with a modifier that
// the browser or the system owns.
'use client'

import { useEffect, useEffectEvent } from 'react'

export interface Shortcuts {
  /** By `KeyboardEvent.key`. */
  readonly [key: string]: (() => void) | undefined
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('input, textarea, select, [contenteditable], [role="dialog"]') !== null
  )
}

export function useShortcuts(shortcuts: Shortcuts): void {
  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return
    if (event.metaKey || event.ctrlKey || event.altKey) return
    if (isTyping(event.target) || localStorage.getItem('sb_shortcuts') === 'off') return
    const act = Object.hasOwn(shortcuts, event.key) ? shortcuts[event.key] : undefined
    if (act === undefined) return
    event.preventDefault()
    act()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => handle(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}
