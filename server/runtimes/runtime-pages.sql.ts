// Runtimes for the console: groups of the same deployment, keyset pages with those that need attention first, and the details of one. The
// applied version of a runtime is the reported one; the expected version is what its environment serves now.
import 'server-only'
import type { JsonObject } from '@signalbox/core'
import type { AuthorizedProjectId } from '@/server/platform/auth/scope.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { DISCONNECTED_AFTER_MS, STALE_AFTER_MS } from './runtime-status.ts'

export type RuntimeState =
  | 'rejected'
  | 'nothing_applied'
  | 'behind'
  | 'ahead'
  | 'stale'
  | 'in_sync'
  | 'disconnected'

export interface RuntimeConfig {
  /** `ns/key` */
  readonly prompt: string
  /** Version in the applied bundle; null: none, or nothing is applied. */
  readonly applied: number | null
  /** Version that the environment serves now; null: none is released. */
  readonly expected: number | null
  /** Releases of this config between the two. */
  readonly behind: number
}

export interface RuntimeFacts {
  readonly id: string
  readonly name: string
  readonly groupName: string
  readonly environment: string
  readonly sdkVersion: string
  readonly harness: JsonObject
  readonly state: RuntimeState
  readonly appliedRevision: number | null
  readonly expectedRevision: number
  readonly rejectedReason: string | null
  readonly liveSessions: number
  /** Epoch ms. */
  readonly lastSeenAt: number
  readonly configs: readonly RuntimeConfig[]
}

export interface RuntimeGroup {
  readonly name: string
  readonly environment: string
  readonly total: number
  readonly connected: number
  readonly inSync: number
  readonly sessions: number
  readonly lastSeenAt: number
  /** All of them run the same version in the same state. */
  readonly isUniform: boolean
  /** State of the member that needs attention first. */
  readonly state: RuntimeState
  readonly sdkVersions: readonly string[]
}

export interface RuntimePlace {
  readonly rank: number
  readonly name: string
  readonly id: string
}

export interface RuntimeFilter {
  readonly environment?: string | undefined
  readonly group?: string | undefined
  /** Any of these. */
  readonly groups?: readonly string[] | undefined
}

const STATES: readonly RuntimeState[] = [
  'rejected',
  'nothing_applied',
  'behind',
  'ahead',
  'stale',
  'in_sync',
  'disconnected',
]
const SEEN_WITHIN = "interval '7 days'"
const MOST_GROUPS = 500

/** Pods and processes of one deployment differ in what stands behind its name. */
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

/** `$1` is the project. */
function seenRuntimes(filter: RuntimeFilter, values: unknown[]): string {
  const bind = (value: unknown): string => `$${values.push(value)}`
  const terms = ['r.project_id = $1', `r.last_seen_at > now() - ${SEEN_WITHIN}`]
  if (filter.environment !== undefined) terms.push(`r.environment = ${bind(filter.environment)}`)
  if (filter.group !== undefined) terms.push(`${GROUP_NAME} = ${bind(filter.group)}`)
  if (filter.groups !== undefined) terms.push(`${GROUP_NAME} = ANY(${bind(filter.groups)}::text[])`)
  return `SELECT r.*, ${GROUP_NAME} AS group_name, e.id AS environment_id, e.revision AS expected,
      ${STATE} AS state, array_position(ARRAY[${STATES.map((state) => `'${state}'`).join(', ')}], ${STATE}) AS rank
    FROM runtimes r JOIN environments e ON e.project_id = r.project_id AND e.name = r.environment
    WHERE ${terms.join(' AND ')}`
}

/** At most 500, those that need attention first. */
export async function listRuntimeGroups(
  projectId: AuthorizedProjectId,
  filter: RuntimeFilter,
): Promise<readonly RuntimeGroup[]> {
  const values: unknown[] = [projectId]
  const rows = await readRows<Omit<RuntimeGroup, 'state'> & { readonly rank: number }>(
    `SELECT group_name AS name, environment, count(*)::int AS total,
       count(*) FILTER (WHERE state NOT IN ('stale', 'disconnected'))::int AS connected,
       count(*) FILTER (WHERE state = 'in_sync')::int AS "inSync",
       coalesce(sum(live_sessions) FILTER (WHERE state <> 'disconnected'), 0)::int AS sessions,
       ${epochMs('max(last_seen_at)')} AS "lastSeenAt",
       count(DISTINCT (state, prompts, sdk_version)) = 1 AS "isUniform",
       min(rank)::int AS rank,
       (array_agg(DISTINCT sdk_version))[1:4] AS "sdkVersions"
     FROM (${seenRuntimes(filter, values)}) AS seen
     GROUP BY group_name, environment
     ORDER BY min(rank), group_name, environment
     LIMIT ${MOST_GROUPS}`,
    values,
  )
  return rows.map(({ rank, ...group }) => ({ ...group, state: STATES[rank - 1] ?? 'disconnected' }))
}

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

const FACTS = `seen.id, seen.name, seen.group_name AS "groupName", seen.environment,
  seen.sdk_version AS "sdkVersion", seen.harness, seen.state,
  seen.applied_revision AS "appliedRevision", seen.expected AS "expectedRevision",
  seen.rejected_reason AS "rejectedReason", seen.live_sessions AS "liveSessions",
  ${epochMs('seen.last_seen_at')} AS "lastSeenAt", ${CONFIGS} AS configs`

export async function listRuntimePage(
  projectId: AuthorizedProjectId,
  filter: RuntimeFilter,
  page: { readonly after: RuntimePlace | null; readonly limit: number },
): Promise<{ readonly runtimes: readonly RuntimeFacts[]; readonly next: RuntimePlace | null }> {
  const values: unknown[] = [projectId]
  const seen = seenRuntimes(filter, values)
  let behind = ''
  if (page.after !== null) {
    const { rank, name, id } = page.after
    const [first, second, third] = [rank, name, id].map((value) => `$${values.push(value)}`)
    behind = `WHERE (seen.rank, seen.name, seen.id) > (${first}::int, ${second}, ${third})`
  }
  values.push(page.limit + 1)
  const rows = await readRows<RuntimeFacts & { readonly rank: number }>(
    `SELECT ${FACTS}, seen.rank::int AS rank FROM (${seen}) AS seen ${behind}
     ORDER BY seen.rank, seen.name, seen.id LIMIT $${values.length}`,
    values,
  )
  const runtimes = rows.slice(0, page.limit)
  const last = rows.length > page.limit ? runtimes.at(-1) : undefined
  return {
    runtimes: runtimes.map(({ rank: _rank, ...facts }) => facts),
    next: last === undefined ? null : { rank: last.rank, name: last.name, id: last.id },
  }
}

export interface RuntimeDetail extends RuntimeFacts {
  readonly environmentId: string
  readonly prompts: readonly string[]
  readonly capabilities: JsonObject
  /** deny | last_known_good | bootstrap */
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

/** Null: there is none in this project, or it was not seen for a week. */
export async function readRuntime(
  projectId: AuthorizedProjectId,
  id: string,
): Promise<RuntimeDetail | null> {
  const values: unknown[] = [projectId]
  const seen = seenRuntimes({}, values)
  values.push(id)
  const rows = await readRows<RuntimeDetail>(
    `SELECT ${FACTS}, seen.environment_id AS "environmentId", seen.prompts, seen.capabilities,
       seen.posture, seen.applied_source AS "appliedSource", seen.applied_digest AS "appliedDigest",
       ${epochMs('seen.applied_at')} AS "appliedAt", seen.rejected_revision AS "rejectedRevision",
       ${epochMs('seen.registered_at')} AS "registeredAt", ${epochMs('seen.stopped_at')} AS "stoppedAt",
       seen.spooled_events AS "spooledEvents", seen.clock_skew_ms AS "clockSkewMs"
     FROM (${seen}) AS seen WHERE seen.id = $${values.length}`,
    values,
  )
  return rows[0] ?? null
}

/** Names of runtimes in one environment, or in any (null), each once. */
export async function readRuntimeNames(
  projectId: AuthorizedProjectId,
  environment: string | null,
  limit: number,
): Promise<readonly string[]> {
  const rows = await readRows<{ name: string }>(
    `SELECT DISTINCT name FROM runtimes WHERE project_id = $1 AND ($2::text IS NULL OR environment = $2)
       AND last_seen_at > now() - ${SEEN_WITHIN} ORDER BY name LIMIT $3`,
    [projectId, environment, limit],
  )
  return rows.map(({ name }) => name)
}
