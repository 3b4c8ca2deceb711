// A request for a release that is sent again, because its answer was lost, is answered with the release that it made. Asked
// under the place's locks, so that of two at once the second finds the first's.
import { type Actor, actorIdOf } from '../auth/scope.ts'
import { ServiceError } from '../errors.ts'
import { findRequestedRelease } from '../repositories/releases.ts'
import type { Tx } from '../repositories/transaction.ts'
import type { ReleaseResult } from './release-outcome.ts'
import type { Place } from './release-place.ts'

/** Null: the request is new. Rejects with `conflict` when its key was used for a release elsewhere. */
export async function earlierAnswer(
  tx: Tx,
  actor: Actor,
  asked: { readonly place: Place; readonly requestKey: string | null | undefined },
): Promise<ReleaseResult | null> {
  const { place, requestKey } = asked
  if (requestKey === null || requestKey === undefined) return null
  const made = await findRequestedRelease(tx, { authorId: actorIdOf(actor), requestKey })
  if (made === null) return null
  const { environmentId, configId, ...release } = made
  if (environmentId === place.environment.id && configId === place.config.id) {
    return { ok: true, release: { ...release, rolloutId: null } }
  }
  throw new ServiceError(
    'conflict',
    'This Idempotency-Key was used for another release. Use a new one for each.',
    'Idempotency-Key',
  )
}
