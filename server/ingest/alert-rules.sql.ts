import 'server-only'
import { reader } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'

export async function hasRules(projectId: AuthorizedProjectId): Promise<boolean> {
  return (await reader().alertRule.count({ where: { projectId, enabled: true }, take: 1 })) > 0
}
