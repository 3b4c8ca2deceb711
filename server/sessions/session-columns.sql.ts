// A session as lists and headers show it: its projected row, the runtime's name, and the version that its environment runs
// now. Status and activity are computed when they are read (specs/live.md): they need no job and no clock but the database's.
import 'server-only'
import { epochMs } from '@/server/platform/sql/rows.ts'

export type SessionStatus = 'running' | 'ended' | 'lost'
/** What a running session does, as far as its log and its runtime's reports prove it. */
export type SessionActivity = 'working' | 'waiting' | 'blocked' | 'silent' | 'unknown'
/** `verified_to`: what is stored up to `contiguousSeq` agrees, and later events were not recomputed because earlier ones are missing. */
export type SessionVerification = 'pending' | 'verified' | 'verified_to' | 'diverged'
/** `unknown`: the session's beginning is not stored. */
export type SessionEnforcement = 'unknown' | 'full' | 'gap' | 'breach'

export interface SessionFacts {
  readonly id: string
  readonly environment: string
  readonly ns: string
  readonly key: string
  readonly status: SessionStatus
  /** Null: it does not run. */
  readonly activity: SessionActivity | null
  /** What it was doing after its newest event; null: nothing that lasts, or events are missing. */
  readonly doing: 'call' | 'approval' | 'refused' | 'turn_over' | 'lease_expired' | null
  /** Tool of the call that runs or waits. */
  readonly doingText: string | null
  /** Empty: the session's beginning is not stored. */
  readonly harness: { readonly name?: string; readonly version?: string }
  readonly runtimeId: string | null
  readonly runtimeName: string | null
  readonly configDigest: string | null
  readonly configVersion: number | null
  /** Number of the version that the session's environment runs now; null when the config was never released there. */
  readonly liveVersion: number | null
  readonly startedAt: number
  readonly endedAt: number | null
  readonly endReason: string | null
  readonly lastEventAt: number
  readonly deadlineAt: number | null
  readonly tokensUsed: number
  readonly tokenLimit: number | null
  readonly planDone: number | null
  readonly planTotal: number | null
  readonly calls: number
  readonly denied: number
  readonly feedback: number
  readonly warnings: number
  readonly stopAttempts: number
  readonly stopsBlocked: number
  readonly lastVerdict: string | null
  readonly lastStopId: string | null
  readonly lastStopReason: string | null
  readonly lastEventText: string | null
  /** Every event up to here is stored. */
  readonly contiguousSeq: number
  readonly maxSeq: number
  readonly verification: SessionVerification
  readonly divergedSeq: number | null
  /** Things in the log that a working runtime does not produce. */
  readonly anomalies: number
  /** The gravest thing that was not enforced. */
  readonly enforcement: SessionEnforcement
  readonly breachCount: number
}

/** Without an event for this long a session that runs is not said to work, unless the log shows a call that has not ended. */
const SILENT = "interval '60 seconds'"
/** Without an event for this long a session is lost, unless its runtime still reports live sessions. */
const LOST = "interval '5 minutes'"
const RUNTIME_SILENT = "interval '60 seconds'"

/** Null when the session's runtime is not known. */
const RUNTIME_REPORTS = `(r.stopped_at IS NULL AND r.live_sessions > 0 AND r.last_seen_at >= now() - ${RUNTIME_SILENT})`

/** While events are missing, what the newest of them says of the session is not known. */
const proven = (column: string): string =>
  `CASE WHEN s.contiguous_seq = s.max_seq THEN s.${column} END`
const DOING = proven('doing')

/** The one rule of what runs and what is lost, for lists, figures, alerts and rollouts. Needs SESSION_TABLES. */
export const STATUS_SQL = `CASE
  WHEN s.ended_at IS NOT NULL THEN 'ended'
  WHEN s.received_at < now() - ${LOST} AND ${RUNTIME_REPORTS} IS NOT TRUE THEN 'lost'
  WHEN s.received_at < now() - ${SILENT} AND ${DOING} = 'lease_expired' THEN 'lost'
  ELSE 'running' END`

/** When a lost session became lost. */
export const LOST_AT_SQL = `CASE WHEN ${DOING} = 'lease_expired' THEN s.received_at + ${SILENT}
  ELSE greatest(s.received_at + ${LOST},
    CASE WHEN r.stopped_at IS NULL AND r.live_sessions > 0 THEN r.last_seen_at + ${RUNTIME_SILENT} END) END`

export const ACTIVITY_SQL = `CASE WHEN ${STATUS_SQL} = 'running' THEN CASE
  WHEN ${DOING} IN ('approval', 'turn_over') THEN 'waiting'
  WHEN ${DOING} = 'refused' THEN 'blocked'
  WHEN s.received_at >= now() - ${SILENT} THEN 'working'
  WHEN ${RUNTIME_REPORTS} IS NOT TRUE THEN 'unknown'
  WHEN ${DOING} = 'call' THEN 'working'
  ELSE 'silent' END END`

export const SESSION_COLUMNS = `
  s.id, s.environment, s.ns, s.key, ${STATUS_SQL} AS status, ${ACTIVITY_SQL} AS activity,
  ${DOING} AS doing, ${proven('doing_text')} AS "doingText",
  s.harness, s.runtime_id AS "runtimeId", r.name AS "runtimeName",
  s.config_digest AS "configDigest", s.config_version AS "configVersion", live.number AS "liveVersion",
  ${epochMs('s.started_at')} AS "startedAt", ${epochMs('s.ended_at')} AS "endedAt", s.end_reason AS "endReason",
  ${epochMs('s.last_event_at')} AS "lastEventAt", ${epochMs('s.deadline_at')} AS "deadlineAt",
  s.tokens_used AS "tokensUsed", s.token_limit AS "tokenLimit",
  s.plan_done AS "planDone", s.plan_total AS "planTotal", s.calls, s.denied, s.feedback, s.warnings,
  s.stop_attempts AS "stopAttempts", s.stops_blocked AS "stopsBlocked",
  s.last_verdict AS "lastVerdict", s.last_stop_id AS "lastStopId",
  last_stop.reason AS "lastStopReason", s.last_event_text AS "lastEventText",
  s.contiguous_seq AS "contiguousSeq", s.max_seq AS "maxSeq",
  CASE WHEN s.verification = 'verified' AND s.contiguous_seq < s.max_seq THEN 'verified_to'
    ELSE s.verification::text END AS verification,
  s.diverged_seq AS "divergedSeq", s.anomalies, s.enforcement, s.breach_count AS "breachCount"`

/** What the columns need beside the row of the session, `s`. */
export const SESSION_JOINS = `
  LEFT JOIN runtimes r ON r.id = s.runtime_id AND r.project_id = s.project_id
  LEFT JOIN configs c ON c.project_id = s.project_id AND c.ns = s.ns AND c.key = s.key
  LEFT JOIN environments e ON e.project_id = s.project_id AND e.name = s.environment
  LEFT JOIN environment_pointers p ON p.environment_id = e.id AND p.config_id = c.id
  LEFT JOIN config_versions live ON live.id = p.version_id
  LEFT JOIN stops last_stop ON last_stop.id = s.last_stop_id AND last_stop.project_id = s.project_id`

/** For filters: joins that neither they nor the columns read are left out by PostgreSQL, each being by a unique key. */
export const SESSION_TABLES = `sessions s ${SESSION_JOINS}`

/**
 * `prompts (ns, key)` that sessions of the project `$1` have, by name: one step in the index from each to the next, instead of reading every
 * session.
 */
export const WITH_PROMPTS = `WITH RECURSIVE prompts AS (
    (SELECT ns, key FROM sessions WHERE project_id = $1 ORDER BY ns, key LIMIT 1)
    UNION ALL
    SELECT n.ns, n.key FROM prompts p CROSS JOIN LATERAL (
      SELECT ns, key FROM sessions WHERE project_id = $1 AND (ns, key) > (p.ns, p.key) ORDER BY ns, key LIMIT 1) n)`
