// Each statement is an indexed query over the caller's project.
import 'server-only'
import { IMPORTED_SESSION_START } from '@signalbox/wire'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { directUrl } from '@/server/platform/db/client.ts'
import { createClient } from '@/server/platform/db/connection.ts'
import { reader } from '@/server/platform/db/transaction.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'

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

/** Omits hours without a count; the caller fills them with zeros. */
export async function loadCountsByHour(
  scope: ProjectScope,
  { environment, since }: OverviewFilter,
): Promise<readonly HourCounts[]> {
  return await reader().$queryRaw<HourCounts[]>`
    SELECT (extract(epoch FROM date_trunc('hour', minute, 'UTC')) * 1000)::float8 AS hour,
      sum(calls)::int AS calls, sum(denied)::int AS denied, sum(stops)::int AS stops,
      sum(blocked)::int AS blocked, sum(bypassed)::int AS bypassed, sum(sessions)::int AS sessions
    FROM all_minute_counts
    WHERE project_id = ${scope.projectId} AND minute >= ${new Date(since)}
      AND (${environment ?? null}::text IS NULL OR environment = ${environment ?? null})
    GROUP BY 1 ORDER BY 1`
}

export type CountsOf = Pick<HourCounts, 'calls' | 'denied' | 'stops' | 'blocked' | 'bypassed'>

/** Whole minutes from `since` to before `until`. */
export async function loadCountsBetween(
  scope: ProjectScope,
  { environment, since, until }: OverviewFilter & { readonly until: number },
): Promise<CountsOf> {
  const [row] = await reader().$queryRaw<CountsOf[]>`
    SELECT coalesce(sum(calls), 0)::int AS calls, coalesce(sum(denied), 0)::int AS denied,
      coalesce(sum(stops), 0)::int AS stops, coalesce(sum(blocked), 0)::int AS blocked,
      coalesce(sum(bypassed), 0)::int AS bypassed
    FROM all_minute_counts
    WHERE project_id = ${scope.projectId} AND minute >= ${new Date(since)} AND minute < ${new Date(until)}
      AND (${environment ?? null}::text IS NULL OR environment = ${environment ?? null})`
  return row ?? { calls: 0, denied: 0, stops: 0, blocked: 0, bypassed: 0 }
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

export async function loadRecentReleases(
  scope: ProjectScope,
  environment: string | undefined,
): Promise<readonly RecentRelease[]> {
  const rows = await reader().release.findMany({
    where: {
      projectId: scope.projectId,
      ...(environment === undefined ? {} : { environment: { name: environment } }),
    },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: 10,
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

export interface TroubledSession {
  readonly id: string
  readonly ns: string
  readonly key: string
  readonly at: number
  readonly lastStopId: string | null
  readonly divergedSeq: number | null
  readonly breachCount: number
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
    condition:
      | { verification: 'diverged' }
      | { enforcement: 'breach'; NOT: { id: { startsWith: string } } }
      | { lastVerdict: string },
  ) => {
    const rows = await reader().session.findMany({
      where: {
        ...buildOverviewWhere(scope, environment),
        startedAt: { gte: new Date(since) },
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
    // Nothing could be enforced in an imported session, so it needs no attention.
    find('breached', {
      enforcement: 'breach',
      NOT: { id: { startsWith: IMPORTED_SESSION_START } },
    }),
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
}

const STUCK_FROM = 3

/** Sessions whose newest stop was blocked, once for each check that blocked them at least three times since a stop was allowed. */
export async function loadStuckSessions(
  { projectId }: ProjectScope,
  { environment, since }: OverviewFilter,
): Promise<readonly StuckSession[]> {
  return await readRows<StuckSession>(
    `SELECT s.id AS "sessionId", s.environment, s.ns, s.key, b."check", b.times, b."stopId", ${epochMs('b.at')} AS at
     FROM (
       SELECT id, environment, ns, key, started_at FROM sessions
       WHERE project_id = $1 AND started_at >= to_timestamp($2::float8 / 1000) AND ($3::text IS NULL OR environment = $3)
         AND last_verdict = 'blocked' AND stops_blocked >= ${STUCK_FROM} AND id NOT LIKE '${IMPORTED_SESSION_START}%'
       ORDER BY started_at DESC, id DESC LIMIT ${MOST_OF_KIND + 1}
     ) s CROSS JOIN LATERAL (
       SELECT coalesce(checker, code) AS "check", count(*)::int AS times, max(at) AS at,
         (array_agg(id ORDER BY seq DESC))[1] AS "stopId"
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
         AND ($3::text IS NULL OR environment = $3) AND session_id NOT LIKE '${IMPORTED_SESSION_START}%'
       ORDER BY at DESC, id DESC LIMIT ${MOST_UNEVALUATED}
     ) e GROUP BY environment, ns, key, rule ORDER BY max(at) DESC LIMIT ${MOST_OF_KIND + 1}`,
    [projectId, since, environment ?? null],
  )
}

export interface BypassCounts extends Prompted {
  /** Bypassed stop attempts in the 24 hours before `since`, and since then. */
  readonly before: number
  readonly after: number
}

/** Bypassed stop attempts by environment and prompt, most first. `since`: a whole hour. `at`: start of the newest hour with one. */
export async function loadBypassCounts(
  { projectId }: ProjectScope,
  { environment, since }: OverviewFilter,
): Promise<readonly BypassCounts[]> {
  const start = 'to_timestamp($2::float8 / 1000)'
  return await readRows<BypassCounts>(
    `SELECT s.environment, s.ns, s.key, ${epochMs('max(h.hour)')} AS at,
       coalesce(sum(h.count) FILTER (WHERE h.hour < ${start}), 0)::int AS before,
       coalesce(sum(h.count) FILTER (WHERE h.hour >= ${start}), 0)::int AS after
     FROM rollup_series s JOIN rollup_hours h ON h.series_id = s.id
     WHERE s.project_id = $1 AND s.kind = 'stop' AND s.a = 'bypassed' AND s.c <> 'final'
       AND h.hour >= ${start} - interval '24 hours' AND ($3::text IS NULL OR s.environment = $3)
     GROUP BY s.environment, s.ns, s.key ORDER BY after DESC, s.environment, s.ns, s.key LIMIT ${MOST_OF_KIND + 1}`,
    [projectId, since, environment ?? null],
  )
}

interface Counted {
  readonly sessions: number
  readonly calls: number
  readonly denied: number
}

export interface ReleaseEffect extends Prompted {
  readonly releaseId: string
  readonly version: number
  /** Under the previous version, in the 24 hours before the release. */
  readonly before: Counted
  /** Under the released version, since the release. */
  readonly after: Counted
}

/** Both versions share the hour of the release, and each has the counts under its own digest. */
export async function loadReleaseEffects(
  { projectId }: ProjectScope,
  { environment, since }: OverviewFilter,
): Promise<readonly ReleaseEffect[]> {
  const sums = (side: 'before' | 'after'): string => {
    const of = (kind: string, more = ''): string =>
      `coalesce(sum(n.count) FILTER (WHERE n.side = '${side}' AND n.kind = '${kind}' ${more}), 0)::int`
    return `json_build_object('sessions', ${of('session')}, 'calls', ${of('call')},
      'denied', ${of('call', "AND n.decision <> 'allowed'")}) AS ${side}`
  }
  return await readRows<ReleaseEffect>(
    `WITH released AS (
       SELECT DISTINCT ON (r.environment_id, r.config_id) r.id, r.created_at, e.name AS environment, c.ns, c.key,
         v.number AS version, v.digest, old.digest AS old_digest
       FROM releases r JOIN environments e ON e.id = r.environment_id JOIN configs c ON c.id = r.config_id
         JOIN config_versions v ON v.id = r.version_id JOIN config_versions old ON old.id = r.previous_version_id
       WHERE r.project_id = $1 AND r.created_at >= to_timestamp($2::float8 / 1000) AND ($3::text IS NULL OR e.name = $3)
       ORDER BY r.environment_id, r.config_id, r.revision DESC
     )
     SELECT r.id AS "releaseId", r.environment, r.ns, r.key, r.version, ${epochMs('r.created_at')} AS at,
       ${sums('before')}, ${sums('after')}
     FROM released r JOIN LATERAL (
       SELECT s.kind, s.a AS decision, h.count, CASE WHEN s.config_digest = r.digest THEN 'after' ELSE 'before' END AS side
       FROM rollup_series s JOIN rollup_hours h ON h.series_id = s.id
       WHERE s.project_id = $1 AND s.kind IN ('call', 'session') AND s.ns = r.ns AND s.key = r.key
         AND s.environment = r.environment
         AND (s.config_digest = r.digest AND h.hour >= date_trunc('hour', r.created_at, 'UTC')
           OR s.config_digest = r.old_digest AND h.hour <= r.created_at AND h.hour >= r.created_at - interval '24 hours')
     ) n ON true
     WHERE r.digest <> r.old_digest
     GROUP BY r.id, r.environment, r.ns, r.key, r.version, r.created_at`,
    [projectId, since, environment ?? null],
  )
}

/** Takes the lock on a connection of its own, so that it ends with this process. Returns its release. Null: a demo agent runs. */
export async function lockDemo(): Promise<(() => void) | null> {
  const client = createClient(directUrl())
  // A lost connection releases the lock.
  client.on('error', () => undefined)
  const release = () => void client.end().catch(() => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ readonly held: boolean }>(
      "SELECT pg_try_advisory_lock(hashtextextended('signalbox demo agent', 0)) AS held",
    )
    if (rows[0]?.held === true) return release
  } catch (error) {
    release()
    throw error
  }
  release()
  return null
}
