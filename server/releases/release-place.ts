// Place of a release: environment and config, locked in that order, so that facts about them hold until the transaction ends.

import { type ConfigRow, lockConfig, type PromptName } from '@/server/configs/configs.sql.ts'
import { findLiveVersion, type VersionRow } from '@/server/configs/versions.sql.ts'
import {
  type EnvironmentRow,
  findEnvironment,
  lockEnvironment,
  type PointerPlace,
} from '@/server/environments/environments.sql.ts'
import type { Actor, InProject } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import type { Tx } from '@/server/platform/db/transaction.ts'

export interface Place {
  /** Read under its lock, so its demands cannot change before the release is made. */
  readonly environment: EnvironmentRow
  readonly config: ConfigRow
  readonly live: VersionRow | null
}

export interface PlaceName extends PromptName {
  readonly environment: string
}

export function toPointerPlace({
  environment: { projectId, id: environmentId },
  config,
}: {
  readonly environment: InProject & { readonly id: string }
  readonly config: { readonly id: string }
}): PointerPlace {
  return { projectId, environmentId, configId: config.id }
}

/** Rejects with `not_found`. Does not check if the actor may release there (release-right.ts). */
export async function lockPlace(tx: Tx, actor: Actor, name: PlaceName): Promise<Place> {
  const { projectId } = actor
  const { ns, key } = name
  const found = await findEnvironment({ projectId, name: name.environment }, tx)
  if (found === null) {
    throw new ServiceError(
      'not_found',
      `There is no environment "${name.environment}".`,
      'environment',
    )
  }
  await lockEnvironment(tx, { projectId, environmentId: found.id })
  const environment = (await findEnvironment({ projectId, name: name.environment }, tx)) ?? found
  const config = await lockConfig(tx, { projectId, ns, key })
  if (config === null) throw new ServiceError('not_found', `There is no config "${ns}/${key}".`)
  const live = await findLiveVersion(toPointerPlace({ environment, config }), tx)
  return { environment, config, live }
}
