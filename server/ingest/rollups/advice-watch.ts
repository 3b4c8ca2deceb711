// Observes an order of events, never a cause (specs/analytics.md). Pure.
import type { EventOf, SessionEvent } from '@signalbox/core'
import { type AdvisedAct, PROVIDER_WORDS } from '@signalbox/core/analysis'
import { hashEvent } from '../batch/event-hash.ts'

/** Finished calls within which the act must come. */
export const WITHIN_CALLS = 5

export type ActOutcome = 'expected' | 'followed' | 'not_followed' | 'ended'

export interface Waiting {
  /** Sequence number of the delivery; absent: it was stored before deliveries were listed. */
  readonly seq?: number
  readonly at: number
  readonly digest: string
  readonly provider: string
  readonly name: string
  readonly act: AdvisedAct
  /** Fingerprint of the call that it was about; null: not known. */
  readonly call: string | null
  readonly done: number
  readonly left: number
}

const ACTS: ReadonlyMap<string, AdvisedAct | null> = new Map(
  Object.entries(PROVIDER_WORDS).map(([type, { act }]) => [type, act?.kind ?? null]),
)

/** null: no observable act. `unknown`: the delivery names no type; a display name proves none, because a custom provider may copy one. */
export function findAct({
  type,
  suggestions,
}: Pick<EventOf<'feedback.delivered'>['data'], 'type' | 'suggestions'>):
  | AdvisedAct
  | 'unknown'
  | null {
  if (suggestions.length === 0) return null
  return type === undefined ? 'unknown' : (ACTS.get(type) ?? null)
}

/** Equal for two calls exactly when tool and arguments are. */
export function callFingerprint(event: EventOf<'tool.requested'>): string {
  const { tool, args } = event.data
  const data = { call_id: '', tool, args }
  return hashEvent({ session: '', seq: 0, at: 0, type: 'tool.requested', data }).hash.slice(0, 16)
}

/** The outcome that this event settles; null while it is open. */
export function settleOutcome(
  waiting: Waiting,
  event: SessionEvent,
  seen: { readonly call: string | null; readonly done: number },
): Exclude<ActOutcome, 'expected'> | null {
  if (event.type === 'session.ended') return 'ended'
  if (event.type === 'tool.invoked') return waiting.left <= 1 ? 'not_followed' : null
  if (waiting.act === 'differ') {
    if (event.type !== 'tool.requested') return null
    return seen.call === waiting.call ? 'not_followed' : 'followed'
  }
  if (event.type === 'stop.attempted') return event.data.via === 'final' ? null : 'followed'
  if (event.type !== 'plan.updated') return null
  return waiting.act === 'change' || seen.done > waiting.done ? 'followed' : null
}
