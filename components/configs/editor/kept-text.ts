// Text that the server does not have yet, kept in this browser under the config's id.
import type { UnsavedText } from './draft-saver.ts'

export interface KeptText extends UnsavedText {
  /** Epoch ms. */
  readonly at: number
}

const toStorageKey = (configId: string) => `sb-draft:${configId}`

function isKept(value: unknown): value is KeptText {
  return (
    typeof value === 'object' &&
    value !== null &&
    'text' in value &&
    typeof value.text === 'string' &&
    'at' in value &&
    typeof value.at === 'number' &&
    'seen' in value &&
    'base' in value &&
    (value.base === null || typeof value.base === 'string')
  )
}

export function readKept(configId: string): KeptText | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(toStorageKey(configId)) ?? 'null')
    return isKept(value) ? value : null
  } catch {
    // Storage that is switched off, or not ours: nothing is kept there.
    return null
  }
}

/** False when the browser cannot hold it: storage is full or switched off. */
export function keepText(configId: string, kept: KeptText | null): boolean {
  const name = toStorageKey(configId)
  if (kept === null) return stored(() => localStorage.removeItem(name))
  const isHeld = stored(() => localStorage.setItem(name, JSON.stringify(kept)))
  // The text matters more than its base; an older text must not replace it.
  return (
    isHeld ||
    stored(() => {
      localStorage.removeItem(name)
      localStorage.setItem(name, JSON.stringify({ ...kept, base: null }))
    })
  )
}

function stored(write: () => void): boolean {
  try {
    write()
    return true
  } catch {
    return false
  }
}
