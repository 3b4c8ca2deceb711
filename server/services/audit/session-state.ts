// "What did the guardrails know at that moment?": the state after one event, and the state before it to compare with.
import { type StateView, viewState } from '@signalbox/core/views'
import type { ProjectScope } from '../../auth/scope.ts'
import { ServiceError } from '../../errors.ts'
import { findLogPlace, type LogPlace, type RemovedEvents } from '../../read-models/session-log.ts'
import { foldStartOf, foldTo } from './session-fold.ts'

export interface SessionStateAt {
  readonly seq: number
  readonly contiguousSeq: number
  /** False: the session's config was never published here, so rules and triggers are not shown. */
  readonly isConfigKnown: boolean
  readonly after: StateView
  readonly before: StateView
}

/** Rejects with `not_found` when the project has no such session, or its events were removed. */
export async function requireLogPlace(projectId: string, sessionId: string): Promise<LogPlace> {
  const place = await findLogPlace(projectId, sessionId)
  if (place === null) throw new ServiceError('not_found', `There is no session ${sessionId}.`)
  if (place.removed !== null) throw new ServiceError('not_found', removedSentence(place.removed))
  return place
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** What every page says that would show the events. */
function removedSentence({ at, days }: RemovedEvents): string {
  return `Events older than ${days} days were removed on ${DAY.format(at)} by the retention rule; decisions are kept.`
}

/** `from`: first event of the step to compare, e.g. the request of a call; its state before is returned too. */
export async function sessionStateAt(
  scope: ProjectScope,
  sessionId: string,
  at: { readonly seq: number; readonly from?: number | undefined },
): Promise<SessionStateAt> {
  const place = await requireLogPlace(scope.projectId, sessionId)
  const start = await foldStartOf(scope.projectId, place)
  const before = await foldTo(place, start, Math.max(0, (at.from ?? at.seq) - 1))
  const after = await foldTo(place, start, at.seq)
  return {
    seq: after.state.seq,
    contiguousSeq: place.contiguousSeq,
    isConfigKnown: after.digest !== null,
    after: viewState(after.config, after.state),
    before: viewState(before.config, before.state),
  }
}
