// The append-only audit log. An entry is written in the transaction of its change, never after it.
import 'server-only'
import type { JsonObject } from '@signalbox/core'
import type { SqlTx } from '../db/sql-transaction.ts'
import type { Tx } from '../db/transaction.ts'
import type { AuthorizedProjectId } from '../ids.ts'
import { freshId } from '../ids.ts'
import { type AuditedActor, readActorId } from './scope.ts'

export interface AuditInput {
  readonly projectId: AuthorizedProjectId
  readonly actorId: string
  readonly actor: string
  /** Noun and verb, such as `key.revoked`. */
  readonly action: string
  readonly target: string
  readonly before?: JsonObject
  readonly after?: JsonObject
  /** Network address of the request; null or absent: a job, or not known. */
  readonly origin?: string | null
}

/** Never put a secret into `before` or `after`: every admin sees the log, and it cannot be changed. */
export async function recordAudit(tx: Tx, entry: AuditInput): Promise<void> {
  await tx.auditEntry.create({ data: { id: freshId('aud'), ...entry } })
}

/** Records an entry for each target without one of this action. The caller must hold locks on the targets. */
export async function recordAuditOnce(
  sql: SqlTx,
  entry: Omit<AuditInput, 'target' | 'before'>,
  targets: readonly string[],
): Promise<void> {
  const { projectId, actorId, actor, action, after = null, origin = null } = entry
  await sql.query(
    `INSERT INTO audit_entries (id, project_id, actor_id, actor, action, target, after, origin)
     SELECT n.id, $1, $2, $3, $4, n.target, $5::jsonb, $6 FROM unnest($7::text[], $8::text[]) AS n(id, target)
     WHERE NOT EXISTS (SELECT 1 FROM audit_entries e
       WHERE e.project_id = $1 AND e.action = $4 AND e.target = n.target)`,
    [
      ...[projectId, actorId, actor, action, after, origin],
      ...[targets.map(() => freshId('aud')), targets],
    ],
  )
}

export function toAuditActor(
  actor: AuditedActor,
): Pick<AuditInput, 'actorId' | 'actor' | 'origin'> {
  return {
    actorId: readActorId(actor),
    actor: 'keyId' in actor ? actor.keyName : actor.userName,
    origin: actor.origin,
  }
}
