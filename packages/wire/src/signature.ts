// Ed25519 (RFC 8032) over the exact bytes of a text. Keys and signatures are base64url.
import { getPublicKey, hashes, sign, verify } from '@noble/ed25519'
import { sha512 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { fromBase64Url, toBase64Url } from './base64url.ts'

const SEED_BYTES = 32

function ready(): void {
  hashes.sha512 = sha512
}

function seedBytes(seed: string): Uint8Array {
  const bytes = fromBase64Url(seed)
  if (bytes?.length !== SEED_BYTES) throw new TypeError('A signing key is 32 bytes in base64url.')
  return bytes
}

export function derivePublicKey(seed: string): string {
  ready()
  return toBase64Url(getPublicKey(seedBytes(seed)))
}

export function signText(text: string, seed: string): string {
  ready()
  return toBase64Url(sign(utf8ToBytes(text), seedBytes(seed)))
}

/** False for a wrong signature and for text that is not a signature. Never throws. */
export function verifyText(text: string, signature: string, publicKey: string): boolean {
  ready()
  const signed = fromBase64Url(signature)
  const key = fromBase64Url(publicKey)
  if (signed === null || key === null) return false
  try {
    return verify(signed, utf8ToBytes(text), key)
  } catch {
    return false
  }
}
