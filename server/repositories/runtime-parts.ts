// What runtimes say of candidates and shadow versions in their bundle. Written only while there are such parts; what is left over
// from earlier ones is told by its digest.
import 'server-only'
import type { HeartbeatRequest } from '@signalbox/wire'
import { reader } from './transaction.ts'

type Parts = NonNullable<HeartbeatRequest['parts']>

/** Nothing is written when it is known already. */
export async function writeParts(
  runtime: { readonly id: string; readonly projectId: string; readonly environment: string },
  parts: Parts,
): Promise<void> {
  const { id, projectId, environment } = runtime
  const text = JSON.stringify(parts)
  await reader().$executeRaw`
    UPDATE runtimes SET parts = ${text}::json
    WHERE id = ${id} AND project_id = ${projectId} AND environment = ${environment} AND parts::text <> ${text}`
}
