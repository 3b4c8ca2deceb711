// Checks the right to change an environment's live version. Every service that releases, schedules or approves calls this, so that a role
// for some environments only does not hold for others.

import { listEnvironments } from '@/server/environments/environments.sql.ts'
import {
  findPlaceRefusal,
  loadPlaceRights,
  type PlaceRight,
} from '@/server/platform/auth/place-rights.ts'
import type { Actor, ConfigReader, ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/errors.ts'

/** The right to release to each environment, in their order. */
export async function releaseRights(scope: ProjectScope): Promise<readonly PlaceRight[]> {
  const environments = await listEnvironments(scope.projectId)
  return await loadPlaceRights(
    scope,
    'release.publish',
    environments.map(({ name }) => name),
  )
}

/** Why the reader may not release to the environment, and who may; null: they may. */
export async function releaseRefusal(
  reader: ConfigReader,
  environment: string,
): Promise<string | null> {
  if (!('keyId' in reader)) return await findPlaceRefusal(reader, 'release.publish', environment)
  return reader.environment === environment
    ? null
    : `This API key belongs to ${reader.environment}, so it cannot release to ${environment}. Use a key of ${environment} with the scope "publish".`
}

/** Rejects with `forbidden`, naming who may. */
export async function requireRelease(actor: Actor, environment: string): Promise<void> {
  const refusal = await releaseRefusal(actor, environment)
  if (refusal !== null) throw new ServiceError('forbidden', refusal, 'environment')
}
