import 'server-only'
import { DEMO_NAMESPACE } from '@signalbox/wire'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { countedTerm } from '@/server/platform/sql/counted-term.ts'
import { epochMs, readStandbyRows } from '@/server/platform/sql/rows.ts'
import { importedTerm } from '@/server/sessions/recorded-fields.sql.ts'

export interface ReleaseMark {
  readonly id: string
  readonly at: number
  readonly ns: string
  readonly key: string
  readonly environment: string
  readonly version: number
  readonly digest: string
  readonly kind: 'publish' | 'promote' | 'rollback'
}

export interface FrameFilter {
  readonly environment?: string | undefined
  readonly prompt?: { readonly ns: string; readonly key: string } | undefined
  readonly from: number
  readonly until: number
}

/** Newest first, at most 60. Without a prompt, none of the demo. */
export async function releaseMarks(
  projectId: AuthorizedProjectId,
  { environment = undefined, prompt, from, until }: FrameFilter,
): Promise<readonly ReleaseMark[]> {
  return await readStandbyRows<ReleaseMark>(
    `SELECT r.id, ${epochMs('r.created_at')} AS at, c.ns, c.key, e.name AS environment, v.number AS version, v.digest, r.kind
     FROM releases r JOIN configs c ON c.id = r.config_id JOIN environments e ON e.id = r.environment_id
       JOIN config_versions v ON v.id = r.version_id
     WHERE r.project_id = $1 AND r.created_at >= to_timestamp($2::float8 / 1000) AND r.created_at < to_timestamp($3::float8 / 1000)
       AND ($4::text IS NULL OR e.name = $4) AND CASE WHEN $5::text IS NULL THEN c.ns <> '${DEMO_NAMESPACE}' ELSE c.ns = $5 AND c.key = $6 END
     ORDER BY r.created_at DESC, r.id DESC LIMIT 60`,
    [projectId, from, until, environment ?? null, prompt?.ns ?? null, prompt?.key ?? null],
  )
}

export interface NumberedVersion {
  readonly number: number
  readonly digest: string
}

/** Versions of a prompt, newest first; at most 200. */
export async function listPromptVersions(
  projectId: AuthorizedProjectId,
  { ns, key }: { readonly ns: string; readonly key: string },
): Promise<readonly NumberedVersion[]> {
  return await readStandbyRows<NumberedVersion>(
    `SELECT v.number, v.digest FROM config_versions v JOIN configs c ON c.id = v.config_id
     WHERE v.project_id = $1 AND c.ns = $2 AND c.key = $3 ORDER BY v.number DESC LIMIT 200`,
    [projectId, ns, key],
  )
}

export async function listDigestNumbers(
  projectId: AuthorizedProjectId,
  digests: readonly string[],
): Promise<
  readonly { readonly prompt: string; readonly digest: string; readonly number: number }[]
> {
  return await readStandbyRows(
    `SELECT c.ns || '/' || c.key AS prompt, v.digest, max(v.number) AS number FROM config_versions v JOIN configs c ON c.id = v.config_id
     WHERE v.project_id = $1 AND v.digest = ANY($2::text[]) GROUP BY 1, 2`,
    [projectId, digests],
  )
}

export async function hasImported(projectId: AuthorizedProjectId): Promise<boolean> {
  const rows = await readStandbyRows<{ id: string }>(
    `SELECT id FROM sessions WHERE project_id = $1 AND ${importedTerm('id')('yes')} LIMIT 1`,
    [projectId],
  )
  return rows.length > 0
}

const MOST_GAPS = 1_000

/** Number of sessions that began in the range and lack events, at most 1,000. They are counted up to the first missing one. */
export async function countGaps(
  projectId: AuthorizedProjectId,
  { environment, prompt, from, until }: FrameFilter,
): Promise<number> {
  const [row] = await readStandbyRows<{ count: number }>(
    `SELECT count(*)::int AS count FROM (SELECT 1 FROM sessions
       WHERE project_id = $1 AND contiguous_seq < max_seq AND ${countedTerm('id')}
         AND started_at >= to_timestamp($2::float8 / 1000) AND started_at < to_timestamp($3::float8 / 1000)
         AND ($4::text IS NULL OR environment = $4) AND ($5::text IS NULL OR (ns = $5 AND key = $6)) LIMIT ${MOST_GAPS}) gaps`,
    [projectId, from, until, environment ?? null, prompt?.ns ?? null, prompt?.key ?? null],
  )
  return row?.count ?? 0
}
