import { plural } from '@signalbox/core/analysis'
import { ServiceError } from '@/server/platform/base/errors.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { findLogPlace, type LogPlace, type RemovedEvents } from './session-log.sql.ts'

/** Rejects with `not_found` when the project has no such session, or its events were removed. */
export async function requireLogPlace(
  projectId: AuthorizedProjectId,
  sessionId: string,
): Promise<LogPlace> {
  const place = await findLogPlace(projectId, sessionId)
  if (place === null) throw new ServiceError('not_found', `There is no session ${sessionId}.`)
  if (place.removed !== null) throw new ServiceError('not_found', removedSentence(place.removed))
  return place
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

export function removedSentence({ at, days }: RemovedEvents): string {
  return `Events older than ${plural(days, 'day')} were removed on ${DAY.format(at)} by the retention rule; decisions are kept.`
}
