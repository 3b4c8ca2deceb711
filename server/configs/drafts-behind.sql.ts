// A user's drafts that are based on a version older than the live one. Publishing them would revert the newer version.
import 'server-only'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'

export interface DraftBehind {
  readonly ns: string
  readonly key: string
  readonly environment: string
  /** Number of the version that it is based on; null: none. */
  readonly base: number | null
  readonly live: number
  /** Time of the release that made it outdated, epoch ms. */
  readonly at: number
}

/** Compares each draft with one environment: the requested one, or else the first of the chain that has a live version. */
export function draftsBehind(
  { projectId, userId }: ProjectScope,
  environment: string | undefined,
): Promise<readonly DraftBehind[]> {
  return readRows<DraftBehind>(
    `SELECT c.ns, c.key, first.environment, d.base_version AS base, first.live, first.at
     FROM drafts d JOIN configs c ON c.id = d.config_id
     CROSS JOIN LATERAL (SELECT e.name AS environment, v.number AS live, ${epochMs('r.created_at')} AS at
       FROM environment_pointers p JOIN environments e ON e.id = p.environment_id
         JOIN config_versions v ON v.id = p.version_id JOIN releases r ON r.id = p.release_id
       WHERE p.config_id = c.id AND ($3::text IS NULL OR e.name = $3) ORDER BY e.position LIMIT 1) first
     WHERE d.project_id = $1 AND d.discarded_at IS NULL AND c.archived_at IS NULL
       AND $2 IN (d.author_id, d.updated_by) AND coalesce(d.base_version, 0) < first.live
     ORDER BY first.at DESC LIMIT 7`,
    [projectId, userId, environment ?? null],
  )
}
