// Uses only salt and session id, so that every language and every restart selects the same sessions, and a larger share only adds sessions.
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'

/** Share of all sessions, per mille. */
export const FULL_SHARE = 1000

/** Position of a session, 0 to 999: the first 32 bits of SHA-256 over `<salt>:<session id>`, times 1000, over 2^32. */
export function cohortPoint(salt: string, session: string): number {
  const hash = sha256(utf8ToBytes(`${salt}:${session}`))
  const first = new DataView(hash.buffer, hash.byteOffset).getUint32(0)
  return Math.floor((first * FULL_SHARE) / 2 ** 32)
}

/** `share`: per mille; 0 selects no session, 1000 every one. */
export function isInShare(
  { salt, share }: { readonly salt: string; readonly share: number },
  session: string,
): boolean {
  return cohortPoint(salt, session) < share
}
