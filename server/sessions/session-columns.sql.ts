// Status and activity are computed when they are read (specs/live.md), so they need no job and no clock but the database's.
import 'server-only'
import type { ColumnName, RowOf } from '@/server/platform/list/define-list.ts'
import { epochMs } from '@/server/platform/sql/rows.ts'
import { selectColumns } from '@/server/platform/sql/sql-list.ts'
import { type SESSIONS, URGENCY } from './sessions.list.ts'

export type SessionFacts = RowOf<typeof SESSIONS>

/** Time without an event after which a running session no longer counts as working, unless its log shows an open call. */
const SILENT = "interval '60 seconds'"
/** Time without an event after which a session is lost, unless its runtime still reports live sessions. */
const LOST = "interval '5 minutes'"
const RUNTIME_SILENT = "interval '60 seconds'"

/** Null when the session's runtime is not known. */
const RUNTIME_REPORTS = `(r.stopped_at IS NULL AND r.live_sessions > 0 AND r.last_seen_at >= now() - ${RUNTIME_SILENT})`

/** While events are missing, the newest of them does not determine the state of the session. */
const proven = (column: string): string =>
  `CASE WHEN s.contiguous_seq = s.max_seq THEN s.${column} END`
const DOING = proven('doing')

/** The only definition of running and lost, for lists, figures, alerts and staged rollouts. Needs SESSION_TABLES. */
export const STATUS_SQL = `CASE
  WHEN s.ended_at IS NOT NULL THEN 'ended'
  WHEN s.received_at < now() - ${LOST} AND ${RUNTIME_REPORTS} IS NOT TRUE THEN 'lost'
  WHEN s.received_at < now() - ${SILENT} AND ${DOING} = 'lease_expired' THEN 'lost'
  ELSE 'running' END`

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

export const URGENCY_SQL = `coalesce(array_position(ARRAY[${URGENCY.map((one) => `'${one}'`).join(', ')}], ${ACTIVITY_SQL}), 0)`

export const COLUMN_SQL = {
  id: 's.id',
  environment: 's.environment',
  prompt: "s.ns || '/' || s.key",
  ns: 's.ns',
  key: 's.key',
  status: STATUS_SQL,
  activity: ACTIVITY_SQL,
  doing: DOING,
  doingText: proven('doing_text'),
  configVersion: 's.config_version',
  liveVersion: 'live.number',
  configDigest: 's.config_digest',
  runtimeId: 's.runtime_id',
  runtimeName: 'r.name',
  harness: 's.harness',
  startedAt: epochMs('s.started_at'),
  endedAt: epochMs('s.ended_at'),
  endReason: 's.end_reason',
  deadlineAt: epochMs('s.deadline_at'),
  tokensUsed: 's.tokens_used',
  tokenLimit: 's.token_limit',
  planDone: 's.plan_done',
  planTotal: 's.plan_total',
  calls: 's.calls',
  denied: 's.denied',
  feedback: 's.feedback',
  warnings: 's.warnings',
  stopAttempts: 's.stop_attempts',
  stopsBlocked: 's.stops_blocked',
  lastVerdict:
    "CASE last_stop.code WHEN 'stop.would_block' THEN 'would_block' ELSE s.last_verdict END",
  lastStopId: 's.last_stop_id',
  lastStopReason: 'last_stop.reason',
  lastEventAt: epochMs('s.last_event_at'),
  lastEventText: 's.last_event_text',
  contiguousSeq: 's.contiguous_seq',
  maxSeq: 's.max_seq',
  verification: `CASE WHEN s.verification = 'verified' AND s.contiguous_seq < s.max_seq THEN 'verified_to'
    ELSE s.verification::text END`,
  divergedSeq: 's.diverged_seq',
  anomalies: 's.anomalies',
  enforcement: 's.enforcement',
  breachCount: 's.breach_count',
  urgency: URGENCY_SQL,
} as const satisfies Readonly<Record<ColumnName<typeof SESSIONS>, string>>

export const SESSION_COLUMNS = selectColumns(COLUMN_SQL)

export const SESSION_JOINS = `
  LEFT JOIN runtimes r ON r.id = s.runtime_id AND r.project_id = s.project_id
  LEFT JOIN configs c ON c.project_id = s.project_id AND c.ns = s.ns AND c.key = s.key
  LEFT JOIN environments e ON e.project_id = s.project_id AND e.name = s.environment
  LEFT JOIN environment_pointers p ON p.environment_id = e.id AND p.config_id = c.id
  LEFT JOIN config_versions live ON live.id = p.version_id
  LEFT JOIN stops last_stop ON last_stop.id = s.last_stop_id AND last_stop.project_id = s.project_id`

/** Tables for filters. PostgreSQL omits joins that neither filter nor columns read, because each is by a unique key. */
export const SESSION_TABLES = `sessions s ${SESSION_JOINS}`

/** `prompts (ns, key)` of project `$1`, by name. Steps through the index from one to the next instead of reading every session. */
export const WITH_PROMPTS = `WITH RECURSIVE prompts AS (
    (SELECT ns, key FROM sessions WHERE project_id = $1 ORDER BY ns, key LIMIT 1)
    UNION ALL
    SELECT n.ns, n.key FROM prompts p CROSS JOIN LATERAL (
      SELECT ns, key FROM sessions WHERE project_id = $1 AND (ns, key) > (p.ns, p.key) ORDER BY ns, key LIMIT 1) n)`
