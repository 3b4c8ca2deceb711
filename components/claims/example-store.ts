// The session that an answer shows is kept in the tab: it is no recorded session, and the server does not store it.
import type { SessionEvent } from '@signalbox/core'

export interface Example {
  readonly ns: string
  readonly key: string
  /** One sentence about the example; Markdown code spans mark names. */
  readonly sentence: string
  /** Text of the flat document. */
  readonly document: string
  readonly events: readonly SessionEvent[]
}

const NAME = 'signalbox:example'

/** False: the tab has no room for it. */
export function keepExample(example: Example): boolean {
  try {
    sessionStorage.setItem(NAME, JSON.stringify(example))
    return true
  } catch {
    // Storage is full, or forbidden in this browser.
    return false
  }
}

/** Null: the tab has none for this config. */
export function readExample(ns: string, key: string): Example | null {
  const text = sessionStorage.getItem(NAME)
  if (text === null) return null
  // Only keepExample writes it.
  const example = JSON.parse(text) as Example
  return example.ns === ns && example.key === key ? example : null
}
