import 'server-only'
import type { RecordedCapabilities } from '@signalbox/core'
import {
  type Breach,
  enforcementGaps,
  type Shortfall,
  shortfallSentence,
} from '@signalbox/core/analysis'
import { IS_WAITING } from '@/server/call-approvals/waiting-calls.sql.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { readRows } from '@/server/platform/sql/rows.ts'
import { REMOVED_SQL, type RemovedEvents } from './log/session-log.sql.ts'
import { SESSION_COLUMNS, SESSION_TABLES, type SessionFacts } from './session-columns.sql.ts'

export interface ShownShortfall extends Pick<Shortfall, 'code' | 'severity' | 'seq'> {
  readonly sentence: string
}

export interface TakenVersion {
  readonly digest: string
  /** Null: this config has no such version here. */
  readonly version: number | null
  readonly seq: number
}

export interface SessionHead extends SessionFacts {
  /** Null: the session runs under the version with which it began. */
  readonly taken: TakenVersion | null
  /** Breaches in order of their events, then gaps. Empty: fully enforced, or unknown. */
  readonly shortfalls: readonly ShownShortfall[]
  readonly removed: RemovedEvents | null
  /** The server was restored from a backup while the session was recorded, so events acknowledged after the backup are missing. */
  readonly isRestored: boolean
  /** The person who ordered the end, as the session recorded; null: none did. */
  readonly endedBy: string | null
  /** A user or key labeled the session itself. */
  readonly isLabeled: boolean
  /** The call that has waited longest for a person's decision; null: none waits. */
  readonly waitingCall: { readonly approvalId: string; readonly tool: string } | null
}

interface HeadRow extends Omit<SessionHead, 'shortfalls'> {
  readonly capabilities: RecordedCapabilities | null
  readonly breaches: readonly Breach[]
}

const TAKEN = `CASE WHEN s.governing_digest <> s.config_digest THEN json_build_object(
  'digest', s.governing_digest, 'seq', s.governing_seq, 'version', (SELECT max(t.number) FROM config_versions t
    WHERE t.project_id = s.project_id AND t.config_id = c.id AND t.digest = s.governing_digest)) END AS taken`

/** A session whose first events are missing is only known from after the restore. */
const IS_RESTORED = `EXISTS (SELECT 1 FROM restores r
  WHERE r.restored_at <= s.received_at AND (s.started_at <= r.restored_at OR s.contiguous_seq = 0)) AS "isRestored"`

const IS_LABELED =
  'EXISTS (SELECT 1 FROM session_labels l WHERE l.session_id = s.id AND l.seq = 0) AS "isLabeled"'

const WAITING_CALL = `(SELECT json_build_object('approvalId', a.id, 'tool', a.tool) FROM call_approvals a
  WHERE a.session_id = s.id AND a.project_id = s.project_id AND ${IS_WAITING} ORDER BY a.requested_at, a.id LIMIT 1) AS "waitingCall"`

const ENDED_BY = `(SELECT o.ordered_name FROM session_orders o WHERE o.session_id = s.id AND o.project_id = s.project_id
  AND o.action = 'end' AND o.recorded_at IS NOT NULL LIMIT 1) AS "endedBy"`

export async function findSessionHead(
  projectId: AuthorizedProjectId,
  sessionId: string,
): Promise<SessionHead | null> {
  const rows = await readRows<HeadRow>(
    `SELECT ${SESSION_COLUMNS}, s.capabilities, s.breaches, ${TAKEN}, ${REMOVED_SQL} AS removed, ${IS_RESTORED}, ${ENDED_BY},
       ${IS_LABELED}, ${WAITING_CALL}
     FROM ${SESSION_TABLES} WHERE s.project_id = $1 AND s.id = $2`,
    [projectId, sessionId],
  )
  const [row] = rows
  if (row === undefined) return null
  const { capabilities, breaches, ...head } = row
  const unlisted = head.breachCount - breaches.length
  const shortfalls = enforcementGaps({ capabilities, breaches, unlisted }).map(
    ({ code, severity, params, seq }) => ({
      code,
      severity,
      seq,
      sentence: shortfallSentence({ code, params }),
    }),
  )
  return { ...head, shortfalls }
}
