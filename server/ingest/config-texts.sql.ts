// Texts of published config versions, by digest.
import 'server-only'
import { reader } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'

/** Null when the project never published this digest. */
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
