// Bound and listed from one table, so that the sheet (`?`) lists exactly the keys that work.
'use client'

import { useEffectEvent, useLayoutEffect } from 'react'
import { bindKeys, isSecondKey } from './key-sequence.ts'
import { pageList } from './page-list.ts'

export interface PageKey {
  /** Syntax of tinykeys: `$mod+Shift+Enter`. */
  readonly keys: string
  /** Display form: `⌘⇧Enter`. */
  readonly shown: string
  readonly does: string
  readonly run: () => void
  /** Returns true if the page handles the key while this element has the focus; absent: everywhere but in text fields. */
  readonly isFor?: (focused: Element) => boolean
}

export interface ListedKey extends Pick<PageKey, 'shown' | 'does'> {
  readonly page: string
}

const pageKeys = pageList<ListedKey>()

export const useListedKeys = pageKeys.useItems

/** A letter belongs to the text field that has the focus (keys with a modifier and F8 do not), any key to a dialog or menu. */
function isForOthers(keys: string, event: KeyboardEvent): boolean {
  const { target, isComposing, defaultPrevented } = event
  if (isComposing || defaultPrevented || !(target instanceof Element)) return true
  if (target.closest('[role="dialog"], [role="menu"]') !== null) return true
  const isTyped = !/\$mod|Alt|F\d/.test(keys)
  // Character keys can be switched off in the profile; arrows and Enter cannot, because lists are read with them.
  const isCharacter = /^(Shift\+)?\S( \S)*$/.test(keys)
  if (!keys.includes(' ') && isSecondKey(event)) return true
  if (isCharacter && localStorage.getItem('sb_shortcuts') === 'off') return true
  return isTyped && target.closest('input, textarea, select, [contenteditable="true"]') !== null
}

/** `keys` may be new at every render. They work from the moment in which the page is seen, thus the layout effect. */
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
  useLayoutEffect(() => {
    const unlist = pageKeys.add(own())
    const unbind = bindKeys(names.split('\n'), (event, name) => run(event, name))
    return () => {
      unbind()
      unlist()
    }
  }, [names])
}
