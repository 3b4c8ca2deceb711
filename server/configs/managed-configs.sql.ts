// Lists of the management API: configs with their live versions, versions and releases, each paged by a key that never changes.
import 'server-only'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import { authorName, epochMs, readRows } from '@/server/platform/sql/rows.ts'
import type { PointerRow, ReleaseListRow, VersionListRow } from './config-detail.sql.ts'

export type LiveRow = Omit<PointerRow, 'configId'>

export interface ManagedConfigRow {
  readonly id: string
  readonly ns: string
  readonly key: string
  readonly archivedAt: number | null
  readonly newestVersion: number | null
  readonly live: readonly LiveRow[]
}

interface ConfigPageQuery {
  readonly archived: boolean
  /** Null: from the first config. */
  readonly after: { readonly ns: string; readonly key: string } | null
  readonly limit: number
}

const LIVE = `coalesce((SELECT json_agg(json_build_object('environment', e.name, 'version', v.number, 'digest', v.digest,
    'releaseId', p.release_id, 'revision', r.revision, 'releasedAt', ${epochMs('r.created_at')},
    'author', ${authorName('r.author_id')}) ORDER BY e.position)
  FROM environment_pointers p JOIN environments e ON e.id = p.environment_id
  JOIN config_versions v ON v.id = p.version_id JOIN releases r ON r.id = p.release_id
  WHERE p.config_id = c.id), '[]'::json)`

const COLUMNS = `c.id, c.ns, c.key, ${epochMs('c.archived_at')} AS "archivedAt",
  (SELECT max(n.number) FROM config_versions n WHERE n.config_id = c.id) AS "newestVersion", ${LIVE} AS live`

export async function listConfigPage(
  scope: ConfigReader,
  { archived, after, limit }: ConfigPageQuery,
): Promise<readonly ManagedConfigRow[]> {
  return await readRows<ManagedConfigRow>(
    `SELECT ${COLUMNS} FROM configs c
     WHERE c.project_id = $1 AND (c.archived_at IS NOT NULL) = $2
       AND ($3::text IS NULL OR (c.ns, c.key) > ($3, $4))
     ORDER BY c.ns, c.key LIMIT $5`,
    [scope.projectId, archived, after?.ns ?? null, after?.key ?? null, limit],
  )
}

export async function findManagedConfig(
  scope: ConfigReader,
  { ns, key }: { readonly ns: string; readonly key: string },
): Promise<ManagedConfigRow | null> {
  const rows = await readRows<ManagedConfigRow>(
    `SELECT ${COLUMNS} FROM configs c WHERE c.project_id = $1 AND c.ns = $2 AND c.key = $3`,
    [scope.projectId, ns, key],
  )
  return rows[0] ?? null
}

/** Newest first, below the number `before`. */
export async function listVersionPage(
  scope: ConfigReader,
  page: { readonly configId: string; readonly before: number; readonly limit: number },
): Promise<readonly VersionListRow[]> {
  return await readRows<VersionListRow>(
    `SELECT v.number, v.digest, v.note, ${authorName('v.author_id')} AS author, ${epochMs('v.created_at')} AS "createdAt"
     FROM config_versions v WHERE v.project_id = $1 AND v.config_id = $2 AND v.number < $3
     ORDER BY v.number DESC LIMIT $4`,
    [scope.projectId, page.configId, page.before, page.limit],
  )
}

export interface ProjectReleaseRow extends ReleaseListRow {
  readonly ns: string
  readonly key: string
}

export interface ReleaseFilter {
  readonly ns: string | null
  readonly key: string | null
  readonly environment: string | null
}

/** Newest first, older than the place `before`. */
export async function listReleasePage(
  scope: ConfigReader,
  page: {
    readonly filter: ReleaseFilter
    readonly before: { readonly at: number; readonly id: string } | null
    readonly limit: number
  },
): Promise<readonly ProjectReleaseRow[]> {
  const { filter, before, limit } = page
  const at = before === null ? null : new Date(before.at)
  return await readRows<ProjectReleaseRow>(
    `SELECT r.id, c.ns, c.key, e.name AS environment, r.kind::text AS kind, v.number AS version,
       pv.number AS "previousVersion", r.revision, r.note, ${authorName('r.author_id')} AS author,
       ${epochMs('r.created_at')} AS "createdAt"
     FROM releases r JOIN configs c ON c.id = r.config_id JOIN environments e ON e.id = r.environment_id
     JOIN config_versions v ON v.id = r.version_id
     LEFT JOIN config_versions pv ON pv.id = r.previous_version_id
     WHERE r.project_id = $1 AND ($2::text IS NULL OR c.ns = $2) AND ($3::text IS NULL OR c.key = $3)
       AND ($4::text IS NULL OR e.name = $4) AND ($5::timestamptz IS NULL OR (r.created_at, r.id) < ($5, $6))
     ORDER BY r.created_at DESC, r.id DESC LIMIT $7`,
    [
      ...[scope.projectId, filter.ns, filter.key, filter.environment],
      ...[at, before?.id ?? null, limit],
    ],
  )
}

/** The newest version below `number` that was released to the environment; null: none. */
export async function findEarlierRelease(
  scope: ConfigReader,
  where: { readonly configId: string; readonly environment: string; readonly number: number },
): Promise<number | null> {
  const rows = await readRows<{ readonly number: number | null }>(
    `SELECT max(v.number) AS number FROM releases r JOIN environments e ON e.id = r.environment_id
     JOIN config_versions v ON v.id = r.version_id
     WHERE r.project_id = $1 AND r.config_id = $2 AND e.name = $3 AND v.number < $4`,
    [scope.projectId, where.configId, where.environment, where.number],
  )
  return rows[0]?.number ?? null
}
