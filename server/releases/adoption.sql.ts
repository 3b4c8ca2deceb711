import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { countedTerm, countedTermOn } from '@/server/platform/sql/counted-term.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { SESSION_TABLES, STATUS_SQL } from '@/server/sessions/session-columns.sql.ts'
import { MOST_SESSIONS } from './releases.list.ts'

interface RuntimeProgress {
  readonly id: string
  /** Version that new sessions get there; null: none. */
  readonly runs: number | null
  /** First application of the release or a later one, epoch ms; null: none. */
  readonly firstAppliedAt: number | null
  /** First rejection of the release or a later one, epoch ms; null: none. */
  readonly rejectedAt: number | null
  readonly running: number
  /** Running sessions that keep the version before the release. */
  readonly keeping: number
}

/** Sessions and reports of the given runtimes about one release. */
export async function loadProgress(
  projectId: AuthorizedProjectId,
  releaseId: string,
  runtimeIds: readonly string[],
): Promise<readonly RuntimeProgress[]> {
  if (runtimeIds.length === 0) return []
  return await readRows<RuntimeProgress>(
    `WITH released AS (
       SELECT r.revision, r.environment_id, r.config_id, e.name AS environment, c.ns, c.key, pv.digest AS previous
       FROM releases r JOIN configs c ON c.id = r.config_id JOIN environments e ON e.id = r.environment_id
         LEFT JOIN config_versions pv ON pv.id = r.previous_version_id
       WHERE r.project_id = $1 AND r.id = $2
     ), running AS (
       SELECT s.runtime_id, count(*)::int AS running,
         (count(*) FILTER (WHERE coalesce(s.governing_digest, s.config_digest) = x.previous))::int AS keeping
       FROM released x CROSS JOIN ${SESSION_TABLES}
       WHERE s.project_id = $1 AND s.environment = x.environment AND s.ns = x.ns AND s.key = x.key AND s.ended_at IS NULL
         AND s.runtime_id = ANY($3::text[]) AND ${STATUS_SQL} = 'running' AND ${countedTerm('s.id')}
       GROUP BY 1
     )
     SELECT t.id, runs.number AS runs, told.applied AS "firstAppliedAt", told.rejected AS "rejectedAt",
       coalesce(n.running, 0) AS running, coalesce(n.keeping, 0) AS keeping
     FROM released x JOIN runtimes t ON t.project_id = $1 AND t.id = ANY($3::text[])
       LEFT JOIN LATERAL (SELECT v.number FROM releases o JOIN config_versions v ON v.id = o.version_id
         WHERE o.environment_id = x.environment_id AND o.config_id = x.config_id AND o.revision <= t.applied_revision
         ORDER BY o.revision DESC LIMIT 1) runs ON true
       LEFT JOIN LATERAL (SELECT ${epochMs('min(a.applied_at)')} AS applied, ${epochMs('min(a.rejected_at)')} AS rejected
         FROM runtime_applications a WHERE a.runtime_id = t.id AND a.revision >= x.revision) told ON true
       LEFT JOIN running n ON n.runtime_id = t.id`,
    [projectId, releaseId, runtimeIds],
  )
}

export interface ReleaseSessions {
  /** Start of the first one, epoch ms; null: none began. */
  readonly firstAt: number | null
  /** At most MOST_SESSIONS. */
  readonly count: number
}

/** Sessions that began with the version while the release was current. `until`: epoch ms; null: it still is. */
export async function countReleaseSessions(
  projectId: AuthorizedProjectId,
  release: {
    readonly environment: string
    readonly ns: string
    readonly key: string
    readonly digest: string
    readonly since: number
    readonly until: number | null
  },
): Promise<ReleaseSessions> {
  const { environment, ns, key, digest, since, until } = release
  const [row] = await readRows<ReleaseSessions>(
    `SELECT ${epochMs('min(started_at)')} AS "firstAt", count(*)::int AS count FROM (
       SELECT started_at FROM sessions
       WHERE project_id = $1 AND environment = $2 AND ns = $3 AND key = $4 AND config_digest = $5
         AND started_at >= to_timestamp($6::float8 / 1000)
         AND ($7::float8 IS NULL OR started_at < to_timestamp($7::float8 / 1000)) AND ${countedTermOn(ns, 'id')}
       ORDER BY started_at LIMIT ${MOST_SESSIONS}) found`,
    [projectId, environment, ns, key, digest, since, until],
  )
  return row ?? { firstAt: null, count: 0 }
}
