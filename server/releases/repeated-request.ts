// Checked under the place's locks, so that the second of two concurrent requests finds the release of the first.
import { type Actor, readActorId } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import type { Tx } from '@/server/platform/db/transaction.ts'
import type { ReleaseResult } from './release-outcome.ts'
import type { Place } from './release-place.ts'
import { findRequestedRelease } from './releases.sql.ts'

export interface NamedRequest {
  readonly key: string
  readonly digest: string
}

/** Null: the request is new. Rejects with `conflict` when its key was used for a different request. */
export async function earlierAnswer(
  tx: Tx,
  actor: Actor,
  asked: { readonly place: Place; readonly named: NamedRequest | null | undefined },
): Promise<ReleaseResult | null> {
  const { place, named } = asked
  if (named === null || named === undefined) return null
  const request = { authorId: readActorId(actor), requestKey: named.key }
  const made = await findRequestedRelease(tx, request)
  if (made === null) return null
  const { environmentId, configId, requestDigest, ...release } = made
  const isSamePlace = environmentId === place.environment.id && configId === place.config.id
  if (isSamePlace && (requestDigest ?? named.digest) === named.digest) {
    return { ok: true, release: { ...release, rolloutId: null } }
  }
  throw new ServiceError(
    'conflict',
    'This Idempotency-Key was used for another release. Use a new one for each.',
    'Idempotency-Key',
  )
}
