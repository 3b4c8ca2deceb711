// One session's header: the list's facts and what only the session's own page shows.
import 'server-only'
import type { RecordedCapabilities } from '@signalbox/core'
import {
  type Breach,
  enforcementGaps,
  type Shortfall,
  shortfallSentence,
} from '@signalbox/core/views'
import { readRows } from './rows.ts'
import { SESSION_COLUMNS, SESSION_TABLES, type SessionFacts } from './session-columns.ts'

/** One thing that was not enforced, as it is shown. */
export interface ShownShortfall extends Pick<Shortfall, 'code' | 'severity' | 'seq'> {
  readonly sentence: string
}

export interface SessionHead extends SessionFacts {
  /** Breaches in order of their events, then gaps. Empty: fully enforced, or unknown. */
  readonly shortfalls: readonly ShownShortfall[]
}

interface HeadRow extends Omit<SessionHead, 'shortfalls'> {
  readonly capabilities: RecordedCapabilities | null
  readonly breaches: readonly Breach[]
}

/** Null when the project has no such session. */
export async function findSessionHead(
  projectId: string,
  sessionId: string,
): Promise<SessionHead | null> {
  const rows = await readRows<HeadRow>(
    `SELECT ${SESSION_COLUMNS}, s.capabilities, s.breaches
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
