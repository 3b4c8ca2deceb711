// Who may change what an environment runs. Every service that releases, schedules or approves asks here, so that a role that
// holds for some environments only holds for no other.

import { listReleasers } from '@/server/platform/auth/members.sql.ts'
import { mayReleaseTo } from '@/server/platform/auth/permissions.ts'
import type { Actor } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/errors.ts'

/** `dev`, `dev and staging`, `dev, staging and production`. */
function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

async function refusalOf(actor: Actor, environment: string): Promise<string> {
  if ('keyId' in actor) {
    return `This API key belongs to ${actor.environment}, so it cannot release to ${environment}. Use a key of ${environment} with the scope "publish".`
  }
  const others = await listReleasers(actor.projectId, environment)
  const who = `${environment}: ${others.length === 0 ? 'nobody' : listed(others)}.`
  if (actor.role !== 'publisher') {
    return `Your role ${actor.role} does not include releases. Who may release to ${who}`
  }
  const own = actor.publishIn ?? []
  return `You may release to ${own.length === 0 ? 'no environment' : listed(own)}. Who may release to ${who}`
}

/** Rejects with `forbidden`, and says who may. */
export async function requireRelease(actor: Actor, environment: string): Promise<void> {
  const isLetIn =
    'keyId' in actor ? actor.environment === environment : mayReleaseTo(actor, environment)
  if (isLetIn) return
  throw new ServiceError('forbidden', await refusalOf(actor, environment), 'environment')
}
