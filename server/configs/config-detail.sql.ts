import 'server-only'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import { countedTermOn } from '@/server/platform/sql/counted-term.ts'
import { authorName, epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { SESSION_TABLES, STATUS_SQL } from '@/server/sessions/session-columns.sql.ts'
import { REPORTS, STANDING_COLUMNS, STANDING_JOINS, type Standing } from './release-standing.sql.ts'

export interface PointerRow {
  readonly configId: string
  readonly environment: string
  readonly version: number
  readonly digest: string
  readonly releaseId: string
  readonly revision: number
  readonly releasedAt: number
  readonly author: string | null
}

export async function listPointers(
  scope: ConfigReader,
  configId: string,
): Promise<readonly PointerRow[]> {
  return await readRows<PointerRow>(
    `SELECT p.config_id AS "configId", e.name AS environment, v.number AS version, v.digest,
       p.release_id AS "releaseId", r.revision, ${epochMs('r.created_at')} AS "releasedAt",
       ${authorName('r.author_id')} AS author
     FROM environment_pointers p JOIN environments e ON e.id = p.environment_id
     JOIN config_versions v ON v.id = p.version_id
     JOIN releases r ON r.id = p.release_id
     WHERE e.project_id = $1 AND p.config_id = $2
     ORDER BY e.position`,
    [scope.projectId, configId],
  )
}

export interface VersionListRow {
  readonly number: number
  readonly digest: string
  readonly note: string | null
  readonly author: string | null
  readonly createdAt: number
}

const MOST_VERSIONS = 200

/** Newest first, at most 200. */
export async function listVersions(
  scope: ConfigReader,
  configId: string,
): Promise<readonly VersionListRow[]> {
  return await readRows<VersionListRow>(
    `SELECT v.number, v.digest, v.note, ${authorName('v.author_id')} AS author, ${epochMs('v.created_at')} AS "createdAt"
     FROM config_versions v
     WHERE v.project_id = $1 AND v.config_id = $2
     ORDER BY v.number DESC LIMIT ${MOST_VERSIONS}`,
    [scope.projectId, configId],
  )
}

export interface ReleaseListRow {
  readonly id: string
  readonly environment: string
  readonly kind: 'publish' | 'promote' | 'rollback'
  readonly version: number
  readonly previousVersion: number | null
  readonly revision: number
  readonly note: string | null
  readonly author: string | null
  readonly createdAt: number
}

/** Newest first, at most 200. */
export async function listReleases(
  scope: ConfigReader,
  configId: string,
): Promise<readonly (ReleaseListRow & Standing)[]> {
  return await readRows<ReleaseListRow & Standing>(
    `WITH ${REPORTS}
     SELECT r.id, e.name AS environment, r.kind::text AS kind, v.number AS version, pv.number AS "previousVersion",
       r.revision, r.note, ${authorName('r.author_id')} AS author, ${epochMs('r.created_at')} AS "createdAt",
       ${STANDING_COLUMNS}
     FROM releases r JOIN environments e ON e.id = r.environment_id
     JOIN configs c ON c.id = r.config_id
     JOIN config_versions v ON v.id = r.version_id
     LEFT JOIN config_versions pv ON pv.id = r.previous_version_id
     ${STANDING_JOINS}
     WHERE r.project_id = $1 AND r.config_id = $2
     ORDER BY r.created_at DESC, r.id DESC LIMIT ${MOST_VERSIONS}`,
    [scope.projectId, configId],
  )
}

export async function countLiveSessions(
  scope: ConfigReader,
  where: { readonly ns: string; readonly key: string },
): Promise<readonly { readonly environment: string; readonly count: number }[]> {
  return await readRows<{ readonly environment: string; readonly count: number }>(
    `SELECT s.environment, count(*)::int AS count FROM ${SESSION_TABLES}
     WHERE s.project_id = $1 AND s.ns = $2 AND s.key = $3 AND s.ended_at IS NULL AND ${STATUS_SQL} = 'running'
       AND ${countedTermOn(where.ns, 's.id')}
     GROUP BY s.environment`,
    [scope.projectId, where.ns, where.key],
  )
}
