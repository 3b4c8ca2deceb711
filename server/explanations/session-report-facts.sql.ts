// Verdicts come from the tables of denials and stops, which outlive the events.
import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import type { LogPlace } from '@/server/sessions/log/session-log.sql.ts'
import type { StopVerdictName } from './stop-list.sql.ts'

interface VerdictPlace {
  readonly id: string
  readonly seq: number
  readonly at: number
  readonly reason: string
  /** Null: it is not a version that was published here. */
  readonly version: number | null
}

export type ReportedVerdict =
  | (VerdictPlace & {
      readonly kind: 'call'
      readonly verdict: 'denied' | 'error'
      readonly tool: string
      /** Deciding rule; empty: none decided. */
      readonly rule: string
    })
  | (VerdictPlace & {
      readonly kind: 'stop'
      readonly verdict: Exclude<StopVerdictName, 'allowed' | 'no_checker'>
      readonly via: string
    })

const MOST_VERDICTS = 500

const REFUSALS = `SELECT 'call' AS kind, id, seq, at, decision AS verdict, tool, rule, NULL AS via, reason, config_digest
    FROM denials WHERE project_id = $1 AND session_id = $2
  UNION ALL SELECT 'stop', id, seq, at, verdict, NULL, NULL, via, reason, config_digest
    FROM stops WHERE project_id = $1 AND session_id = $2 AND verdict NOT IN ('allowed', 'no_checker')`

/** The first verdicts in order, at most `MOST_VERDICTS`. */
export async function readVerdicts(
  projectId: AuthorizedProjectId,
  sessionId: string,
): Promise<readonly ReportedVerdict[]> {
  return await readRows<ReportedVerdict>(
    `SELECT kind, id, seq, ${epochMs('at')} AS at, verdict, tool, rule, via, reason,
       (SELECT max(v.number) FROM config_versions v WHERE v.project_id = $1 AND v.digest = config_digest) AS version
     FROM (${REFUSALS}) refused ORDER BY seq LIMIT $3`,
    [projectId, sessionId, MOST_VERDICTS],
  )
}

export interface VerdictCount {
  /** `final`: the final verification, which is not a stop attempt of the agent. */
  readonly kind: 'call' | 'stop' | 'final'
  readonly verdict: string
  readonly count: number
}

export async function countVerdicts(
  projectId: AuthorizedProjectId,
  sessionId: string,
): Promise<readonly VerdictCount[]> {
  return await readRows<VerdictCount>(
    `SELECT 'call' AS kind, decision AS verdict, count(*)::int AS count FROM denials
       WHERE project_id = $1 AND session_id = $2 GROUP BY decision
     UNION ALL SELECT CASE via WHEN 'final' THEN 'final' ELSE 'stop' END, verdict, count(*)::int FROM stops
       WHERE project_id = $1 AND session_id = $2 GROUP BY 1, verdict ORDER BY kind, verdict`,
    [projectId, sessionId],
  )
}

export interface FeedbackCount {
  readonly name: string
  readonly severity: string
  readonly count: number
  readonly firstSeq: number
  readonly lastSeq: number
}

export const MOST_PROVIDERS = 50

/** Most frequent first, at most one more than `MOST_PROVIDERS`. */
export async function countFeedback(place: LogPlace): Promise<readonly FeedbackCount[]> {
  return await readRows<FeedbackCount>(
    `SELECT coalesce(subject, '') AS name, coalesce(verdict, '') AS severity, count(*)::int AS count,
       min(seq) AS "firstSeq", max(seq) AS "lastSeq"
     FROM session_events WHERE partition_day = $1::date AND session_id = $2 AND type = 'feedback.delivered'
     GROUP BY subject, verdict ORDER BY count DESC, name, severity LIMIT $3`,
    [place.partitionDay, place.sessionId, MOST_PROVIDERS + 1],
  )
}

export interface TakenOutCount {
  readonly kind: 'redacted' | 'truncated'
  /** Redaction rule; null: the value was too long. */
  readonly rule: string | null
  readonly values: number
  readonly events: number
}

/** Values that were removed before recording (specs/sessions.md), by rule. At most 50. */
export async function countTakenOut(place: LogPlace): Promise<readonly TakenOutCount[]> {
  return await readRows<TakenOutCount>(
    `SELECT mark[1] AS kind, mark[3] AS rule, count(*)::int AS values, count(DISTINCT seq)::int AS events
     FROM (SELECT seq, data::text AS text FROM session_events WHERE partition_day = $1::date AND session_id = $2) e
       CROSS JOIN LATERAL regexp_matches(text, '"\\$(redacted|truncated)":\\s*("([^"\\\\]*)"|\\{)', 'g') AS mark
     WHERE text LIKE '%"$redacted":%' OR text LIKE '%"$truncated":%'
     GROUP BY 1, 2 ORDER BY "values" DESC, kind, rule LIMIT 50`,
    [place.partitionDay, place.sessionId],
  )
}
