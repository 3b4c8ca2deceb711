// Private halves of signing keys: how they are stored, and which is active (specs/keys.md). No other module reads them.

import { randomBytes } from 'node:crypto'
import { computeKeyId, derivePublicKey, toBase64Url } from '@signalbox/wire'
import { env } from '@/server/platform/base/env.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { type KeyPlace, openSeed, sealSeed } from '@/server/platform/db/sealed-seed.mjs'
import type { Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { listSigningKeys, type SigningKeyRow } from './signing-keys.sql.ts'

const SEED_BYTES = 32

export function sealed(seed: string, place: KeyPlace): string {
  return sealSeed(env().SIGNALBOX_AUTH_SECRET, seed, place)
}

/** Rejects with `unavailable` when SIGNALBOX_AUTH_SECRET is not the secret with which it was sealed. */
function unsealed(text: string, place: KeyPlace): string {
  const seed = openSeed(env().SIGNALBOX_AUTH_SECRET, text, place)
  if (seed !== null) return seed
  throw new ServiceError(
    'unavailable',
    'The signing key of this project cannot be opened: SIGNALBOX_AUTH_SECRET is not the one that it was stored under. Start the server with that secret again.',
  )
}

export interface SigningPair {
  readonly id: string
  readonly publicKey: string
  readonly seed: string
}

export function toSigningPair(seed: string): SigningPair {
  const publicKey = derivePublicKey(seed)
  return { id: computeKeyId(publicKey), publicKey, seed }
}

export function freshPair(): SigningPair {
  return toSigningPair(toBase64Url(randomBytes(SEED_BYTES)))
}

/** Key pair of a key that may sign. Rejects with `unavailable` when its private half is missing. */
export function toPair(projectId: AuthorizedProjectId, row: SigningKeyRow): SigningPair {
  const { id, sealedSeed } = row
  const pair = toSigningPair(
    sealedSeed === null ? env().SIGNALBOX_SIGNING_KEY : unsealed(sealedSeed, { projectId, id }),
  )
  if (pair.id === id) return pair
  throw new ServiceError(
    'unavailable',
    'SIGNALBOX_SIGNING_KEY is not the key that this project signs by. Start the server with the earlier one, and rotate under Settings, Signing key.',
  )
}

export function standing(
  rows: readonly SigningKeyRow[],
  as: 'active' | 'next',
): SigningKeyRow | null {
  return rows.find((row) => row.standing === as) ?? null
}

/** Key pair that now signs bundles of the project. A project without stored keys uses SIGNALBOX_SIGNING_KEY. */
export async function activePair(projectId: AuthorizedProjectId, tx?: Tx): Promise<SigningPair> {
  const row = standing(await listSigningKeys(projectId, tx), 'active')
  return row === null ? toSigningPair(env().SIGNALBOX_SIGNING_KEY) : toPair(projectId, row)
}

export async function bundlePublicKey(projectId: AuthorizedProjectId): Promise<string> {
  const row = standing(await listSigningKeys(projectId), 'active')
  return row?.publicKey ?? derivePublicKey(env().SIGNALBOX_SIGNING_KEY)
}
