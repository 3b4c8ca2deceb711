// Live state of an environment for runtimes: read with every poll of every runtime, so in one plain statement.
import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { readRows } from '@/server/platform/sql/rows.ts'

export interface ServedEnvironment {
  readonly id: string
  readonly projectSlug: string
  /** 0 before the first release. */
  readonly revision: number
}

/** Null: no such environment. */
export async function findServedEnvironment(
  projectId: AuthorizedProjectId,
  name: string,
): Promise<ServedEnvironment | null> {
  const [row] = await readRows<ServedEnvironment>(
    `SELECT e.id, p.slug AS "projectSlug", e.revision FROM environments e JOIN projects p ON p.id = e.project_id
     WHERE e.project_id = $1 AND e.name = $2`,
    [projectId, name],
  )
  return row ?? null
}
