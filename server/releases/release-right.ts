// Every service that releases, schedules or approves checks the right here, so a role for some environments does not apply to others.

import { listEnvironments } from '@/server/environments/environments.sql.ts'
import {
  findPlaceRefusal,
  loadPlaceRights,
  type PlaceRight,
} from '@/server/platform/auth/place-rights.ts'
import type { Actor, ConfigReader, ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'

export async function releaseRights(scope: ProjectScope): Promise<readonly PlaceRight[]> {
  const environments = await listEnvironments(scope.projectId)
  return await loadPlaceRights(
    scope,
    'release.publish',
    environments.map(({ name }) => name),
  )
}

/** Reason why the user may not release to the environment, with the users who may; null: they may. */
export async function releaseRefusal(
  reader: ConfigReader,
  environment: string,
): Promise<string | null> {
  if (!('keyId' in reader)) return await findPlaceRefusal(reader, 'release.publish', environment)
  return reader.environment === environment
    ? null
    : `This API key belongs to ${reader.environment}, so it cannot release to ${environment}. Use a key of ${environment} with the scope "publish".`
}

/** Rejects with `forbidden`, naming the users who may. */
export async function requireRelease(actor: Actor, environment: string): Promise<void> {
  const refusal = await releaseRefusal(actor, environment)
  if (refusal !== null) throw new ServiceError('forbidden', refusal, 'environment')
}
