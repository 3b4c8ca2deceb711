// API keys: made, listed, revoked. The secret leaves the server once, in the answer of the call that made it.
import { generateKey } from '../auth/api-key.ts'
import type { KeyScopeName, ProjectScope } from '../auth/scope.ts'
import { ServiceError } from '../errors.ts'
import { actorOf, recordAudit } from '../repositories/audit.ts'
import { findEnvironment } from '../repositories/environments.ts'
import { insertKey, type ListedKey, listKeys, markRevoked } from '../repositories/keys.ts'
import { inTransaction } from '../repositories/transaction.ts'

export interface KeyInput {
  readonly name: string
  readonly environment: string
  readonly scopes: readonly KeyScopeName[]
  /** Epoch ms; null never expires. */
  readonly expiresAt: number | null
}

/** `secret` is shown once and cannot be read again. Rejects with `invalid` for an unknown environment. */
export async function createKey(
  scope: ProjectScope,
  input: KeyInput,
): Promise<{ readonly id: string; readonly secret: string; readonly prefix: string }> {
  const { projectId } = scope
  const { environment } = input
  if ((await findEnvironment({ projectId, name: environment })) === null) {
    throw new ServiceError('invalid', `There is no environment "${environment}".`, 'environment')
  }
  const { secret, prefix, hash } = generateKey()
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
      ...actorOf(scope),
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

/** Acts on every replica within two seconds. Revoking a revoked key again changes nothing. */
export async function revokeKey(scope: ProjectScope, id: string): Promise<void> {
  const { projectId } = scope
  await inTransaction(async (tx) => {
    if (!(await markRevoked(tx, { projectId, id, at: Date.now() }))) {
      throw new ServiceError('not_found', 'There is no such key, or it was revoked before.')
    }
    await recordAudit(tx, { projectId, ...actorOf(scope), action: 'key.revoked', target: id })
  })
}

export async function listProjectKeys(scope: ProjectScope): Promise<readonly ListedKey[]> {
  return await listKeys(scope)
}
