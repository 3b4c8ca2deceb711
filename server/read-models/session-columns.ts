// A session as lists and headers show it: its projected row, the runtime's name, and the version that its environment runs
// now. "Lost" is computed when it is read (specs/glossary.md): it needs no job and no clock but the database's.
import 'server-only'
import { epochMs } from './rows.ts'

export type SessionStatus = 'running' | 'ended' | 'lost'
export type SessionVerification = 'pending' | 'verified' | 'diverged'
/** `unknown`: the session's beginning is not stored. */
export type SessionEnforcement = 'unknown' | 'full' | 'gap' | 'breach'

export interface SessionFacts {
  readonly id: string
  readonly environment: string
  readonly ns: string
  readonly key: string
  readonly status: SessionStatus
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

/** Without an event for this long a session is lost, unless its runtime still reports live sessions. */
const SILENT = "interval '5 minutes'"
const RUNTIME_SILENT = "interval '60 seconds'"

export const STATUS_SQL = `CASE
  WHEN s.ended_at IS NOT NULL THEN 'ended'
  WHEN s.received_at < now() - ${SILENT} AND (r.id IS NULL OR r.stopped_at IS NOT NULL OR r.live_sessions = 0
    OR r.last_seen_at < now() - ${RUNTIME_SILENT}) THEN 'lost'
  ELSE 'running' END`

export const SESSION_COLUMNS = `
  s.id, s.environment, s.ns, s.key, ${STATUS_SQL} AS status,
  s.harness, s.runtime_id AS "runtimeId", r.name AS "runtimeName",
  s.config_digest AS "configDigest", s.config_version AS "configVersion", live.number AS "liveVersion",
  ${epochMs('s.started_at')} AS "startedAt", ${epochMs('s.ended_at')} AS "endedAt", s.end_reason AS "endReason",
  ${epochMs('s.last_event_at')} AS "lastEventAt", ${epochMs('s.deadline_at')} AS "deadlineAt",
  s.tokens_used AS "tokensUsed", s.token_limit AS "tokenLimit",
  s.plan_done AS "planDone", s.plan_total AS "planTotal", s.calls, s.denied, s.feedback, s.warnings,
  s.stop_attempts AS "stopAttempts", s.stops_blocked AS "stopsBlocked",
  s.last_verdict AS "lastVerdict", s.last_stop_id AS "lastStopId", s.last_event_text AS "lastEventText",
  s.contiguous_seq AS "contiguousSeq", s.max_seq AS "maxSeq", s.verification,
  s.diverged_seq AS "divergedSeq", s.anomalies, s.enforcement, s.breach_count AS "breachCount"`

export const SESSION_TABLES = `
  sessions s
  LEFT JOIN runtimes r ON r.id = s.runtime_id AND r.project_id = s.project_id
  LEFT JOIN configs c ON c.project_id = s.project_id AND c.ns = s.ns AND c.key = s.key
  LEFT JOIN environments e ON e.project_id = s.project_id AND e.name = s.environment
  LEFT JOIN environment_pointers p ON p.environment_id = e.id AND p.config_id = c.id
  LEFT JOIN config_versions live ON live.id = p.version_id`
