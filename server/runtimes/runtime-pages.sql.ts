// A runtime runs what it reported; it should run what its environment serves.
import 'server-only'
import type { JsonObject } from '@signalbox/core'
import { DEMO_RUNTIME } from '@signalbox/wire'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import type { FilterOf, RowOf } from '@/server/platform/list/define-list.ts'
import { countedTerm } from '@/server/platform/sql/counted-term.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { sqlList } from '@/server/platform/sql/sql-list.ts'
import { SESSION_TABLES, STATUS_SQL } from '@/server/sessions/session-columns.sql.ts'
import { DISCONNECTED_AFTER_MS, STALE_AFTER_MS } from './runtime-status.ts'
import { RUNTIME_STATES, RUNTIMES } from './runtimes.list.ts'

export type RuntimeFacts = RowOf<typeof RUNTIMES>
export type RuntimeState = RuntimeFacts['state']
export type RuntimeFilter = FilterOf<typeof RUNTIMES>

export interface RuntimeGroup {
  readonly name: string
  readonly environment: string
  readonly total: number
  readonly connected: number
  /** Without a heartbeat for some time, but not yet disconnected. */
  readonly silent: number
  readonly inSync: number
  /** Connected, and without what it was sent: behind, nothing applied, or rejected. */
  readonly behind: number
  readonly sessions: number
  readonly lastSeenAt: number
  readonly isUniform: boolean
  /** State of the member that needs attention most. */
  readonly state: RuntimeState
  readonly sdkVersions: readonly string[]
}

const SEEN_WITHIN = "interval '7 days'"
const MOST_GROUPS = 500

/** Names of pods and processes of one deployment differ only in a suffix, which this removes. */
const GROUP_NAME = `regexp_replace(regexp_replace(r.name, '-[0-9a-f]{8,10}-[a-z0-9]{5}$', ''), '[-_.:]?[0-9]+$', '')`

const SILENT_MS = `(extract(epoch FROM now() - r.last_seen_at) * 1000)`

const STATE = `CASE
  WHEN r.stopped_at IS NOT NULL OR ${SILENT_MS} > ${DISCONNECTED_AFTER_MS} THEN 'disconnected'
  WHEN ${SILENT_MS} > ${STALE_AFTER_MS} THEN 'stale'
  WHEN r.applied_revision = e.revision THEN 'in_sync'
  WHEN r.rejected_revision IS NOT NULL THEN 'rejected'
  WHEN r.applied_revision IS NULL THEN 'nothing_applied'
  WHEN r.applied_revision > e.revision THEN 'ahead'
  ELSE 'behind' END`

/** Sessions that run, as the lists of sessions count them: a heartbeat also counts those that the control plane has not stored yet. */
const RUNNING = `SELECT s.runtime_id, count(*)::int AS running FROM ${SESSION_TABLES}
  WHERE s.project_id = $1 AND s.ended_at IS NULL AND ${STATUS_SQL} = 'running' AND ${countedTerm('s.id')} GROUP BY 1`

/** `$1` is the project. */
const SEEN = `SELECT r.*, ${GROUP_NAME} AS group_name, e.id AS environment_id, e.revision AS expected, ${STATE} AS state,
    array_position(ARRAY[${RUNTIME_STATES.map((state) => `'${state}'`).join(', ')}], ${STATE}) AS rank,
    coalesce(n.running, 0) AS running
  FROM runtimes r JOIN environments e ON e.project_id = r.project_id AND e.name = r.environment
    LEFT JOIN (${RUNNING}) n ON n.runtime_id = r.id
  WHERE r.project_id = $1 AND r.last_seen_at > now() - ${SEEN_WITHIN}`

const CONFIGS = `coalesce((
  SELECT json_agg(json_build_object('prompt', p.prompt, 'applied', applied.number,
    'expected', now_served.number, 'behind', coalesce(between_them.count, 0)) ORDER BY p.prompt)
  FROM unnest(seen.prompts) AS p(prompt)
  LEFT JOIN configs c ON c.project_id = seen.project_id AND c.ns || '/' || c.key = p.prompt
  LEFT JOIN LATERAL (SELECT v.number FROM environment_pointers ep
    JOIN config_versions v ON v.id = ep.version_id
    WHERE ep.environment_id = seen.environment_id AND ep.config_id = c.id) now_served ON true
  LEFT JOIN LATERAL (SELECT v.number FROM releases l JOIN config_versions v ON v.id = l.version_id
    WHERE l.environment_id = seen.environment_id AND l.config_id = c.id
      AND l.revision <= seen.applied_revision
    ORDER BY l.revision DESC LIMIT 1) applied ON true
  LEFT JOIN LATERAL (SELECT count(*)::int AS count FROM releases l
    WHERE l.environment_id = seen.environment_id AND l.config_id = c.id
      AND l.revision > coalesce(seen.applied_revision, 0)) between_them ON true
), '[]'::json)`

export const runtimeList = sqlList(RUNTIMES, {
  tables: `(${SEEN}) AS seen`,
  row: 'seen',
  columns: {
    id: 'seen.id',
    name: 'seen.name',
    groupName: 'seen.group_name',
    environment: 'seen.environment',
    sdkVersion: 'seen.sdk_version',
    harness: 'seen.harness',
    configs: CONFIGS,
    appliedRevision: 'seen.applied_revision',
    expectedRevision: 'seen.expected',
    lastSeenAt: epochMs('seen.last_seen_at'),
    liveSessions: 'seen.running',
    state: 'seen.state',
    rank: 'seen.rank::int',
    rejectedReason: 'seen.rejected_reason',
  },
  params: {
    environment: (name, bind) => `seen.environment = ${bind(name)}`,
    group: (name, bind) => `seen.group_name = ${bind(name)}`,
    state: (name, bind) => `seen.state = ${bind(name)}`,
  },
  fields: {
    texts: {},
    choices: {},
    numbers: {},
    row: "seen.name || ' ' || array_to_string(seen.prompts, ' ')",
  },
  orders: { attention: ['seen.rank', 'seen.name'] },
  range: 'seen.last_seen_at',
  also: () => `seen.name <> '${DEMO_RUNTIME}'`,
})

/** At most 500, those that need attention first. */
export async function listRuntimeGroups(
  projectId: AuthorizedProjectId,
  filter: RuntimeFilter,
): Promise<readonly RuntimeGroup[]> {
  const { text, values } = runtimeList.where(projectId, filter)
  const rows = await readRows<Omit<RuntimeGroup, 'state'> & { readonly rank: number }>(
    `SELECT group_name AS name, environment, count(*)::int AS total,
       count(*) FILTER (WHERE state NOT IN ('stale', 'disconnected'))::int AS connected,
       count(*) FILTER (WHERE state = 'stale')::int AS silent,
       count(*) FILTER (WHERE state = 'in_sync')::int AS "inSync",
       count(*) FILTER (WHERE state IN ('behind', 'nothing_applied', 'rejected'))::int AS behind,
       coalesce(sum(running), 0)::int AS sessions,
       ${epochMs('max(last_seen_at)')} AS "lastSeenAt",
       count(DISTINCT (state, prompts, sdk_version)) = 1 AS "isUniform",
       min(rank)::int AS rank,
       (array_agg(DISTINCT sdk_version))[1:4] AS "sdkVersions"
     FROM (${SEEN}) AS seen WHERE ${text}
     GROUP BY group_name, environment
     ORDER BY min(rank), group_name, environment
     LIMIT ${MOST_GROUPS}`,
    values,
  )
  return rows.map(({ rank, ...group }) => ({
    ...group,
    state: RUNTIME_STATES[rank - 1] ?? 'disconnected',
  }))
}

/** Runtimes of some deployments, or of all if undefined; at most 500. */
export async function listGroupRuntimes(
  projectId: AuthorizedProjectId,
  filter: RuntimeFilter,
  groups: readonly string[] | undefined,
): Promise<readonly RuntimeFacts[]> {
  const { text, values, bind } = runtimeList.where(projectId, filter)
  const within = groups === undefined ? '' : `AND seen.group_name = ANY(${bind(groups)}::text[])`
  return await readRows<RuntimeFacts>(
    `SELECT ${runtimeList.columns} FROM (${SEEN}) AS seen
     WHERE ${text} ${within}
     ORDER BY seen.rank, seen.name, seen.id LIMIT ${MOST_GROUPS}`,
    values,
  )
}

export interface RuntimeDetail extends RuntimeFacts {
  readonly environmentId: string
  readonly prompts: readonly string[]
  readonly capabilities: JsonObject
  /** Startup policy: deny | last_known_good | bootstrap. */
  readonly posture: string
  readonly appliedSource: string | null
  readonly appliedDigest: string | null
  readonly appliedAt: number | null
  readonly rejectedRevision: number | null
  readonly registeredAt: number
  readonly stoppedAt: number | null
  readonly spooledEvents: number
  /** Runtime clock minus server clock; null: not reported yet. */
  readonly clockSkewMs: number | null
}

/** Null: the project has no such runtime, or it was not seen for a week. */
export async function readRuntime(
  projectId: AuthorizedProjectId,
  id: string,
): Promise<RuntimeDetail | null> {
  const rows = await readRows<RuntimeDetail>(
    `SELECT ${runtimeList.columns}, seen.environment_id AS "environmentId", seen.prompts, seen.capabilities,
       seen.posture, seen.applied_source AS "appliedSource", seen.applied_digest AS "appliedDigest",
       ${epochMs('seen.applied_at')} AS "appliedAt", seen.rejected_revision AS "rejectedRevision",
       ${epochMs('seen.registered_at')} AS "registeredAt", ${epochMs('seen.stopped_at')} AS "stoppedAt",
       seen.spooled_events AS "spooledEvents", seen.clock_skew_ms AS "clockSkewMs"
     FROM (${SEEN}) AS seen WHERE seen.id = $2`,
    [projectId, id],
  )
  return rows[0] ?? null
}

/** Names of runtimes in one environment or in all (null), each once. */
export async function readRuntimeNames(
  projectId: AuthorizedProjectId,
  environment: string | null,
  limit: number,
): Promise<readonly string[]> {
  const rows = await readRows<{ name: string }>(
    `SELECT DISTINCT name FROM runtimes WHERE project_id = $1 AND ($2::text IS NULL OR environment = $2)
       AND name <> '${DEMO_RUNTIME}' AND last_seen_at > now() - ${SEEN_WITHIN} ORDER BY name LIMIT $3`,
    [projectId, environment, limit],
  )
  return rows.map(({ name }) => name)
}
