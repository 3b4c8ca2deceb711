// The moments that count for an alert rule, each with a sentence and the page that explains it. Evaluation and preview both use them.
import 'server-only'
import { DEMO_RUNTIME } from '@signalbox/wire'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { countedTerm } from '@/server/platform/sql/counted-term.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import {
  formatRisesQuery,
  RELEASED_COLUMNS,
  RELEASED_TABLES,
} from '@/server/releases/release-effects.sql.ts'
import { LOST_AT_SQL, SESSION_TABLES, STATUS_SQL } from '@/server/sessions/session-columns.sql.ts'
import type { AlertSignal } from './signals.kinds.ts'

export interface AlertPlace {
  /** Null: any. */
  readonly environment: string | null
  readonly ns: string | null
  readonly key: string | null
  readonly runtime: string | null
  readonly code: string | null
}

export interface AlertMoment {
  /** Unit that fires separately: `dev team/agent`, the environment of a rate, or a runtime (`dev worker-3`). */
  readonly scope: string
  readonly at: number
  readonly count: number
  readonly total: number
  /**
   * For `long_sessions`: the session, and the seconds that it and the median take. For a waiting call: its time limit (UTC) and its tool.
   * Null: the moment has no sentence.
   */
  readonly reason: string | null
  readonly evidence: string
}

/** More moments than anyone reads; the newest ones are kept. */
export const MOST_MOMENTS = 50_000

const SCOPE = "t.environment || ' ' || t.ns || '/' || t.key"
const PLACE = `t.project_id = $1 AND ($2::text IS NULL OR t.environment = $2)
  AND ($3::text IS NULL OR (t.ns = $3 AND t.key = $4))`
const formatRuntimeFilter = (row: string): string =>
  `($7::text IS NULL OR EXISTS (SELECT 1 FROM sessions o JOIN runtimes y ON y.id = o.runtime_id
  AND y.project_id = o.project_id WHERE o.project_id = $1 AND o.id = ${row}.session_id AND y.name = $7))`
const RUNTIME_FILTER = formatRuntimeFilter('t')
const DENIED_THEN = `x.project_id = $1 AND x.environment = t.environment AND x.at >= t.minute
  AND date_trunc('minute', least(x.at, x.received_at)) = t.minute AND ${countedTerm('x.session_id')}`
const REASON = '($6::text IS NULL OR t.code = $6)'
/** A runtime's clock may be ahead, so events from the future count at the time of their arrival. */
const HEARD_AT = 'least(t.at, t.received_at)'
const SINCE = `t.at > to_timestamp($5::float8 / 1000) AND ${HEARD_AT} > to_timestamp($5::float8 / 1000)`

/** A check that only records, under `max_stop_blocks` 0, lets nothing through that it would otherwise hold. */
const IS_LIVE_STOP = "t.via <> 'final' AND t.code <> 'stop.would_block'"

function formatStopsQuery(verdict: string): string {
  return `SELECT ${SCOPE} AS scope, ${HEARD_AT} AS at, 1 AS count, 1 AS total, t.reason, '/stops/' || t.id AS evidence
    FROM stops t WHERE ${PLACE} AND ${REASON} AND t.verdict = '${verdict}' AND ${IS_LIVE_STOP} AND ${SINCE}
      AND ${countedTerm('t.session_id')}
      AND ${RUNTIME_FILTER}`
}

const WAITS = 't.decision IS NULL AND t.outcome IS NULL AND t.waits_until > now()'
const HALF_OVER_AT = `coalesce(t.half_over_at, t.requested_at + (t.waits_until - t.requested_at) / 2)`
const CALL_SCOPE = `${SCOPE} || ' ' || t.id`
const CALL_PLACE = `${PLACE} AND $6::text IS NULL AND ${RUNTIME_FILTER} AND ${countedTerm('t.session_id')}`

/** The current state: a call counts as long as it waits, and no longer. */
function formatWaitingQuery(condition: string): string {
  return `SELECT ${CALL_SCOPE} AS scope, now() AS at, 1 AS count, 1 AS total,
      to_char(t.waits_until AT TIME ZONE 'UTC', 'HH24:MI:SS') || ' ' || t.tool AS reason,
      '/call-approvals?call=' || t.id AS evidence
    FROM call_approvals t WHERE ${CALL_PLACE} AND ${WAITS} AND ${condition} AND $5::float8 IS NOT NULL`
}

/** Percentage of a share from 0 to 1, as `percentText` writes it. */
const percent = (share: string): string =>
  `(CASE WHEN ${share} = 0 OR ${share} >= 0.0995 THEN round(100 * (${share})::numeric) ELSE round(100 * (${share})::numeric, 1) END)::text || '%'`
const IS_COUNTED = countedTerm('t.session_id')

const RELEASED = `SELECT ${RELEASED_COLUMNS} FROM ${RELEASED_TABLES}
  WHERE r.project_id = $1 AND ($2::text IS NULL OR e.name = $2) AND ($3::text IS NULL OR (c.ns = $3 AND c.key = $4))
    AND r.created_at > to_timestamp($5::float8 / 1000)`

/** Sessions whose duration is the median: the newest ended ones of a prompt, and with fewer there is no median. */
const MEDIAN_OF = { most: 200, fewest: 10 } as const

const SOURCES = {
  blocked_stops: formatStopsQuery('blocked'),
  bypassed_stops: formatStopsQuery('bypassed'),
  error_verdicts: `${formatStopsQuery('error')} UNION ALL
    SELECT ${SCOPE}, ${HEARD_AT}, 1, 1, t.reason, '/decisions/' || t.id
    FROM denials t WHERE ${PLACE} AND ${REASON} AND t.decision = 'error' AND ${SINCE} AND ${RUNTIME_FILTER}
      AND ${countedTerm('t.session_id')}`,
  // Minutes have no reason code; $6 is null for this signal. Minutes of a prompt or runtime are counted separately.
  denial_rate: `SELECT t.environment AS scope, t.minute AS at, t.denied AS count, t.calls AS total,
      d.reason, coalesce('/decisions/' || d.id, '/sessions?verdict=denied') AS evidence
    FROM (SELECT m.environment, m.minute, sum(m.denied)::int AS denied, sum(m.calls)::int AS calls FROM all_minute_counts m
      WHERE m.project_id = $1 AND ($2::text IS NULL OR m.environment = $2) AND $3::text IS NULL AND $4::text IS NULL
        AND $6::text IS NULL AND $7::text IS NULL AND m.minute > to_timestamp($5::float8 / 1000)
      GROUP BY m.environment, m.minute HAVING sum(m.calls) > 0) t
    LEFT JOIN LATERAL (SELECT x.id, x.reason FROM denials x WHERE ${DENIED_THEN} ORDER BY x.at DESC LIMIT 1) d ON t.denied > 0
    UNION ALL
    SELECT t.environment || coalesce(' ' || $3 || '/' || $4, '') || coalesce(' ' || $7, ''), t.minute, t.denied, t.calls, d.reason,
      coalesce('/decisions/' || d.id, '/sessions?verdict=denied')
    FROM (SELECT m.environment, m.minute, sum(m.denied)::int AS denied, sum(m.calls)::int AS calls FROM all_call_minutes m
      WHERE m.project_id = $1 AND ($2::text IS NULL OR m.environment = $2) AND ($3::text IS NULL OR (m.ns = $3 AND m.key = $4))
        AND ($7::text IS NULL OR m.runtime_id IN (SELECT y.id FROM runtimes y WHERE y.project_id = $1 AND y.name = $7))
        AND ($3::text IS NOT NULL OR $7::text IS NOT NULL) AND m.minute > to_timestamp($5::float8 / 1000)
      GROUP BY m.environment, m.minute) t
    LEFT JOIN LATERAL (SELECT x.id, x.reason FROM denials x WHERE ${DENIED_THEN} AND ($3::text IS NULL OR (x.ns = $3 AND x.key = $4))
      AND ${formatRuntimeFilter('x')} ORDER BY x.at DESC LIMIT 1) d ON t.denied > 0`,
  lost_sessions: `SELECT ${SCOPE} AS scope, t.lost_at AS at, 1 AS count,
      1 AS total, NULL AS reason, '/sessions/' || t.id AS evidence
    FROM (SELECT s.project_id, s.id, s.environment, s.ns, s.key, ${LOST_AT_SQL} AS lost_at FROM ${SESSION_TABLES}
      WHERE s.project_id = $1 AND s.ended_at IS NULL AND ${STATUS_SQL} = 'lost' AND ${countedTerm('s.id')}
        AND ($7::text IS NULL OR r.name = $7)) t
    WHERE ${PLACE} AND $6::text IS NULL AND t.lost_at > to_timestamp($5::float8 / 1000)`,
  // Only the current state is known. The time counts from the oldest bundle that the runtime lacks, or a team that releases often would
  // never get an alert. For one config, its releases count, and the newest is the evidence.
  runtimes_behind: `SELECT t.environment || ' ' || t.name AS scope, now() AS at, 1 AS count, 1 AS total, t.rejected_reason AS reason,
      coalesce('/releases/' || l.newest, '/runtimes/' || t.id) AS evidence
    FROM runtimes t JOIN environments e ON e.project_id = t.project_id AND e.name = t.environment
    CROSS JOIN LATERAL (SELECT NULL AS newest, min(b.created_at) AS since FROM bundles b
        WHERE $3::text IS NULL AND b.environment_id = e.id AND b.revision > coalesce(t.applied_revision, 0)
      UNION ALL
      SELECT (array_agg(x.id ORDER BY x.revision DESC))[1], min(x.created_at) FROM releases x JOIN configs c ON c.id = x.config_id
        WHERE c.ns = $3 AND c.key = $4 AND x.environment_id = e.id AND x.revision > coalesce(t.applied_revision, 0)) l
    WHERE t.project_id = $1 AND ($2::text IS NULL OR t.environment = $2) AND $6::text IS NULL
      AND ($7::text IS NULL OR t.name = $7) AND t.stopped_at IS NULL AND t.name <> '${DEMO_RUNTIME}' AND t.last_seen_at > now() - interval '5 minutes'
      AND t.registered_at <= to_timestamp($5::float8 / 1000) AND l.since <= to_timestamp($5::float8 / 1000)`,
  // Counts at the time of its release, so that the window is the time after it. Without a denied call before, one is assumed.
  // A version that is released twice within the window is two releases.
  denials_after_release: `SELECT ${SCOPE} || ' v' || t.version || ' ' || t.id AS scope, t.created_at AS at,
      round(((t.after_denied / t.after_calls) / (greatest(t.before_denied, 1) / t.before_calls))::numeric, 1)::float8 AS count, 1 AS total,
      ${percent('t.after_denied / t.after_calls')} || ' of calls denied since v' || t.version || ', '
        || ${percent('t.before_denied / t.before_calls')} || ' before' AS reason, '/releases/' || t.id AS evidence
    FROM (${formatRisesQuery(RELEASED)}) t WHERE $6::text IS NULL AND $7::text IS NULL`,
  // A run ends with the first stop that is let through, and the next one is another scope. The scope names the stop before the run, which
  // does not change while the run continues and its first blocks leave the window.
  blocks_in_a_row: `SELECT ${SCOPE} || ' ' || t.session_id || ' ' || t.checker || ' after #' || coalesce((SELECT max(p.seq) FROM stops p
        WHERE p.project_id = $1 AND p.session_id = t.session_id AND p.seq < t.seq AND p.via <> 'final'
          AND p.verdict NOT IN ('blocked', 'error')), 0) AS scope,
      ${HEARD_AT} AS at, 1 AS count, 1 AS total, t.reason, '/stops/' || t.id AS evidence
    FROM stops t WHERE ${PLACE} AND $6::text IS NULL AND t.via <> 'final' AND ${SINCE} AND ${IS_COUNTED} AND ${RUNTIME_FILTER}
      AND t.verdict = 'blocked' AND t.checker IS NOT NULL`,
  // Only the current state is known. A session that sends nothing for an hour is not running any more, whatever its runtime said last.
  silent_runtimes: `SELECT t.environment || ' ' || t.name AS scope, now() AS at, 1 AS count, 1 AS total, NULL AS reason,
      '/runtimes/' || t.id AS evidence
    FROM runtimes t WHERE t.project_id = $1 AND ($2::text IS NULL OR t.environment = $2) AND $6::text IS NULL
      AND ($7::text IS NULL OR t.name = $7) AND t.stopped_at IS NULL AND t.last_seen_at <= to_timestamp($5::float8 / 1000)
      AND t.name <> '${DEMO_RUNTIME}'
      AND EXISTS (SELECT 1 FROM sessions s WHERE s.project_id = $1 AND s.runtime_id = t.id AND s.ended_at IS NULL
        AND s.received_at > now() - interval '1 hour' AND ${countedTerm('s.id')}
        AND ($3::text IS NULL OR (s.ns = $3 AND s.key = $4)))`,
  long_sessions: `WITH found AS MATERIALIZED (SELECT s.project_id, s.id, s.environment, s.ns, s.key, s.started_at, coalesce(s.ended_at, now()) AS until
      FROM ${SESSION_TABLES}
      WHERE s.project_id = $1 AND (s.ended_at > to_timestamp($5::float8 / 1000) OR s.ended_at IS NULL AND ${STATUS_SQL} = 'running')
        AND ${countedTerm('s.id')} AND ($7::text IS NULL OR r.name = $7)),
    prompts AS MATERIALIZED (SELECT p.environment, p.ns, p.key, m.median
      FROM (SELECT DISTINCT t.environment, t.ns, t.key FROM found t WHERE ${PLACE} AND $6::text IS NULL) p
      JOIN LATERAL (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM x.ended_at - x.started_at)) AS median
        FROM (SELECT y.started_at, y.ended_at FROM sessions y WHERE y.project_id = $1 AND y.ns = p.ns AND y.key = p.key
          AND y.environment = p.environment AND y.ended_at IS NOT NULL AND ${countedTerm('y.id')}
          ORDER BY y.started_at DESC LIMIT ${MEDIAN_OF.most}) x
        HAVING count(*) >= ${MEDIAN_OF.fewest}) m ON m.median > 0)
    SELECT ${SCOPE} || ' ' || t.id AS scope, t.until AS at,
      round((extract(epoch FROM t.until - t.started_at) / p.median)::numeric, 1)::float8 AS count, 1 AS total,
      t.id || ' ' || round(extract(epoch FROM t.until - t.started_at)) || ' ' || round(p.median::numeric, 2) AS reason,
      '/sessions/' || t.id AS evidence
    FROM found t JOIN prompts p ON p.environment = t.environment AND p.ns = t.ns AND p.key = t.key`,
  approval_waiting: formatWaitingQuery('true'),
  approval_lapsing: formatWaitingQuery(`${HALF_OVER_AT} <= now()`),
} as const satisfies Record<AlertSignal, string>

/** Beginning of an alert about a call. */
const WAIT_BEGINS = {
  approval_waiting: 't.requested_at',
  approval_lapsing: HALF_OVER_AT,
} as const

export function isWaitingSignal(signal: AlertSignal): signal is keyof typeof WAIT_BEGINS {
  return Object.hasOwn(WAIT_BEGINS, signal)
}

export interface AlertWait {
  readonly scope: string
  readonly from: number
  /** Null: the call still waits. */
  readonly until: number | null
}

/** Times at which calls waited, newest first; at most MOST_MOMENTS. For `approval_lapsing`: after half of the time. */
export async function readWaits(
  projectId: AuthorizedProjectId,
  signal: keyof typeof WAIT_BEGINS,
  { environment, ns, key, runtime, code, since }: AlertPlace & { readonly since: number },
): Promise<readonly AlertWait[]> {
  return await readRows<AlertWait>(
    `SELECT w.scope, ${epochMs('w.from_at')} AS from, ${epochMs('nullif(w.until_at, w.open_until)')} AS until
     FROM (SELECT ${CALL_SCOPE} AS scope, ${WAIT_BEGINS[signal]} AS from_at,
         least(t.decided_at, t.outcome_at, t.waits_until) AS until_at, CASE WHEN ${WAITS} THEN t.waits_until END AS open_until
       FROM call_approvals t WHERE ${CALL_PLACE} AND t.requested_at > to_timestamp($5::float8 / 1000)) w
     WHERE w.from_at < least(w.until_at, now()) ORDER BY w.from_at DESC LIMIT ${MOST_MOMENTS}`,
    [projectId, environment, ns, key, since, code, runtime],
  )
}

/** Epoch ms of the next time at which an alert about a waiting call begins or ends without an event; null: no call waits. */
export async function findNextLapse(projectId: AuthorizedProjectId): Promise<number | null> {
  const [row] = await readRows<{ readonly at: number | null }>(
    `SELECT ${epochMs(`min(CASE WHEN ${HALF_OVER_AT} > now() THEN ${HALF_OVER_AT} ELSE t.waits_until END)`)} AS at
     FROM call_approvals t WHERE t.project_id = $1 AND ${WAITS}`,
    [projectId],
  )
  return row?.at ?? null
}

/** Moments later than `since` (epoch ms), oldest first. For `runtimes_behind`: runtimes that have been behind since then. */
export async function readMoments(
  projectId: AuthorizedProjectId,
  signal: AlertSignal,
  { environment, ns, key, runtime, code, since }: AlertPlace & { readonly since: number },
): Promise<readonly AlertMoment[]> {
  const rows = await readRows<AlertMoment>(
    `SELECT m.scope, ${epochMs('m.at')} AS at, m.count, m.total, m.reason, m.evidence
     FROM (${SOURCES[signal]}) m ORDER BY m.at DESC LIMIT ${MOST_MOMENTS}`,
    [projectId, environment, ns, key, since, code, runtime],
  )
  return rows.reverse()
}
