import type { SessionEvent } from '@signalbox/core'
import { parseEventId } from '@signalbox/wire'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { requireLogPlace } from './log/log-place.ts'
import { toLoggedEvent } from './log/logged-event.ts'
import { type LogPlace, type LogRow, readLogAt } from './log/session-log.sql.ts'
import { findSessionHead, type SessionHead } from './session-head.sql.ts'

export interface RecordedEvent {
  readonly session: SessionHead
  readonly place: LogPlace
  readonly row: LogRow
  readonly event: SessionEvent
}

/** Null: the id has another form, or the project stores nothing under it. The caller checks the type of the event. */
export async function findRecordedEvent(
  { projectId }: Pick<ProjectScope, 'projectId'>,
  id: string,
): Promise<RecordedEvent | null> {
  const parsed = parseEventId(id)
  const session = parsed === null ? null : await findSessionHead(projectId, parsed.session)
  if (parsed === null || session === null) return null
  const place = await requireLogPlace(projectId, parsed.session)
  const [row] = await readLogAt(place, [parsed.seq])
  return row === undefined
    ? null
    : { session, place, row, event: toLoggedEvent(place.sessionId, row) }
}
