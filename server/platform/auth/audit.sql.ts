// The append-only audit log. An entry is written in the transaction of its change, never after it.
import 'server-only'
import type { JsonObject } from '@signalbox/core'
import type { Tx } from '../db/transaction.ts'
import type { AuthorizedProjectId } from '../ids.ts'
import { freshId } from '../ids.ts'
import { type Actor, readActorId } from './scope.ts'

export interface AuditInput {
  readonly projectId: AuthorizedProjectId
  /** Id and displayed name of the user or key. */
  readonly actorId: string
  readonly actor: string
  /** Noun and verb, such as `key.revoked`. */
  readonly action: string
  /** Id of the changed object. */
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

interface AuditedTargets {
  readonly projectId: AuthorizedProjectId
  readonly action: string
  readonly targets: readonly string[]
}

/** Those of the targets that have an entry of this action. */
export async function findAuditedTargets(
  tx: Tx,
  { projectId, action, targets }: AuditedTargets,
): Promise<ReadonlySet<string>> {
  const entries = await tx.auditEntry.findMany({
    where: { projectId, action, target: { in: [...targets] } },
    select: { target: true },
  })
  return new Set(entries.map(({ target }) => target))
}

/** User or key of a scope with the origin of the request, as recorded in the audit log. */
export function toAuditActor(actor: Actor): Pick<AuditInput, 'actorId' | 'actor' | 'origin'> {
  return {
    actorId: readActorId(actor),
    actor: 'keyId' in actor ? actor.keyName : actor.userName,
    origin: actor.origin,
  }
}
