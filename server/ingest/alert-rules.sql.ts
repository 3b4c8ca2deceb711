// Whether a project has alert rules: ingestion asks before it has them evaluated.
import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/auth/scope.ts'
import { reader } from '@/server/platform/db/transaction.ts'

/** Whether any rule of the project is switched on. */
export async function hasRules(projectId: AuthorizedProjectId): Promise<boolean> {
  return (await reader().alertRule.count({ where: { projectId, enabled: true }, take: 1 })) > 0
}
