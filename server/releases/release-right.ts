// Checks the right to change an environment's live version. Every service that releases, schedules or approves calls this, so that a role
// for some environments only does not hold for others.

import { listReleasers } from '@/server/platform/auth/members.sql.ts'
import { mayReleaseTo } from '@/server/platform/auth/permissions.ts'
import type { Actor, ConfigReader } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/errors.ts'

/** `dev`, `dev and staging`, `dev, staging and production`. */
function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** Why the reader may not release to the environment, and who may; null: they may. */
export async function releaseRefusal(
  reader: ConfigReader,
  environment: string,
): Promise<string | null> {
  if ('keyId' in reader) {
    return reader.environment === environment
      ? null
      : `This API key belongs to ${reader.environment}, so it cannot release to ${environment}. Use a key of ${environment} with the scope "publish".`
  }
  if (mayReleaseTo(reader, environment)) return null
  const others = await listReleasers(reader.projectId, environment)
  const who = `${environment}: ${others.length === 0 ? 'nobody' : listed(others)}.`
  if (reader.role !== 'publisher') {
    return `Your role ${reader.role} does not include releases. Who may release to ${who}`
  }
  const own = reader.publishIn ?? []
  return `You may release to ${own.length === 0 ? 'no environment' : listed(own)}. Who may release to ${who}`
}

/** Rejects with `forbidden`, naming who may. */
export async function requireRelease(actor: Actor, environment: string): Promise<void> {
  const refusal = await releaseRefusal(actor, environment)
  if (refusal !== null) throw new ServiceError('forbidden', refusal, 'environment')
}
