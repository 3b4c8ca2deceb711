import 'server-only'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { authorName, epochMs, readRows } from '@/server/platform/sql/rows.ts'

export interface ListedSchedule {
  readonly id: string
  readonly ns: string
  readonly key: string
  readonly environment: string
  /** Version of a promotion; null: the publish of a draft. */
  readonly version: number | null
  readonly digest: string
  readonly live: number | null
  readonly note: string | null
  readonly dueAt: number
  readonly zone: string
  readonly state: 'pending' | 'held' | 'refused'
  readonly reason: string | null
  readonly author: string | null
  /** Time of the refusal, epoch ms; null: not refused. */
  readonly settledAt: number | null
}

const MOST = 200

/** The next one first. */
export async function listSchedules(scope: ProjectScope): Promise<readonly ListedSchedule[]> {
  return await readRows<ListedSchedule>(
    `SELECT s.id, c.ns, c.key, e.name AS environment, s.version, s.digest, lv.number AS live, s.note,
       ${epochMs('s.due_at')} AS "dueAt", s.zone, s.state::text AS state, s.reason,
       ${authorName('s.created_by')} AS author, ${epochMs('s.settled_at')} AS "settledAt"
     FROM scheduled_releases s JOIN configs c ON c.id = s.config_id
     JOIN environments e ON e.id = s.environment_id
     LEFT JOIN environment_pointers p ON p.environment_id = s.environment_id AND p.config_id = s.config_id
     LEFT JOIN config_versions lv ON lv.id = p.version_id
     WHERE s.project_id = $1 AND s.state IN ('pending', 'held', 'refused')
     ORDER BY s.due_at, s.id LIMIT ${MOST}`,
    [scope.projectId],
  )
}
