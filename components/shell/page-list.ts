'use client'

import { useSyncExternalStore } from 'react'

export interface PageList<Item> {
  /** Returns the function that removes them. */
  readonly add: (items: readonly Item[]) => () => void
  readonly useItems: () => readonly Item[]
}

export function pageList<Item>(): PageList<Item> {
  const none: readonly Item[] = []
  let listed = none
  const watchers = new Set<() => void>()
  const list = (next: readonly Item[]): void => {
    listed = next
    for (const watcher of watchers) watcher()
  }
  const watch = (watcher: () => void): (() => void) => {
    watchers.add(watcher)
    return () => watchers.delete(watcher)
  }
  return {
    add: (items) => {
      list([...listed, ...items])
      return () => list(listed.filter((item) => !items.includes(item)))
    },
    useItems: () =>
      useSyncExternalStore(
        watch,
        () => listed,
        () => none,
      ),
  }
}
