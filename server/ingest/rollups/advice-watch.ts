// Was advice followed? Watches the calls after a delivery for the act that the built-in providers suggest. What is seen is an order of
// events, never a cause (specs/analytics.md). Pure.
import type { EventOf, SessionEvent } from '@signalbox/core'
import { hashEvent } from '../event-hash.ts'

/** Finished calls within which the act must come. */
export const WITHIN_CALLS = 5

/** `differ`: the next call is another one; `wrap_up`: a stop, or a step done; `change`: a stop, or another plan. */
type Act = 'differ' | 'wrap_up' | 'change'

export type ActOutcome = 'expected' | 'followed' | 'not_followed' | 'ended'

/** A delivery whose outcome is open. */
export interface Waiting {
  /** Of the delivery; absent: it was remembered before deliveries were listed. */
  readonly seq?: number
  /** Of the delivery, epoch ms. */
  readonly at: number
  readonly digest: string
  readonly provider: string
  readonly name: string
  readonly act: Act
  /** Fingerprint of the call that it was about; null: not known. */
  readonly call: string | null
  /** Plan steps done then. */
  readonly done: number
  readonly left: number
}

/** By type of provider. Advice without suggestions asks for nothing, and what a text of one's own asks for, no machine knows. */
const ACTS: ReadonlyMap<string, Act> = new Map(
  Object.entries({
    deadline: 'wrap_up',
    tool_usage: 'change',
    repeated_failure: 'differ',
    repeated_call: 'differ',
  }),
)

/** Deliveries of semantics 1 do not record the type of their provider; only its display name can tell it. */
const TYPE_BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Deadline: 'deadline',
    ToolUsageMonitor: 'tool_usage',
    RepeatedFailure: 'repeated_failure',
    RepeatedCall: 'repeated_call',
  }),
)

export function actOf({
  type,
  name,
  suggestions,
}: Pick<EventOf<'feedback.delivered'>['data'], 'type' | 'name' | 'suggestions'>): Act | null {
  if (suggestions.length === 0) return null
  return ACTS.get(type ?? TYPE_BY_NAME.get(name) ?? '') ?? null
}

/** The same for two calls exactly when tool and arguments are. */
export function callFingerprint(event: EventOf<'tool.requested'>): string {
  const { tool, args } = event.data
  const data = { call_id: '', tool, args }
  return hashEvent({ session: '', seq: 0, at: 0, type: 'tool.requested', data }).hash.slice(0, 16)
}

/** What the event makes of one that waits; null: it waits on. */
export function outcomeOf(
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
