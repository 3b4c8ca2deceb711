// Each statement is an indexed query over the caller's project.
import 'server-only'
import type { BypassCause } from '@signalbox/core'
import { DEMO_NAMESPACE, DEMO_SESSION_START, IMPORTED_SESSION_START } from '@signalbox/wire'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { reader } from '@/server/platform/db/transaction.ts'
import { countedTerm } from '@/server/platform/sql/counted-term.ts'
import {
  ATTEMPT_SERIES,
  ATTEMPT_SUMS,
  SHADOW_SERIES,
  SHADOW_SUMS,
} from '@/server/platform/sql/hour-sums.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'

const DAY_MS = 86_400_000

export interface HourCounts {
  readonly hour: number
  readonly calls: number
  readonly denied: number
  readonly stops: number
  readonly blocked: number
  readonly bypassed: number
  readonly sessions: number
}

export interface OverviewFilter {
  /** Absent: all environments. */
  readonly environment?: string | undefined
  readonly since: number
}

/**
 * Hours from `since`, a whole hour, to `until`, and those of the period of equal length that ends 24 hours before `until`. Omits hours
 * without a count.
 */
export async function loadCountsByHour(
  scope: ProjectScope,
  { environment, since, until }: OverviewFilter & { readonly until: number },
): Promise<readonly HourCounts[]> {
  const [from, before] = [new Date(since), new Date(since - DAY_MS)]
  return await reader().$queryRaw<HourCounts[]>`
    SELECT (extract(epoch FROM date_trunc('hour', minute, 'UTC')) * 1000)::float8 AS hour,
      sum(calls)::int AS calls, sum(denied)::int AS denied, sum(stops)::int AS stops,
      sum(blocked)::int AS blocked, sum(bypassed)::int AS bypassed, sum(sessions)::int AS sessions
    FROM all_minute_counts
    WHERE project_id = ${scope.projectId} AND minute >= ${before}
      AND (minute >= ${from} OR minute < ${new Date(until - DAY_MS)})
      AND (${environment ?? null}::text IS NULL OR environment = ${environment ?? null})
    GROUP BY 1 ORDER BY 1`
}

export interface ConfigHour extends Omit<HourCounts, 'sessions'> {
  readonly environment: string
  readonly ns: string
  readonly key: string
}

/** Hours from `since`, a whole hour, of the configs of these releases in their environments. Omits hours without a count. */
export async function loadConfigHours(
  { projectId }: ProjectScope,
  {
    since,
    releases,
  }: {
    readonly since: number
    readonly releases: readonly Pick<RecentRelease, 'environment' | 'ns' | 'key'>[]
  },
): Promise<readonly ConfigHour[]> {
  if (releases.length === 0) return []
  return await readRows<ConfigHour>(
    `SELECT s.environment, s.ns, s.key, ${epochMs('h.hour')} AS hour,
       ${ATTEMPT_SUMS.calls} AS calls, ${ATTEMPT_SUMS.denied} AS denied, ${ATTEMPT_SUMS.stops} AS stops,
       ${ATTEMPT_SUMS.blocked} AS blocked, ${ATTEMPT_SUMS.bypassed} AS bypassed
     FROM (SELECT DISTINCT * FROM unnest($2::text[], $3::text[], $4::text[]) r (environment, ns, key)) r
     JOIN rollup_series s ON s.ns = r.ns AND s.key = r.key AND s.environment = r.environment
     JOIN rollup_hours h ON h.series_id = s.id
     WHERE s.project_id = $1 AND ${ATTEMPT_SERIES}
       AND h.hour >= to_timestamp($5::float8 / 1000)
     GROUP BY 1, 2, 3, 4`,
    [
      projectId,
      releases.map(({ environment }) => environment),
      releases.map(({ ns }) => ns),
      releases.map(({ key }) => key),
      since,
    ],
  )
}

export interface ShadowCounts {
  /** Allowed calls that a shadow rule would have denied. */
  readonly calls: number
  /** Stop attempts let through that a check would have blocked under `max_stop_blocks` 0. */
  readonly stops: number
}

/** From `since`, a whole hour. */
export async function loadShadowCounts(
  { projectId }: ProjectScope,
  { environment, since }: OverviewFilter,
): Promise<ShadowCounts> {
  const [row] = await readRows<ShadowCounts>(
    `SELECT ${SHADOW_SUMS.calls} AS calls, ${SHADOW_SUMS.stops} AS stops
     FROM rollup_series s JOIN rollup_hours h ON h.series_id = s.id
     WHERE s.project_id = $1 AND ${SHADOW_SERIES} AND h.hour >= to_timestamp($2::float8 / 1000)
       AND ($3::text IS NULL OR s.environment = $3)`,
    [projectId, since, environment ?? null],
  )
  return row ?? { calls: 0, stops: 0 }
}

function buildOverviewWhere(scope: ProjectScope, environment: string | undefined) {
  return { projectId: scope.projectId, ...(environment === undefined ? {} : { environment }) }
}

export interface RecentRelease {
  readonly id: string
  readonly ns: string
  readonly key: string
  readonly environment: string
  readonly version: number
  readonly kind: 'publish' | 'promote' | 'rollback'
  readonly revision: number
  readonly note: string | null
  readonly at: number
}

/** Newest first, at most `most`. */
export async function loadRecentReleases(
  scope: ProjectScope,
  {
    environment,
    since,
    most,
  }: {
    readonly environment: string | undefined
    /** Absent: at any time. */
    readonly since?: number
    readonly most: number
  },
): Promise<readonly RecentRelease[]> {
  const rows = await reader().release.findMany({
    where: {
      projectId: scope.projectId,
      ...(environment === undefined ? {} : { environment: { name: environment } }),
      ...(since === undefined ? {} : { createdAt: { gte: new Date(since) } }),
    },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: most,
    include: {
      environment: { select: { name: true } },
      config: { select: { ns: true, key: true } },
      version: { select: { number: true } },
    },
  })
  return rows.map(({ id, kind, revision, note, createdAt, ...row }) => ({
    id,
    kind,
    revision,
    note,
    at: createdAt.getTime(),
    ns: row.config.ns,
    key: row.config.key,
    environment: row.environment.name,
    version: row.version.number,
  }))
}

export interface StagedVersion {
  readonly environment: string
  readonly revision: number
  readonly ns: string
  readonly key: string
  readonly version: number
}

/** Versions that staged rollouts put into these revisions; the base where the rollout ended. */
export async function loadStagedVersions(
  { projectId }: ProjectScope,
  revisions: readonly number[],
): Promise<readonly StagedVersion[]> {
  if (revisions.length === 0) return []
  return await readRows<StagedVersion>(
    `SELECT e.name AS environment, x.revision, c.ns, c.key, v.number AS version
     FROM rollout_changes x JOIN rollouts r ON r.id = x.rollout_id JOIN environments e ON e.id = r.environment_id
       JOIN configs c ON c.id = r.config_id
       JOIN config_versions v ON v.id = CASE WHEN x.kind IN ('stopped', 'rolled_back') THEN r.base_version_id ELSE r.version_id END
     WHERE x.project_id = $1 AND x.revision = ANY($2::int[])`,
    [projectId, revisions],
  )
}

/** Time of the newest rejection by runtime, epoch ms. */
export async function loadRejectionTimes(
  { projectId }: ProjectScope,
  runtimeIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (runtimeIds.length === 0) return new Map()
  const rows = await reader().runtimeApplication.findMany({
    where: { projectId, runtimeId: { in: [...runtimeIds] }, rejectedAt: { not: null } },
    orderBy: { rejectedAt: 'asc' },
    select: { runtimeId: true, rejectedAt: true },
  })
  return new Map(rows.map(({ runtimeId, rejectedAt }) => [runtimeId, rejectedAt?.getTime() ?? 0]))
}

export interface TroubledSession {
  readonly id: string
  readonly ns: string
  readonly key: string
  readonly at: number
  readonly lastStopId: string | null
  readonly divergedSeq: number | null
  readonly breachCount: number
}

/** `countedTerm` for queries of the client. */
const COUNTED = {
  NOT: [DEMO_SESSION_START, IMPORTED_SESSION_START].map((startsWith) => ({ id: { startsWith } })),
}

type Trouble = 'diverged' | 'breached' | 'error'

/** Items read of each kind that needs attention. One more is read to detect others. */
export const MOST_OF_KIND = 40

export async function loadTroubledSessions(
  scope: ProjectScope,
  { environment, since }: OverviewFilter,
): Promise<readonly (TroubledSession & { readonly trouble: Trouble })[]> {
  const select = {
    id: true,
    ns: true,
    key: true,
    lastEventAt: true,
    lastStopId: true,
    divergedSeq: true,
    breachCount: true,
  } as const
  const find = async (
    trouble: Trouble,
    condition: { verification: 'diverged' } | { enforcement: 'breach' } | { lastVerdict: string },
  ) => {
    const rows = await reader().session.findMany({
      where: {
        ...buildOverviewWhere(scope, environment),
        startedAt: { gte: new Date(since) },
        ...COUNTED,
        ...condition,
      },
      orderBy: [{ startedAt: 'desc' }, { id: 'desc' }],
      take: MOST_OF_KIND + 1,
      select,
    })
    return rows.map(({ lastEventAt, ...row }) => ({ ...row, trouble, at: lastEventAt.getTime() }))
  }
  const [diverged, breached, errors] = await Promise.all([
    find('diverged', { verification: 'diverged' }),
    find('breached', { enforcement: 'breach' }),
    find('error', { lastVerdict: 'error' }),
  ])
  return [...diverged, ...breached, ...errors]
}

interface Prompted {
  readonly environment: string
  readonly ns: string
  readonly key: string
  readonly at: number
}

export interface StuckSession extends Prompted {
  readonly sessionId: string
  /** Id of the check; for a stop that is older than the column, the code of its reason. */
  readonly check: string
  readonly times: number
  readonly stopId: string
  /** Of the newest stop. */
  readonly reason: string
}

const STUCK_FROM = 3

/** Sessions whose newest stop was blocked, once for each check that blocked them at least three times since a stop was allowed. */
export async function loadStuckSessions(
  { projectId }: ProjectScope,
  { environment, since }: OverviewFilter,
): Promise<readonly StuckSession[]> {
  return await readRows<StuckSession>(
    `SELECT s.id AS "sessionId", s.environment, s.ns, s.key, b."check", b.times, b."stopId", b.reason, ${epochMs('b.at')} AS at
     FROM (
       SELECT id, environment, ns, key, started_at FROM sessions
       WHERE project_id = $1 AND started_at >= to_timestamp($2::float8 / 1000) AND ($3::text IS NULL OR environment = $3)
         AND last_verdict = 'blocked' AND stops_blocked >= ${STUCK_FROM} AND ${countedTerm('id')}
       ORDER BY started_at DESC, id DESC LIMIT ${MOST_OF_KIND + 1}
     ) s CROSS JOIN LATERAL (
       SELECT coalesce(checker, code) AS "check", count(*)::int AS times, max(at) AS at,
         (array_agg(id ORDER BY seq DESC))[1] AS "stopId", (array_agg(reason ORDER BY seq DESC))[1] AS reason
       FROM stops WHERE project_id = $1 AND session_id = s.id AND verdict = 'blocked' AND via <> 'final'
         AND seq > coalesce((SELECT max(seq) FROM stops WHERE project_id = $1 AND session_id = s.id AND via <> 'final'
           AND verdict NOT IN ('blocked', 'error')), 0)
       GROUP BY 1 HAVING count(*) >= ${STUCK_FROM}
     ) b ORDER BY b.at DESC, s.id DESC LIMIT ${MOST_OF_KIND + 1}`,
    [projectId, since, environment ?? null],
  )
}

export interface UnevaluatedCalls extends Prompted {
  /** Empty: no rule decided. */
  readonly rule: string
  readonly count: number
  readonly decisionId: string
  readonly tool: string
  readonly reason: string
}

/** Number of newest calls that are read; a higher count only means that there are many. */
export const MOST_UNEVALUATED = 1_000

export async function loadUnevaluatedCalls(
  { projectId }: ProjectScope,
  { environment, since }: OverviewFilter,
): Promise<readonly UnevaluatedCalls[]> {
  const newest = (column: string): string => `(array_agg(${column} ORDER BY at DESC, id DESC))[1]`
  return await readRows<UnevaluatedCalls>(
    `SELECT environment, ns, key, rule, count(*)::int AS count, ${epochMs('max(at)')} AS at,
       ${newest('id')} AS "decisionId", ${newest('tool')} AS tool, ${newest('reason')} AS reason
     FROM (
       SELECT * FROM denials
       WHERE project_id = $1 AND decision = 'error' AND at >= to_timestamp($2::float8 / 1000)
         AND ($3::text IS NULL OR environment = $3) AND ${countedTerm('session_id')}
       ORDER BY at DESC, id DESC LIMIT ${MOST_UNEVALUATED}
     ) e GROUP BY environment, ns, key, rule ORDER BY max(at) DESC LIMIT ${MOST_OF_KIND + 1}`,
    [projectId, since, environment ?? null],
  )
}

interface Bypassed {
  readonly stops: number
  readonly bypassed: number
}

export interface BypassCounts extends Prompted {
  /** Stop attempts in the 24 hours before `since`. */
  readonly before: Bypassed
  readonly after: Bypassed
  /** Of the newest bypassed stop; null: it is not stored. */
  readonly bypass: BypassCause | null
}

/**
 * Prompts of an environment with at least `fewest` bypassed stop attempts since `since`, a whole hour; most first. The final verification of a
 * session is no attempt. `at`: start of the newest hour with one.
 */
export async function loadBypassCounts(
  { projectId }: ProjectScope,
  { environment, since, fewest }: OverviewFilter & { readonly fewest: number },
): Promise<readonly BypassCounts[]> {
  const start = 'to_timestamp($2::float8 / 1000)'
  const counts = (when: string): string => `json_build_object(
    'stops', coalesce(sum(h.count) FILTER (WHERE ${when}), 0)::int,
    'bypassed', coalesce(sum(h.count) FILTER (WHERE ${when} AND s.a = 'bypassed'), 0)::int)`
  const bypassed = `sum(h.count) FILTER (WHERE h.hour >= ${start} AND s.a = 'bypassed')`
  return await readRows<BypassCounts>(
    `SELECT g.environment, g.ns, g.key, ${epochMs('g.at')} AS at, g.before, g.after, newest.bypass
     FROM (
       SELECT s.environment, s.ns, s.key, max(h.hour) FILTER (WHERE s.a = 'bypassed') AS at,
         ${counts(`h.hour < ${start}`)} AS before, ${counts(`h.hour >= ${start}`)} AS after, ${bypassed} AS bypassed
       FROM rollup_series s JOIN rollup_hours h ON h.series_id = s.id
       WHERE s.project_id = $1 AND s.kind = 'stop' AND s.c <> 'final' AND s.a <> 'no_checker'
         AND h.hour >= ${start} - interval '24 hours' AND ($3::text IS NULL OR s.environment = $3)
       GROUP BY s.environment, s.ns, s.key HAVING ${bypassed} >= $4
     ) g LEFT JOIN LATERAL (
       SELECT t.bypass FROM stops t
       WHERE t.project_id = $1 AND t.ns = g.ns AND t.key = g.key AND t.verdict = 'bypassed' AND t.environment = g.environment
         AND t.code <> 'stop.would_block' AND t.via <> 'final'
       ORDER BY t.at DESC, t.id DESC LIMIT 1
     ) newest ON true
     ORDER BY g.bypassed DESC, g.environment, g.ns, g.key LIMIT ${MOST_OF_KIND + 1}`,
    [projectId, since, environment ?? null, fewest],
  )
}

export interface Watch {
  /** Alert rules that are on. */
  readonly rules: number
  /** Configs that an environment serves, without the demo. */
  readonly configs: number
  /** Null: no alert has fired. */
  readonly lastAlertAt: number | null
}

export async function loadWatch({ projectId }: ProjectScope): Promise<Watch> {
  const [row] = await readRows<Watch>(
    `SELECT (SELECT count(*)::int FROM alert_rules WHERE project_id = $1 AND enabled) AS rules,
       (SELECT count(DISTINCT p.config_id)::int FROM environment_pointers p JOIN configs c ON c.id = p.config_id
         WHERE c.project_id = $1 AND c.ns <> '${DEMO_NAMESPACE}') AS configs,
       (SELECT ${epochMs('max(fired_at)')} FROM alerts WHERE project_id = $1) AS "lastAlertAt"`,
    [projectId],
  )
  return row ?? { rules: 0, configs: 0, lastAlertAt: null }
}
