import 'server-only'
import { reader } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'

export async function findVersionText(
  projectId: AuthorizedProjectId,
  digest: string,
): Promise<string | null> {
  const row = await reader().configVersion.findFirst({
    where: { projectId, digest },
    select: { text: true },
  })
  return row?.text ?? null
}
