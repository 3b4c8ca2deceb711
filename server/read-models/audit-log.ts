// The audit log as Settings shows it: newest first, page by page.
import 'server-only'
import type { JsonValue } from '@signalbox/core'
import type { ProjectScope } from '../auth/scope.ts'
import { reader } from '../repositories/transaction.ts'

export interface ListedAuditEntry {
  readonly id: string
  readonly at: number
  readonly actorId: string
  readonly actor: string
  readonly action: string
  readonly target: string
  readonly before: JsonValue
  readonly after: JsonValue
}

/** Position after the last entry of a page. */
export interface AuditCursor {
  readonly at: number
  readonly id: string
}

/** At most `limit` entries older than `after`; `after` absent: from the newest. */
export async function listAudit(
  scope: ProjectScope,
  { after, limit }: { readonly after?: AuditCursor | undefined; readonly limit: number },
): Promise<readonly ListedAuditEntry[]> {
  const older =
    after === undefined
      ? {}
      : {
          OR: [
            { at: { lt: new Date(after.at) } },
            { at: new Date(after.at), id: { lt: after.id } },
          ],
        }
  const rows = await reader().auditEntry.findMany({
    where: { projectId: scope.projectId, ...older },
    orderBy: [{ at: 'desc' }, { id: 'desc' }],
    take: limit,
    omit: { projectId: true },
  })
  return rows.map((row) => ({
    ...row,
    at: row.at.getTime(),
    // Prisma's JSON type and ours differ in name only: what came out of a json column is JSON.
    before: row.before as JsonValue,
    after: row.after as JsonValue,
  }))
}
