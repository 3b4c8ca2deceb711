import type { EventOf } from '@signalbox/core'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { removedSentence } from '@/server/sessions/log/log-place.ts'
import { findLogPlace, type LogPlace, readLogAt } from '@/server/sessions/log/session-log.sql.ts'
import { type DeliveryFacts, findDelivery } from './delivery-list.sql.ts'

type FeedbackText = Pick<
  EventOf<'feedback.delivered'>['data'],
  'summary' | 'observations' | 'suggestions'
>

export interface DeliveryDetail extends DeliveryFacts {
  /** Null: its event is no longer stored, and the sentence states since when. */
  readonly told: FeedbackText | null
  readonly removed: string | null
}

/** Rejects with `not_found` when the project lists no such delivery. */
export async function loadDeliveryDetail(
  { projectId }: ProjectScope,
  id: string,
): Promise<DeliveryDetail> {
  const delivery = await findDelivery(projectId, id)
  if (delivery === null) throw new ServiceError('not_found', `There is no feedback ${id}.`)
  const place = await findLogPlace(projectId, delivery.sessionId)
  const removed = place?.removed ? removedSentence(place.removed) : null
  const told =
    place === null || removed !== null ? null : await loadFeedbackText(place, delivery.seq)
  return { ...delivery, told, removed }
}

async function loadFeedbackText(place: LogPlace, seq: number): Promise<FeedbackText | null> {
  const [row] = await readLogAt(place, [seq])
  if (row?.type !== 'feedback.delivered') return null
  // The wire schema accepted the event of this type when it was stored, and rows never change.
  const { summary, observations, suggestions } = row.data as EventOf<'feedback.delivered'>['data']
  return { summary, observations, suggestions }
}
