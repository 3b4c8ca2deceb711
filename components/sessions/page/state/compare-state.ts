import type { SessionState } from '@signalbox/core'
import { snapshotState } from '@signalbox/core/snapshot'

/** SHA-256 of the state's JSON, as the server computes it; null: without a secure context, browsers offer no hash. */
export async function hashState(state: SessionState): Promise<string | null> {
  if (globalThis.crypto?.subtle === undefined) return null
  const bytes = new TextEncoder().encode(JSON.stringify(snapshotState(state)))
  const hash = new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', bytes))
  return `sha256:${[...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

export type Comparison = 'same' | 'other' | 'impossible'

const COMPARED = {
  same: 'The server computes the same state.',
  other:
    'The server computes a different state. Reload the page; if the difference remains, report it.',
  impossible: 'The browser computes digests only on HTTPS or localhost.',
} as const satisfies Record<Comparison, string>

/** `digest`: of the server's state. */
export async function compareState(state: SessionState, digest: string) {
  const own = await hashState(state)
  const is: Comparison = own === null ? 'impossible' : own === digest ? 'same' : 'other'
  return { is, text: COMPARED[is] }
}
