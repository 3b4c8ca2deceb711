import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { authorName, epochMs, readRows } from '@/server/platform/sql/rows.ts'

export interface ConfigInForce {
  readonly ns: string
  readonly key: string
  readonly number: number
  readonly digest: string
  readonly note: string | null
  readonly author: string | null
  readonly publishedAt: number
  readonly liveIn: readonly string[]
  /** Number of the live version in the given environment; null: none. */
  readonly liveNumber: number | null
  readonly liveDigest: string | null
  readonly newestNumber: number
}

/** Null: the project never published a version with this digest. */
export async function findConfigInForce(
  projectId: AuthorizedProjectId,
  digest: string,
  environment: string,
): Promise<ConfigInForce | null> {
  const rows = await readRows<ConfigInForce>(
    `SELECT c.ns, c.key, v.number, v.digest, v.note, ${authorName('v.author_id')} AS author, ${epochMs('v.created_at')} AS "publishedAt",
       ARRAY(SELECT e.name FROM environment_pointers p JOIN environments e ON e.id = p.environment_id
             WHERE p.version_id = v.id ORDER BY e.position) AS "liveIn",
       live.number AS "liveNumber", live.digest AS "liveDigest",
       (SELECT max(n.number) FROM config_versions n WHERE n.config_id = c.id) AS "newestNumber"
     FROM config_versions v JOIN configs c ON c.id = v.config_id
     LEFT JOIN LATERAL (SELECT lv.number, lv.digest FROM environment_pointers p
       JOIN environments e ON e.id = p.environment_id JOIN config_versions lv ON lv.id = p.version_id
       WHERE p.config_id = c.id AND e.project_id = $1 AND e.name = $3) AS live ON true
     WHERE v.project_id = $1 AND v.digest = $2
     ORDER BY v.number DESC LIMIT 1`,
    [projectId, digest, environment],
  )
  return rows[0] ?? null
}
