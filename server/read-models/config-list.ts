// What the configs list and the config page read: configs with their pointers, drafts, versions and releases, and how
// often their rules acted. Each is one query over the caller's project.
import 'server-only'
import type { ConfigReader } from '../auth/scope.ts'
import { authorName, epochMs, readRows } from './rows.ts'

export interface ListedConfigRow {
  readonly id: string
  readonly ns: string
  readonly key: string
  readonly archivedAt: number | null
  readonly newestVersion: number | null
  /** Text of the version that is live furthest along the chain, else of the newest version, else null. */
  readonly text: string | null
  readonly lastReleasedAt: number | null
  readonly draftUpdatedAt: number | null
  readonly draftAuthor: string | null
  readonly draftText: string | null
  /** Text of the version that the draft was made from. */
  readonly baseText: string | null
  readonly baseVersion: number | null
}

const MOST_CONFIGS = 1_000

/** In order of prompt. Bounded at 1,000. */
export async function listConfigRows(
  scope: ConfigReader,
  filter: { readonly archived: boolean },
): Promise<readonly ListedConfigRow[]> {
  return await readRows<ListedConfigRow>(
    `SELECT c.id, c.ns, c.key, ${epochMs('c.archived_at')} AS "archivedAt", newest.number AS "newestVersion",
       coalesce(live.text, newest.text) AS text,
       (SELECT ${epochMs('max(r.created_at)')} FROM releases r WHERE r.config_id = c.id AND r.project_id = $1) AS "lastReleasedAt",
       ${epochMs('d.updated_at')} AS "draftUpdatedAt", ${authorName('d.updated_by')} AS "draftAuthor", d.text AS "draftText",
       base.text AS "baseText", d.base_version AS "baseVersion"
     FROM configs c
     LEFT JOIN LATERAL (SELECT v.number, v.text FROM config_versions v WHERE v.config_id = c.id
       ORDER BY v.number DESC LIMIT 1) newest ON true
     LEFT JOIN LATERAL (SELECT v.text FROM environment_pointers p JOIN environments e ON e.id = p.environment_id
       JOIN config_versions v ON v.id = p.version_id WHERE p.config_id = c.id
       ORDER BY e.position DESC LIMIT 1) live ON true
     LEFT JOIN LATERAL (SELECT * FROM drafts d WHERE d.config_id = c.id AND d.discarded_at IS NULL
       ORDER BY d.created_at DESC, d.id DESC LIMIT 1) d ON true
     LEFT JOIN config_versions base ON base.config_id = c.id AND base.number = d.base_version
     WHERE c.project_id = $1 AND (c.archived_at IS NOT NULL) = $2
     ORDER BY c.ns, c.key LIMIT ${MOST_CONFIGS}`,
    [scope.projectId, filter.archived],
  )
}

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

/** `configId` absent: all configs of the project. In order of promotion. */
export async function listPointers(
  scope: ConfigReader,
  configId?: string,
): Promise<readonly PointerRow[]> {
  return await readRows<PointerRow>(
    `SELECT p.config_id AS "configId", e.name AS environment, v.number AS version, v.digest,
       p.release_id AS "releaseId", r.revision, ${epochMs('r.created_at')} AS "releasedAt",
       ${authorName('r.author_id')} AS author
     FROM environment_pointers p JOIN environments e ON e.id = p.environment_id
     JOIN config_versions v ON v.id = p.version_id
     JOIN releases r ON r.id = p.release_id
     WHERE e.project_id = $1 AND ($2::text IS NULL OR p.config_id = $2)
     ORDER BY e.position`,
    [scope.projectId, configId ?? null],
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
): Promise<readonly ReleaseListRow[]> {
  return await readRows<ReleaseListRow>(
    `SELECT r.id, e.name AS environment, r.kind::text AS kind, v.number AS version, pv.number AS "previousVersion",
       r.revision, r.note, ${authorName('r.author_id')} AS author, ${epochMs('r.created_at')} AS "createdAt"
     FROM releases r JOIN environments e ON e.id = r.environment_id
     JOIN config_versions v ON v.id = r.version_id
     LEFT JOIN config_versions pv ON pv.id = r.previous_version_id
     WHERE r.project_id = $1 AND r.config_id = $2
     ORDER BY r.created_at DESC, r.id DESC LIMIT ${MOST_VERSIONS}`,
    [scope.projectId, configId],
  )
}

export interface PromptCounts {
  readonly ns: string
  readonly key: string
  readonly sessions: number
  readonly calls: number
  readonly denied: number
  readonly stops: number
  readonly blocked: number
}

/** Sums over sessions started since `since` (epoch ms), by prompt. */
export async function countsByPrompt(
  scope: ConfigReader,
  since: number,
): Promise<readonly PromptCounts[]> {
  return await readRows<PromptCounts>(
    `SELECT ns, key, count(*)::int AS sessions, sum(calls)::int AS calls, sum(denied)::int AS denied,
       sum(stop_attempts)::int AS stops, sum(stops_blocked)::int AS blocked
     FROM sessions WHERE project_id = $1 AND started_at >= $2 GROUP BY ns, key`,
    [scope.projectId, new Date(since)],
  )
}

/** How often each policy denied since `since`, by the rule's id. */
export async function denialsByRule(
  scope: ConfigReader,
  where: { readonly ns: string; readonly key: string; readonly since: number },
): Promise<readonly { readonly rule: string; readonly count: number }[]> {
  return await readRows<{ readonly rule: string; readonly count: number }>(
    `SELECT rule, count(*)::int AS count FROM denials
     WHERE project_id = $1 AND ns = $2 AND key = $3 AND at >= $4 GROUP BY rule`,
    [scope.projectId, where.ns, where.key, new Date(where.since)],
  )
}

/** Sessions of the prompt that run now (no end, an event in the last minutes) in the environment. */
export async function countLiveSessions(
  scope: ConfigReader,
  where: { readonly ns: string; readonly key: string; readonly since: number },
): Promise<readonly { readonly environment: string; readonly count: number }[]> {
  return await readRows<{ readonly environment: string; readonly count: number }>(
    `SELECT environment, count(*)::int AS count FROM sessions
     WHERE project_id = $1 AND ns = $2 AND key = $3 AND ended_at IS NULL AND last_event_at >= $4
     GROUP BY environment`,
    [scope.projectId, where.ns, where.key, new Date(where.since)],
  )
}
