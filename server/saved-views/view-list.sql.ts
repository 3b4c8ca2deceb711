import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'

export interface ViewFacts {
  readonly id: string
  readonly list: string
  readonly name: string
  readonly query: string
  readonly owner: string
  readonly ownerId: string
  readonly shared: boolean
  readonly isDefault: boolean
  readonly at: number
}

const MOST_VIEWS = 1_000

export async function listViews(
  projectId: AuthorizedProjectId,
  userId: string,
): Promise<readonly ViewFacts[]> {
  return await readRows<ViewFacts>(
    `SELECT v.id, v.list, v.name, v.query, v.owner, v.owner_id AS "ownerId", v.shared,
       d.view_id IS NOT NULL AS "isDefault", ${epochMs('v.created_at')} AS at
     FROM saved_views v
     LEFT JOIN default_views d ON d.view_id = v.id AND d.project_id = v.project_id AND d.user_id = $2 AND d.list = v.list
     WHERE v.project_id = $1 AND v.removed_at IS NULL AND (v.owner_id = $2 OR v.shared)
     ORDER BY v.list, v.name, v.id LIMIT ${MOST_VIEWS}`,
    [projectId, userId],
  )
}
