// API keys: created, listed, rotated, revoked. The secret leaves the server once, in the answer to the call that created it.

import { findEnvironment } from '@/server/environments/environments.sql.ts'
import { generateKey } from '@/server/platform/auth/api-key.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { findKeyProblem, type KeyScopeName } from '@/server/platform/auth/key-scopes.kinds.ts'
import { insertKey, lockKey, markReplaced, markRevoked } from '@/server/platform/auth/keys.sql.ts'
import { placeKey } from '@/server/platform/auth/places.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { requireGrantableKey } from './key-limits.ts'

export interface KeyInput {
  readonly name: string
  readonly environment: string
  readonly scopes: readonly KeyScopeName[]
  /** Epoch ms; null: never. */
  readonly expiresAt: number | null
}

function requirePossibleKey({ scopes, expiresAt }: Pick<KeyInput, 'scopes' | 'expiresAt'>): void {
  const problem = findKeyProblem(scopes, expiresAt, Date.now())
  if (problem !== null) throw new ServiceError('invalid', problem.message, problem.field)
}

/** `secret` is shown once and cannot be read again. Rejects with `invalid` for an unknown environment. */
export async function createKey(
  scope: ProjectScope,
  input: KeyInput,
): Promise<{ readonly id: string; readonly secret: string; readonly prefix: string }> {
  const { projectId } = scope
  const { environment } = input
  requirePossibleKey(input)
  requireGrantableKey(scope, input)
  if ((await findEnvironment({ projectId, name: environment })) === null) {
    throw new ServiceError('invalid', `There is no environment "${environment}".`, 'environment')
  }
  const { secret, prefix, hash } = generateKey()
  await placeKey({ projectId, prefix })
  const id = await inTransaction(async (tx) => {
    const made = await insertKey(tx, {
      ...input,
      projectId,
      prefix,
      hash,
      createdBy: scope.userId,
    })
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(scope),
      action: 'key.created',
      target: made,
      after: {
        name: input.name,
        environment,
        prefix,
        scopes: [...input.scopes],
        expires_at: input.expiresAt,
      },
    })
    return made
  })
  return { id, secret, prefix }
}

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

export interface Rotation {
  readonly id: string
  /** Hours for which the old key stays valid, 0 to 720, but never beyond its own expiry. */
  readonly overlapHours: number
  /** Expiry of the new key, epoch ms; null: never. */
  readonly expiresAt: number | null
}

/** `secret` is shown once. Rejects with `not_found`, and with `conflict` for a key that was already revoked, expired or rotated. */
export async function rotateKey(
  scope: ProjectScope,
  { id, overlapHours, expiresAt }: Rotation,
): Promise<{ readonly id: string; readonly secret: string; readonly oldExpiresAt: number }> {
  const { projectId, userId } = scope
  const { secret, prefix, hash } = generateKey()
  await placeKey({ projectId, prefix })
  const now = Date.now()
  return await inTransaction(async (tx) => {
    const old = await lockKey(tx, { projectId, id })
    if (old === null || !isVisible(scope, old)) {
      throw new ServiceError('not_found', 'There is no such key.')
    }
    requirePossibleKey({ scopes: old.scopes, expiresAt })
    requireGrantableKey(scope, { ...old, expiresAt })
    const hasEnded = old.revokedAt !== null || (old.expiresAt !== null && old.expiresAt <= now)
    if (hasEnded || old.replacedBy !== null) {
      const why = hasEnded ? 'no longer works' : 'was already rotated'
      throw new ServiceError('conflict', `This key ${why}. Create a new one instead.`)
    }
    const { name, environment, scopes } = old
    const fields = { name, environment, scopes, prefix, hash, expiresAt }
    const made = await insertKey(tx, { ...fields, projectId, createdBy: userId })
    const oldExpiresAt = Math.min(old.expiresAt ?? Infinity, now + overlapHours * HOUR_MS)
    await markReplaced(tx, { projectId, id, replacedBy: made, expiresAt: oldExpiresAt })
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(scope),
      action: 'key.rotated',
      target: id,
      before: { expires_at: old.expiresAt },
      after: { expires_at: oldExpiresAt, replaced_by: made, prefix },
    })
    return { id: made, secret, oldExpiresAt }
  })
}

export const EXPIRY_WARNING_MS = 7 * DAY_MS

/** A key sees those of its own environment. */
function isVisible({ key }: ProjectScope, { environment }: Pick<KeyInput, 'environment'>) {
  return key === undefined || key.environment === environment
}

/** Takes effect on every replica within two seconds. Revoking a revoked key changes nothing. */
export async function revokeKey(scope: ProjectScope, id: string): Promise<void> {
  const { projectId } = scope
  if (scope.key?.keyId === id) {
    throw new ServiceError(
      'forbidden',
      'A key cannot revoke itself. Use another key, or the console.',
    )
  }
  await inTransaction(async (tx) => {
    const found = await lockKey(tx, { projectId, id })
    const isKnown = found !== null && isVisible(scope, found)
    if (!isKnown || !(await markRevoked(tx, { projectId, id, at: Date.now() }))) {
      throw new ServiceError('not_found', 'There is no such key, or it was already revoked.')
    }
    await recordAudit(tx, { projectId, ...toAuditActor(scope), action: 'key.revoked', target: id })
  })
}
