// Keys of the page that is open: bound and listed from one table, so that the sheet (`?`) can never name a key that does
// nothing, nor keep one to itself.
'use client'

import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { tinykeys } from 'tinykeys'

export interface PageKey {
  /** As tinykeys reads it: `$mod+Shift+Enter`. */
  readonly keys: string
  /** For people: `⌘⇧Enter`. */
  readonly shown: string
  readonly does: string
  readonly run: () => void
}

export interface ListedKey extends Pick<PageKey, 'shown' | 'does'> {
  /** "editor" */
  readonly page: string
}

let listed: readonly ListedKey[] = []
const watchers = new Set<() => void>()

function list(next: readonly ListedKey[]): void {
  listed = next
  for (const watcher of watchers) watcher()
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

const NONE: readonly ListedKey[] = []

/** What the open page has bound, in its order. */
export function useListedKeys(): readonly ListedKey[] {
  return useSyncExternalStore(
    watch,
    () => listed,
    () => NONE,
  )
}

/** A letter alone belongs to who types it; a key with a modifier, or F8, does not. A dialog has keys of its own. */
function isForOthers(
  keys: string,
  { target, isComposing, defaultPrevented }: KeyboardEvent,
): boolean {
  if (isComposing || defaultPrevented || !(target instanceof Element)) return true
  if (target.closest('[role="dialog"]') !== null) return true
  const isTyped = !/\$mod|Alt|F\d/.test(keys)
  return isTyped && target.closest('input, textarea, select, [contenteditable="true"]') !== null
}

/** Binds them while the component is mounted. `keys` may be new at every render; which ones there are may not change. */
export function usePageKeys(page: string, keys: readonly PageKey[]): void {
  const run = useEffectEvent((event: KeyboardEvent, wanted: string) => {
    const key = keys.find((one) => one.keys === wanted)
    if (key === undefined || isForOthers(wanted, event)) return
    event.preventDefault()
    key.run()
  })
  const own = useEffectEvent(() => keys.map(({ shown, does }) => ({ page, shown, does })))
  const names = keys.map((key) => key.keys).join(' ')
  useEffect(() => {
    const mine = own()
    list([...listed, ...mine])
    const bindings = names
      .split(' ')
      .map((name) => [name, (event: KeyboardEvent) => run(event, name)] as const)
    const unbind = tinykeys(window, Object.fromEntries(bindings))
    return () => {
      unbind()
      list(listed.filter((key) => !mine.includes(key)))
    }
  }, [names])
}
