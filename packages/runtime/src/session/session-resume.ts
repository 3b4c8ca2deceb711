// No caller received an answer to an unanswered call of the killed process, so none of these calls ran.
import type { Effect } from '@signalbox/core'
import type { ReadBack, UnansweredCall } from './recorded-session.ts'
import type { SessionLog } from './session-log.ts'

const RESUMED = 'The session resumed after the process that recorded it had ended.'
const SHADOW_LOST = 'The process that evaluated it had ended.'
const NEVER_ANSWERED = 'The process ended before it answered, so the call did not run.'

export interface Resumption {
  readonly log: SessionLog
  /** Queues one record, in order; it may be retried until the disk accepts it. */
  readonly owe: (work: () => void) => void
  /** Records the feedback of providers; the agent no longer receives it. */
  readonly deliver: (effects: readonly Effect[]) => void
}

/** Each item of open work records exactly one event, so that a second resume does not record it twice. */
export function settleOpen(read: ReadBack, resumption: Resumption): void {
  const { log, owe } = resumption
  owe(() => void log.record('note', { text: RESUMED }))
  const { shadow } = read
  if (shadow !== null)
    owe(() => void log.record('shadow.stopped', { ...shadow, reason: SHADOW_LOST }))
  for (const effect of read.unrecorded) owe(() => recordDue(effect, resumption))
  for (const unanswered of read.unanswered) owe(() => settleCall(unanswered, resumption))
}

function settleCall({ call, awaitsApproval }: UnansweredCall, { log, owe, deliver }: Resumption) {
  const { call_id, tool, agent } = call
  const denied = {
    call_id,
    tool,
    outcome: 'denied' as const,
    error: NEVER_ANSWERED,
    ...(agent === undefined ? {} : { agent }),
  }
  const finish = () => owe(() => deliver(log.record('tool.invoked', denied)))
  if (!awaitsApproval) return finish()
  const [effect] = log.record('approval.decided', { call_id, decision: 'unavailable' })
  if (effect !== undefined) owe(() => recordDue(effect, { log, owe, deliver }))
  finish()
}

function recordDue(effect: Effect, { log, deliver }: Resumption): void {
  switch (effect.kind) {
    case 'tool.decided':
      log.record('tool.decided', effect.data)
      break
    case 'approval.requested':
      log.record('approval.requested', effect.data)
      break
    case 'content.decided':
      log.record('content.decided', effect.data)
      break
    case 'stop.decided':
      log.record('stop.decided', effect.data)
      break
    case 'feedback.delivered':
    case 'feedback.failed':
      deliver([effect])
      break
    case 'anomaly':
      break
    default:
      effect satisfies never
  }
}
