// The sample that rules are learned from and changes are tried on (specs/labels.md#good-sessions).
import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { countedTerm } from '@/server/platform/sql/counted-term.ts'
import { readRows } from '@/server/platform/sql/rows.ts'
import { SESSION_TABLES, STATUS_SQL } from '@/server/sessions/session-columns.sql.ts'

export interface SampledPrompt {
  readonly ns: string
  readonly key: string
  readonly environment: string
  /** Sessions that began in this many days. */
  readonly days: number
}

export interface SampledSession {
  readonly sessionId: string
  /** `YYYY-MM-DD`. */
  readonly partitionDay: string
  readonly upTo: number
}

export interface BadDecision extends SampledSession {
  readonly seq: number
  readonly configDigest: string | null
}

/** Reasons not to use a session, in the order in which they are looked for. `good`: none. */
export type SessionUse =
  | 'bad'
  | 'not_stored'
  | 'too_long'
  | 'good'
  | 'running'
  | 'lost'
  | 'not_completed'
  | 'stop_not_allowed'
  | 'not_enforced'

/** Events of a session that is read whole. */
export const LONGEST_LOG = 50_000

const LABELED = 'EXISTS (SELECT 1 FROM session_labels l WHERE l.session_id = s.id AND l.label ='

/** A label wins over how the session ended. `$1`: project; `$2` to `$5`: prompt, environment, days. */
const SAMPLE = `SELECT s.id AS "sessionId", s.partition_day::text AS "partitionDay", s.contiguous_seq AS "upTo", s.started_at,
    CASE
      WHEN ${LABELED} 'bad') THEN 'bad'
      WHEN s.contiguous_seq < s.max_seq OR s.max_seq = 0 OR s.events_removed_at IS NOT NULL OR s.archived_at IS NOT NULL THEN 'not_stored'
      WHEN s.contiguous_seq > ${LONGEST_LOG} THEN 'too_long'
      WHEN ${LABELED} 'good' AND l.seq = 0) THEN 'good'
      WHEN s.ended_at IS NULL THEN ${STATUS_SQL}
      WHEN s.end_reason IS DISTINCT FROM 'completed' THEN 'not_completed'
      WHEN coalesce(s.last_verdict, 'allowed') <> 'allowed' OR s.overridden > 0 THEN 'stop_not_allowed'
      WHEN s.enforcement <> 'full' OR s.verification = 'diverged' THEN 'not_enforced'
      ELSE 'good' END AS use,
    s.ended_at IS NOT NULL AND s.contiguous_seq = s.max_seq AND s.max_seq BETWEEN 1 AND ${LONGEST_LOG}
      AND s.events_removed_at IS NULL AND s.archived_at IS NULL AS "isWhole"
  FROM ${SESSION_TABLES} WHERE s.project_id = $1 AND s.ns = $2 AND s.key = $3 AND s.environment = $4
    AND s.started_at >= now() - make_interval(days => $5::int) AND ${countedTerm('s.id')}`

const bound = (projectId: AuthorizedProjectId, { ns, key, environment, days }: SampledPrompt) => [
  ...[projectId, ns, key, environment, days],
]

/** Newest first. */
export async function listGoodSessions(
  projectId: AuthorizedProjectId,
  prompt: SampledPrompt,
  most: number,
): Promise<readonly SampledSession[]> {
  return await readRows<SampledSession>(
    `SELECT "sessionId", "partitionDay", "upTo" FROM (${SAMPLE}) sample WHERE use = 'good'
     ORDER BY started_at DESC, "sessionId" DESC LIMIT $6`,
    [...bound(projectId, prompt), most],
  )
}

/** Good and bad sessions that ended and whose logs are stored: the good ones first, each newest first, at most this many of each. */
export async function listLabeledSessions(
  projectId: AuthorizedProjectId,
  prompt: SampledPrompt,
  most: number,
): Promise<readonly (SampledSession & { readonly label: 'good' | 'bad' })[]> {
  return await readRows(
    ['good', 'bad']
      .map(
        (
          label,
        ) => `(SELECT "sessionId", "partitionDay", "upTo", use AS label FROM (${SAMPLE}) sample
          WHERE use = '${label}' AND "isWhole" ORDER BY started_at DESC, "sessionId" DESC LIMIT $6)`,
      )
      .join(' UNION ALL '),
    [...bound(projectId, prompt), most],
  )
}

/** Numbers of sessions by use; those without a session are missing. */
export async function countSessionUse(
  projectId: AuthorizedProjectId,
  prompt: SampledPrompt,
): Promise<Readonly<Partial<Record<SessionUse, number>>>> {
  const rows = await readRows<{ readonly use: SessionUse; readonly sessions: number }>(
    `SELECT use, count(*)::int AS sessions FROM (${SAMPLE}) sample GROUP BY use`,
    bound(projectId, prompt),
  )
  return Object.fromEntries(rows.map(({ use, sessions }) => [use, sessions]))
}

/** Other calls and stops that are labeled as bad, newest label first. What a content rule withheld is none. */
export async function listBadDecisions(
  projectId: AuthorizedProjectId,
  { ns, key, environment }: SampledPrompt,
  other: { readonly than: Pick<BadDecision, 'sessionId' | 'seq'>; readonly most: number },
): Promise<readonly BadDecision[]> {
  return await readRows<BadDecision>(
    `SELECT s.id AS "sessionId", s.partition_day::text AS "partitionDay", l.seq AS "upTo", l.seq, s.config_digest AS "configDigest"
     FROM session_labels l JOIN sessions s ON s.id = l.session_id AND s.project_id = l.project_id
     WHERE l.project_id = $1 AND l.label = 'bad' AND l.seq > 0 AND s.ns = $2 AND s.key = $3 AND s.environment = $4
       AND s.contiguous_seq >= l.seq AND l.seq <= ${LONGEST_LOG} AND s.events_removed_at IS NULL AND s.archived_at IS NULL
       AND (s.id, l.seq) <> ($5, $6::int) AND EXISTS (
         SELECT 1 FROM session_events e WHERE e.partition_day = s.partition_day AND e.session_id = s.id AND e.seq = l.seq
           AND e.type IN ('tool.decided', 'stop.decided'))
     ORDER BY l.labelled_at DESC, s.id, l.seq LIMIT $7`,
    [projectId, ns, key, environment, other.than.sessionId, other.than.seq, other.most],
  )
}
