// Text that the server does not have yet, kept in this browser under the config's id.
import type { Seen } from './draft-saver.ts'

export interface KeptText {
  readonly text: string
  /** Epoch ms. */
  readonly at: number
  /** The draft revision that it was typed over. */
  readonly seen: Seen
}

const nameOf = (configId: string) => `sb-draft:${configId}`

function isKept(value: unknown): value is KeptText {
  return (
    typeof value === 'object' &&
    value !== null &&
    'text' in value &&
    typeof value.text === 'string' &&
    'at' in value &&
    typeof value.at === 'number' &&
    'seen' in value
  )
}

export function readKept(configId: string): KeptText | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(nameOf(configId)) ?? 'null')
    return isKept(value) ? value : null
  } catch {
    // Storage that is switched off, or not ours: nothing is kept there.
    return null
  }
}

/** False when the browser cannot hold it: storage is full or switched off. */
export function keepText(configId: string, kept: KeptText | null): boolean {
  try {
    if (kept === null) localStorage.removeItem(nameOf(configId))
    else localStorage.setItem(nameOf(configId), JSON.stringify(kept))
    return true
  } catch {
    return false
  }
}
