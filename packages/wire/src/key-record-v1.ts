// Signed as exact text by both keys (specs/keys.md).
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import * as z from 'zod/v4'
import { toBase64Url } from './base64url.ts'
import { canonicalJson } from './digest.ts'
import { Instant } from './names.ts'
import { derivePublicKey, signText, verifyText } from './signature.ts'

const PublicKey = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'Use 32 bytes in base64url.')

/** RFC 7638 thumbprint of an Ed25519 key, base64url. People and reports identify keys by it. */
export const KeyId = PublicKey

export const KeyRecordV1 = z.strictObject({
  key_record_version: z.literal(1),
  /** Slug. A record does not affect keys of other projects. */
  project: z.string().min(1).max(100),
  previous: PublicKey,
  next: PublicKey,
  created_at: Instant,
})
export type KeyRecordV1 = z.output<typeof KeyRecordV1>

export const SignedKeyRecord = z.looseObject({
  text: z.string().max(2000),
  by_previous: z.string().max(200),
  /** Signature by which the next key proves that its private half exists. */
  by_next: z.string().max(200),
})
export type SignedKeyRecord = z.output<typeof SignedKeyRecord>

/** Limit for one project: a key per week for two years. */
export const MOST_KEY_RECORDS = 100

/** Loose, so that a newer server may add fields. */
export const KeysResponse = z.looseObject({
  records: z.array(SignedKeyRecord).max(MOST_KEY_RECORDS),
})
export type KeysResponse = z.output<typeof KeysResponse>

export function computeKeyId(publicKey: string): string {
  const jwk = canonicalJson({ crv: 'Ed25519', kty: 'OKP', x: publicKey })
  return toBase64Url(sha256(utf8ToBytes(jwk)))
}

export function signKeyRecord(
  place: { readonly project: string; readonly createdAt: number },
  seeds: { readonly previous: string; readonly next: string },
): SignedKeyRecord {
  const text = canonicalJson({
    key_record_version: 1,
    project: place.project,
    previous: derivePublicKey(seeds.previous),
    next: derivePublicKey(seeds.next),
    created_at: place.createdAt,
  })
  return { text, by_previous: signText(text, seeds.previous), by_next: signText(text, seeds.next) }
}

/** null unless both keys signed the record. A valid record does not prove that the previous key is trusted. */
export function openKeyRecord({ text, by_previous, by_next }: SignedKeyRecord): KeyRecordV1 | null {
  const record = readKeyRecord(text)
  if (record === null) return null
  const { previous, next } = record
  return verifyText(text, by_previous, previous) && verifyText(text, by_next, next) ? record : null
}

/** Content of the record, without verification; null: the text is not a record. */
export function readKeyRecord(text: string): KeyRecordV1 | null {
  const parsed = KeyRecordV1.safeParse(parseKeyRecordJson(text))
  return parsed.success ? parsed.data : null
}

function parseKeyRecordJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
