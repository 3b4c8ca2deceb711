import { toEventId } from '@signalbox/wire'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { requireLogPlace } from './log-place.ts'
import { readLogAt } from './session-log.sql.ts'

export interface RecordedEvent {
  readonly id: string
  readonly seq: number
  readonly at: number
  readonly receivedAt: number
  readonly type: string
  readonly verdict: string | null
  readonly subject: string | null
  readonly summary: string
  /** Indented JSON text: shown unchanged, without the deep types of a payload. */
  readonly data: string
  readonly config: string | null
  readonly trace: string | null
  readonly prev: string | null
  readonly hash: string
}

/** Stored events of `seqs`, ascending. Rejects with `not_found` for an unknown session. */
export async function recordedEvents(
  scope: ProjectScope,
  sessionId: string,
  seqs: readonly number[],
): Promise<readonly RecordedEvent[]> {
  const place = await requireLogPlace(scope.projectId, sessionId)
  const rows = await readLogAt(place, seqs)
  return rows.map((row) => ({
    id: toEventId(sessionId, row.seq),
    seq: row.seq,
    at: row.at,
    receivedAt: row.receivedAt,
    type: row.type,
    verdict: row.verdict,
    subject: row.subject,
    summary: row.summary ?? '',
    data: JSON.stringify(row.data, null, 2),
    config: row.config,
    trace: row.trace,
    prev: row.prev,
    hash: row.hash,
  }))
}
