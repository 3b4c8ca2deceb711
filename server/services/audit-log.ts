// Pages of the audit log.
import type { ProjectScope } from '../auth/scope.ts'
import { type AuditCursor, type ListedAuditEntry, listAudit } from '../read-models/audit-log.ts'

const PAGE = 100

/** `next` is null on the last page. */
export async function auditPage(
  scope: ProjectScope,
  after: AuditCursor | undefined,
): Promise<{ readonly entries: readonly ListedAuditEntry[]; readonly next: AuditCursor | null }> {
  const rows = await listAudit(scope, { after, limit: PAGE + 1 })
  const entries = rows.slice(0, PAGE)
  const last = entries.at(-1)
  const hasMore = rows.length > PAGE && last !== undefined
  return { entries, next: hasMore ? { at: last.at, id: last.id } : null }
}
