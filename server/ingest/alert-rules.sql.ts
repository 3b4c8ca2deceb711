import 'server-only'
import { reader } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'

export async function hasRules(projectId: AuthorizedProjectId): Promise<boolean> {
  return (await reader().alertRule.count({ where: { projectId, enabled: true }, take: 1 })) > 0
}

/** Rules that report calls that wait for approval. */
export async function hasApprovalRules(projectId: AuthorizedProjectId): Promise<boolean> {
  const where = {
    projectId,
    enabled: true,
    signal: { in: ['approval_waiting', 'approval_lapsing'] },
  }
  return (await reader().alertRule.count({ where, take: 1 })) > 0
}
