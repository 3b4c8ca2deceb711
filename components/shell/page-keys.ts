// Keys of the page that is open: bound and listed from one table, so that the sheet (`?`) can never name a key that does
// nothing, nor keep one to itself.
'use client'

import { useEffect, useEffectEvent } from 'react'
import { bindKeys, isSecondKey } from './key-sequence.ts'
import { pageList } from './page-list.ts'

export interface PageKey {
  /** Syntax of tinykeys: `$mod+Shift+Enter`. */
  readonly keys: string
  /** Display form: `⌘⇧Enter`. */
  readonly shown: string
  readonly does: string
  readonly run: () => void
  /** True when the focused element leaves the key to the page; absent: everything but text fields does. */
  readonly isFor?: (focused: Element) => boolean
}

export interface ListedKey extends Pick<PageKey, 'shown' | 'does'> {
  /** "editor" */
  readonly page: string
}

const pageKeys = pageList<ListedKey>()

export const useListedKeys = pageKeys.useItems

/** A letter alone belongs to who types it; a key with a modifier, or F8, does not. Dialogs and menus have keys of their own. */
function isForOthers(keys: string, event: KeyboardEvent): boolean {
  const { target, isComposing, defaultPrevented } = event
  if (isComposing || defaultPrevented || !(target instanceof Element)) return true
  if (target.closest('[role="dialog"], [role="menu"]') !== null) return true
  const isTyped = !/\$mod|Alt|F\d/.test(keys)
  // Characters can be switched off in the profile; arrows and Enter are how a list is read.
  const isCharacter = /^(Shift\+)?\S( \S)*$/.test(keys)
  if (!keys.includes(' ') && isSecondKey(event)) return true
  if (isCharacter && localStorage.getItem('sb_shortcuts') === 'off') return true
  return isTyped && target.closest('input, textarea, select, [contenteditable="true"]') !== null
}

/** Binds them while the component is mounted. `keys` may be new at every render; which ones there are may not change. */
export function usePageKeys(page: string, keys: readonly PageKey[]): void {
  const run = useEffectEvent((event: KeyboardEvent, wanted: string) => {
    const key = keys.find((one) => one.keys === wanted)
    if (key === undefined || isForOthers(wanted, event)) return
    if (key.isFor?.(document.activeElement ?? document.body) === false) return
    event.preventDefault()
    key.run()
  })
  const own = useEffectEvent(() => keys.map(({ shown, does }) => ({ page, shown, does })))
  const names = keys.map((key) => key.keys).join('\n')
  useEffect(() => {
    const unlist = pageKeys.add(own())
    const unbind = bindKeys(names.split('\n'), (event, name) => run(event, name))
    return () => {
      unbind()
      unlist()
    }
  }, [names])
}
