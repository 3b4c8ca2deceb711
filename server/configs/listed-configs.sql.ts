import 'server-only'
import { DEMO_RUNTIME } from '@signalbox/wire'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import type { FilterOf, PromptName, RowOf } from '@/server/platform/list/define-list.ts'
import { ATTEMPT_SUMS, COUNTED_SERIES, SHADOW_SUMS } from '@/server/platform/sql/hour-sums.ts'
import { authorName, epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { sqlList } from '@/server/platform/sql/sql-list.ts'
import { STALE_AFTER_MS } from '@/server/runtimes/runtime-status.ts'
import { CONFIGS } from './configs.list.ts'

export type ListedConfigRow = RowOf<typeof CONFIGS>
export type ConfigFilter = FilterOf<typeof CONFIGS>

const NAME = `(c.ns || '/' || c.key)`

const STANDS_SQL = {
  draft: `EXISTS (SELECT 1 FROM drafts d LEFT JOIN config_versions b ON b.config_id = d.config_id AND b.number = d.base_version
    WHERE d.project_id = $1 AND d.config_id = c.id AND d.discarded_at IS NULL AND d.text IS DISTINCT FROM coalesce(b.source, b.text))`,
  unreleased: `NOT EXISTS (SELECT 1 FROM environments e JOIN environment_pointers p ON p.environment_id = e.id
    WHERE e.project_id = $1 AND p.config_id = c.id)`,
  apart: `(SELECT count(DISTINCT coalesce(p.version_id, '')) FROM environments e
    LEFT JOIN environment_pointers p ON p.environment_id = e.id AND p.config_id = c.id WHERE e.project_id = $1) > 1`,
  behind: `EXISTS (SELECT 1 FROM hosts h WHERE h.prompt = ${NAME} AND h.in_sync < h.total)`,
} as const satisfies Record<NonNullable<ConfigFilter['show']>, string>

/** SQL for the environment of the counts below; null: all environments. */
const HERE = '(SELECT environment FROM asked)'

/** WITH queries for the connected runtimes by prompt. `environment`: placeholder of its parameter. */
function formatHosts(environment: string): string {
  return `asked AS (SELECT ${environment}::text AS environment),
  hosts AS (SELECT p.prompt, count(*)::int AS total, count(*) FILTER (WHERE r.applied_revision = e.revision)::int AS in_sync,
      array_agg(DISTINCT e.name) AS environments, array_agg(DISTINCT r.applied_source) AS sources,
      array_agg(DISTINCT r.posture) AS postures
    FROM environments e JOIN runtimes r ON r.project_id = e.project_id AND r.environment = e.name
    CROSS JOIN LATERAL (SELECT DISTINCT unnest(r.prompts) AS prompt) p
    WHERE e.project_id = $1 AND r.stopped_at IS NULL AND r.name <> '${DEMO_RUNTIME}' AND r.last_seen_at >= now() - interval '${STALE_AFTER_MS} milliseconds'
      AND (${HERE} IS NULL OR e.name = ${HERE})
    GROUP BY p.prompt)`
}

/** Role of a membership that may release, as `mayReleaseTo`. */
const MAY_RELEASE = `(m.role = 'admin' OR m.role = 'publisher' AND m.publish_in && ARRAY['*', e.name])`

/** Approvals of the requested text that count, as `computeStanding`. */
const COUNTED_APPROVALS = `(SELECT count(*) FROM approvals a JOIN memberships m ON m.project_id = $1 AND m.user_id = a.person_id
      WHERE a.environment_id = q.environment_id AND a.config_id = q.config_id AND a.digest = q.digest AND a.decision = 'approved'
        AND a.person_id <> q.edited_by AND a.live_version IS NOT DISTINCT FROM l.number AND ${MAY_RELEASE})`

/** WITH queries for what is on its way to an environment, by config. */
const COMING = `staged_rollouts AS (SELECT r.config_id, json_agg(json_build_object('environment', e.name, 'version', v.number,
      'share', r.share) ORDER BY e.position) AS staged
    FROM rollouts r JOIN environments e ON e.id = r.environment_id JOIN config_versions v ON v.id = r.version_id
    WHERE r.project_id = $1 AND r.state = 'running' AND r.kind = 'staged' GROUP BY 1),
  requests AS (SELECT q.config_id, e.name AS environment, e.position, q.version, e.required_approvals AS required,
      ${COUNTED_APPROVALS} AS approvals,
      EXISTS (SELECT FROM approvals a WHERE a.environment_id = q.environment_id AND a.config_id = q.config_id
        AND a.digest = q.digest AND a.decision = 'refused' AND a.person_id <> q.edited_by) AS refused
    FROM approval_requests q JOIN environments e ON e.id = q.environment_id
      LEFT JOIN environment_pointers p ON p.environment_id = q.environment_id AND p.config_id = q.config_id
      LEFT JOIN config_versions l ON l.id = p.version_id
    WHERE q.project_id = $1),
  waiting_requests AS (SELECT config_id, json_agg(json_build_object('environment', environment, 'version', version,
      'state', CASE WHEN required > 0 AND refused THEN 'refused' WHEN approvals < required THEN 'waiting' ELSE 'approved' END)
      ORDER BY position) AS waiting
    FROM requests GROUP BY 1),
  planned_releases AS (SELECT s.config_id, json_agg(json_build_object('environment', e.name, 'version', s.version,
      'state', s.state, 'dueAt', ${epochMs('s.due_at')}) ORDER BY e.position, s.due_at) AS plans
    FROM scheduled_releases s JOIN environments e ON e.id = s.environment_id
    WHERE s.project_id = $1 AND s.state IN ('pending', 'held', 'refused') GROUP BY 1)`

/** Joins that need the queries of `formatHosts` and `COMING`. */
const JOINS = `
  LEFT JOIN LATERAL (SELECT v.number, v.text FROM config_versions v WHERE v.config_id = c.id
    ORDER BY v.number DESC LIMIT 1) newest ON true
  LEFT JOIN LATERAL (SELECT (array_agg(v.text ORDER BY e.position DESC))[1] AS text,
      json_agg(json_build_object('environment', e.name, 'version', v.number, 'hasEarlier',
        EXISTS (SELECT 1 FROM releases r WHERE r.project_id = $1 AND r.config_id = c.id AND r.environment_id = e.id
          AND r.version_id <> p.version_id)) ORDER BY e.position) AS pointers
    FROM environments e JOIN environment_pointers p ON p.environment_id = e.id AND p.config_id = c.id
    JOIN config_versions v ON v.id = p.version_id WHERE e.project_id = $1) live ON true
  LEFT JOIN LATERAL (SELECT json_build_object('id', r.id, 'environment', e.name, 'version', v.number,
      'at', ${epochMs('r.created_at')}, 'author', ${authorName('r.author_id')}) AS release
    FROM releases r JOIN environments e ON e.id = r.environment_id JOIN config_versions v ON v.id = r.version_id
    WHERE r.project_id = $1 AND r.config_id = c.id ORDER BY r.created_at DESC LIMIT 1) last ON true
  LEFT JOIN LATERAL (SELECT json_build_object('calls', ${ATTEMPT_SUMS.calls}, 'denied', ${ATTEMPT_SUMS.denied},
      'stops', ${ATTEMPT_SUMS.stops}, 'blocked', ${ATTEMPT_SUMS.blocked},
      'wouldDeny', ${SHADOW_SUMS.calls}, 'wouldBlock', ${SHADOW_SUMS.stops}) AS counts
    FROM rollup_series s JOIN rollup_hours h ON h.series_id = s.id
    WHERE s.project_id = $1 AND s.ns = c.ns AND s.key = c.key AND ${COUNTED_SERIES}
      AND h.hour > now() - interval '24 hours' AND (${HERE} IS NULL OR s.environment = ${HERE})
    HAVING count(*) > 0) day ON true
  LEFT JOIN LATERAL (SELECT * FROM drafts d WHERE d.project_id = $1 AND d.config_id = c.id AND d.discarded_at IS NULL
    ORDER BY d.created_at DESC, d.id DESC LIMIT 1) d ON true
  LEFT JOIN config_versions base ON base.config_id = c.id AND base.number = d.base_version
  LEFT JOIN staged_rollouts ON staged_rollouts.config_id = c.id
  LEFT JOIN waiting_requests ON waiting_requests.config_id = c.id
  LEFT JOIN planned_releases ON planned_releases.config_id = c.id
  LEFT JOIN hosts h ON h.prompt = ${NAME}`

export const configList = sqlList(CONFIGS, {
  queries: ({ environment = null }, bind) => `${formatHosts(bind(environment))}, ${COMING}`,
  tables: 'configs c',
  row: 'c',
  joins: JOINS,
  columns: {
    id: 'c.id',
    ns: 'c.ns',
    key: 'c.key',
    archivedAt: epochMs('c.archived_at'),
    newestVersion: 'newest.number',
    pointers: "coalesce(live.pointers, '[]'::json)",
    staged: "coalesce(staged_rollouts.staged, '[]'::json)",
    waiting: "coalesce(waiting_requests.waiting, '[]'::json)",
    plans: "coalesce(planned_releases.plans, '[]'::json)",
    day: 'day.counts',
    lastRelease: 'last.release',
    text: 'coalesce(live.text, newest.text)',
    hosts: 'coalesce(h.total, 0)',
    inSync: 'coalesce(h.in_sync, 0)',
    draftUpdatedAt: epochMs('d.updated_at'),
    draftAuthor: authorName('d.updated_by'),
    draftText: 'CASE WHEN d.text IS DISTINCT FROM coalesce(base.source, base.text) THEN d.text END',
  },
  params: {
    // It narrows what is counted, not what is listed.
    environment: () => 'true',
    q: (text, bind) => `position(lower(${bind(text.trim())}) IN lower(${NAME})) > 0`,
    show: (stand) => STANDS_SQL[stand],
    archived: () => 'true',
  },
  also: ({ archived = false }) => `c.archived_at IS ${archived ? 'NOT NULL' : 'NULL'}`,
  fields: { texts: {}, choices: {}, numbers: {}, row: NAME },
  orders: { prompt: ['c.ns', 'c.key'], reversed: ['c.ns', 'c.key'] },
  range: 'c.created_at',
})

export async function findListedConfig(
  scope: ConfigReader,
  { ns, key }: PromptName,
): Promise<ListedConfigRow | null> {
  const rows = await readRows<ListedConfigRow>(
    `WITH ${formatHosts('NULL')}, ${COMING}
     SELECT ${configList.columns} FROM configs c ${JOINS} WHERE c.project_id = $1 AND c.ns = $2 AND c.key = $3`,
    [scope.projectId, ns, key],
  )
  return rows[0] ?? null
}

export interface UnmanagedPrompt {
  /** `ns/key` */
  readonly prompt: string
  readonly runtimes: number
  readonly environments: readonly string[]
  /** Sources of their rules: bootstrap, disk, server; null: none. */
  readonly sources: readonly (string | null)[]
  readonly postures: readonly string[]
  readonly isArchived: boolean
}

const MOST_PROMPTS = 200

/** By name, at most 200; `hasMore`: the project has more. */
export async function listUnmanagedPrompts(
  scope: ConfigReader,
  environment: string | null,
): Promise<{ readonly prompts: readonly UnmanagedPrompt[]; readonly hasMore: boolean }> {
  const rows = await readRows<UnmanagedPrompt>(
    `WITH ${formatHosts('$2')}
     SELECT h.prompt, h.total AS runtimes, h.environments, h.sources, h.postures, c.id IS NOT NULL AS "isArchived"
     FROM hosts h LEFT JOIN configs c ON c.project_id = $1 AND ${NAME} = h.prompt
     WHERE c.id IS NULL OR c.archived_at IS NOT NULL ORDER BY h.prompt LIMIT $3`,
    [scope.projectId, environment, MOST_PROMPTS + 1],
  )
  return { prompts: rows.slice(0, MOST_PROMPTS), hasMore: rows.length > MOST_PROMPTS }
}
