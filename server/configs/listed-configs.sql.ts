// The configs list: a page of configs in order of prompt, each with its live versions, its draft, its hosts and its last day, in one
// statement; and the prompts that runtimes report without a config.
import 'server-only'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import type { PromptPlace } from '@/server/platform/sql/keyset.ts'
import { authorName, epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { STALE_AFTER_MS } from '@/server/runtimes/runtime-status.ts'

export interface PromptCounts {
  readonly sessions: number
  readonly calls: number
  readonly denied: number
  readonly stops: number
  readonly blocked: number
}

export interface ListedPointer {
  readonly environment: string
  readonly version: number
}

export interface LastRelease {
  readonly id: string
  readonly environment: string
  readonly version: number
  readonly at: number
  /** Null: they left. */
  readonly author: string | null
}

export interface ListedConfigRow {
  readonly id: string
  readonly ns: string
  readonly key: string
  readonly archivedAt: number | null
  readonly newestVersion: number | null
  /** Text of the version that is live furthest along the chain, else of the newest version, else null. */
  readonly text: string | null
  /** In order of promotion. */
  readonly pointers: readonly ListedPointer[]
  readonly lastRelease: LastRelease | null
  readonly hosts: number
  readonly inSync: number
  readonly day: PromptCounts | null
  /** Null: no open draft. */
  readonly draftUpdatedAt: number | null
  readonly draftAuthor: string | null
  /** Null: no open draft, or it is the text that it was made from. */
  readonly draftText: string | null
}

/**
 * `draft`: its text differs from its base; `unreleased`: no environment runs it; `apart`: environments run different versions, or
 * some none; `behind`: a connected runtime that hosts it does not run what its environment names.
 */
export const CONFIG_STANDS = ['draft', 'unreleased', 'apart', 'behind'] as const

export type ConfigStand = (typeof CONFIG_STANDS)[number]

export interface ConfigFilter {
  readonly archived: boolean
  /** Part of `ns/key`, in any case. */
  readonly text: string
  readonly stands: ConfigStand | null
  /** Runtimes and counts of this environment only; null: of all. */
  readonly environment: string | null
  /** Counts of sessions that began since (epoch ms). */
  readonly since: number
}

const NAME = `(c.ns || '/' || c.key)`

const STANDS_SQL = {
  draft: `EXISTS (SELECT 1 FROM drafts d LEFT JOIN config_versions b ON b.config_id = d.config_id AND b.number = d.base_version
    WHERE d.project_id = $1 AND d.config_id = c.id AND d.discarded_at IS NULL AND d.text IS DISTINCT FROM b.text)`,
  unreleased: `NOT EXISTS (SELECT 1 FROM environments e JOIN environment_pointers p ON p.environment_id = e.id
    WHERE e.project_id = $1 AND p.config_id = c.id)`,
  apart: `(SELECT count(DISTINCT coalesce(p.version_id, '')) FROM environments e
    LEFT JOIN environment_pointers p ON p.environment_id = e.id AND p.config_id = c.id WHERE e.project_id = $1) > 1`,
  behind: `EXISTS (SELECT 1 FROM hosts h WHERE h.prompt = ${NAME} AND h.in_sync < h.total)`,
} as const satisfies Record<ConfigStand, string>

/** Connected runtimes by prompt. `environment` and `silence`: the places of their parameters. */
function formatHostsQuery(environment: string, silence: string): string {
  return `SELECT p.prompt, count(*)::int AS total, count(*) FILTER (WHERE r.applied_revision = e.revision)::int AS in_sync,
      array_agg(DISTINCT e.name) AS environments, array_agg(DISTINCT r.applied_source) AS sources,
      array_agg(DISTINCT r.posture) AS postures
    FROM environments e JOIN runtimes r ON r.project_id = e.project_id AND r.environment = e.name
    CROSS JOIN LATERAL (SELECT DISTINCT unnest(r.prompts) AS prompt) p
    WHERE e.project_id = $1 AND r.stopped_at IS NULL AND r.last_seen_at >= ${silence}
      AND (${environment}::text IS NULL OR e.name = ${environment})
    GROUP BY p.prompt`
}

const COLUMNS = `c.id, c.ns, c.key, ${epochMs('c.archived_at')} AS "archivedAt", newest.number AS "newestVersion",
  coalesce(live.text, newest.text) AS text, coalesce(live.pointers, '[]'::json) AS pointers, last.release AS "lastRelease",
  coalesce(h.total, 0) AS hosts, coalesce(h.in_sync, 0) AS "inSync", day.counts AS day,
  ${epochMs('d.updated_at')} AS "draftUpdatedAt", ${authorName('d.updated_by')} AS "draftAuthor",
  CASE WHEN d.text IS DISTINCT FROM base.text THEN d.text END AS "draftText"`

/** `$2`: environment, `$6`: since. */
const JOINS = `
  LEFT JOIN LATERAL (SELECT v.number, v.text FROM config_versions v WHERE v.config_id = c.id
    ORDER BY v.number DESC LIMIT 1) newest ON true
  LEFT JOIN LATERAL (SELECT (array_agg(v.text ORDER BY e.position DESC))[1] AS text,
      json_agg(json_build_object('environment', e.name, 'version', v.number) ORDER BY e.position) AS pointers
    FROM environments e JOIN environment_pointers p ON p.environment_id = e.id AND p.config_id = c.id
    JOIN config_versions v ON v.id = p.version_id WHERE e.project_id = $1) live ON true
  LEFT JOIN LATERAL (SELECT json_build_object('id', r.id, 'environment', e.name, 'version', v.number,
      'at', ${epochMs('r.created_at')}, 'author', ${authorName('r.author_id')}) AS release
    FROM releases r JOIN environments e ON e.id = r.environment_id JOIN config_versions v ON v.id = r.version_id
    WHERE r.project_id = $1 AND r.config_id = c.id ORDER BY r.created_at DESC LIMIT 1) last ON true
  LEFT JOIN LATERAL (SELECT json_build_object('sessions', count(*), 'calls', sum(s.calls), 'denied', sum(s.denied),
      'stops', sum(s.stop_attempts), 'blocked', sum(s.stops_blocked)) AS counts
    FROM sessions s WHERE s.project_id = $1 AND s.ns = c.ns AND s.key = c.key AND s.started_at >= $6
      AND ($2::text IS NULL OR s.environment = $2) HAVING count(*) > 0) day ON true
  LEFT JOIN LATERAL (SELECT * FROM drafts d WHERE d.project_id = $1 AND d.config_id = c.id AND d.discarded_at IS NULL
    ORDER BY d.created_at DESC, d.id DESC LIMIT 1) d ON true
  LEFT JOIN config_versions base ON base.config_id = c.id AND base.number = d.base_version
  LEFT JOIN hosts h ON h.prompt = ${NAME}`

function silence(): Date {
  return new Date(Date.now() - STALE_AFTER_MS)
}

/** Condition of the list, without a page. `$4`: archived, `$5`: text. */
function listed({ stands }: ConfigFilter): string {
  return `c.project_id = $1 AND (c.archived_at IS NOT NULL) = $4
    AND ($5 = '' OR position(lower($5) IN lower(${NAME})) > 0)
    AND ${stands === null ? 'true' : STANDS_SQL[stands]}`
}

/** In order of prompt, behind `after`. */
export async function listConfigPage(
  scope: ConfigReader,
  filter: ConfigFilter,
  page: { readonly after: PromptPlace | null; readonly limit: number },
): Promise<readonly ListedConfigRow[]> {
  const { environment, since, archived, text } = filter
  return await readRows<ListedConfigRow>(
    `WITH hosts AS (${formatHostsQuery('$2', '$3')}),
     page AS (SELECT c.* FROM configs c
       WHERE ${listed(filter)} AND ($7::text IS NULL OR (c.ns, c.key) > ($7, $8))
       ORDER BY c.ns, c.key LIMIT $9)
     SELECT ${COLUMNS} FROM page c ${JOINS} ORDER BY c.ns, c.key`,
    [
      ...[scope.projectId, environment, silence(), archived, text, new Date(since)],
      ...[page.after?.ns ?? null, page.after?.key ?? null, page.limit],
    ],
  )
}

/** Number of configs that match the filter, on all pages. */
export async function countConfigs(scope: ConfigReader, filter: ConfigFilter): Promise<number> {
  const { environment, archived, text } = filter
  const rows = await readRows<{ readonly count: number }>(
    `WITH hosts AS (${formatHostsQuery('$2', '$3')}) SELECT count(*)::int AS count FROM configs c WHERE ${listed(filter)}`,
    [scope.projectId, environment, silence(), archived, text],
  )
  return rows[0]?.count ?? 0
}

/** One config as a row of the list, archived or not; null: not in this project. */
export async function findListedConfig(
  scope: ConfigReader,
  { ns, key, since }: PromptPlace & { readonly since: number },
): Promise<ListedConfigRow | null> {
  const rows = await readRows<ListedConfigRow>(
    `WITH hosts AS (${formatHostsQuery('$2', '$3')})
     SELECT ${COLUMNS} FROM configs c ${JOINS} WHERE c.project_id = $1 AND c.ns = $4 AND c.key = $5`,
    [scope.projectId, null, silence(), ns, key, new Date(since)],
  )
  return rows[0] ?? null
}

export interface UnmanagedPrompt {
  /** `ns/key` */
  readonly prompt: string
  /** Connected ones. */
  readonly runtimes: number
  readonly environments: readonly string[]
  /** Sources of their rules: bootstrap, disk, server, none. */
  readonly sources: readonly (string | null)[]
  /** Startup policies: deny, last_known_good, bootstrap. */
  readonly postures: readonly string[]
  /** There is an archived config of this name. */
  readonly isArchived: boolean
}

const MOST_PROMPTS = 200

/** By name, at most 200 and one more, so that the reader sees that there are more. */
export async function listUnmanagedPrompts(
  scope: ConfigReader,
  environment: string | null,
): Promise<{ readonly prompts: readonly UnmanagedPrompt[]; readonly hasMore: boolean }> {
  const rows = await readRows<UnmanagedPrompt>(
    `WITH hosts AS (${formatHostsQuery('$2', '$3')})
     SELECT h.prompt, h.total AS runtimes, h.environments, h.sources, h.postures, c.id IS NOT NULL AS "isArchived"
     FROM hosts h LEFT JOIN configs c ON c.project_id = $1 AND ${NAME} = h.prompt
     WHERE c.id IS NULL OR c.archived_at IS NOT NULL ORDER BY h.prompt LIMIT $4`,
    [scope.projectId, environment, silence(), MOST_PROMPTS + 1],
  )
  return { prompts: rows.slice(0, MOST_PROMPTS), hasMore: rows.length > MOST_PROMPTS }
}
