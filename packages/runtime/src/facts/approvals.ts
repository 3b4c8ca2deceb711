import { type ApprovalDecided, type JsonObject, omitUndefined } from '@signalbox/core'
import { describeError } from '../base/guardrail-error.ts'
import { awaitedSleep } from '../base/sleep.ts'

export interface PendingCall {
  readonly session: string
  /** Sequence number of the `approval.requested` event, which identifies the request within the session. */
  readonly seq: number
  readonly callId: string
  /** Canonical name. */
  readonly tool: string
  /** After redaction, as recorded. */
  readonly args: JsonObject
  /** Ids of the rules that require approval. */
  readonly rules: readonly string[]
  /** Epoch milliseconds; a later answer does not count. */
  readonly expiresAt: number
  /** Milliseconds until `expiresAt`, or fewer if the harness cannot wait that long. */
  readonly timeLeftMs: number
}

export interface ApprovalAnswer {
  readonly decision: 'approved' | 'denied'
  readonly by?: string
  readonly note?: string
}

export interface ApprovalSource {
  /** Resolves with a reviewer's answer. `signal` aborts when the time is over. Rejects with the reason if no one can be asked. */
  decide(call: PendingCall, signal: AbortSignal): Promise<ApprovalAnswer>
}

export type ApprovalOutcome = Omit<ApprovalDecided, 'call_id'>

interface Waiting {
  /** null: no one can be asked. */
  readonly source: ApprovalSource | null
  /** Reason to record for a time-out; null: the rule's own time limit. */
  readonly cutBy: string | null
  /** Aborts when the session ends. */
  readonly over: AbortSignal
  readonly onFailure: (error: unknown) => void
}

const MAX_NAME = 300
const MAX_NOTE = 2000

/** Never rejects: a source that fails does not approve. */
export async function awaitApproval(
  call: PendingCall,
  { source, cutBy, over, onFailure }: Waiting,
): Promise<ApprovalOutcome> {
  if (source === null) return { decision: 'unavailable' }
  const done = new AbortController()
  const late = awaitedSleep(call.timeLeftMs, AbortSignal.any([done.signal, over]))
  const given = new AbortController()
  const timedOut = late.then((): ApprovalOutcome => {
    given.abort()
    return { decision: 'timed_out', ...omitUndefined({ note: cutBy ?? undefined }) }
  })
  try {
    return await Promise.race([source.decide(call, given.signal).then(toApprovalOutcome), timedOut])
  } catch (error) {
    onFailure(error)
    const why = describeError(error)
    return { decision: 'unavailable', ...(why === '' ? {} : { note: why.slice(0, MAX_NOTE) }) }
  } finally {
    done.abort()
  }
}

function toApprovalOutcome({ decision, by, note }: ApprovalAnswer): ApprovalOutcome {
  return {
    decision: decision === 'approved' ? 'approved' : 'denied',
    ...omitUndefined({ by: by?.slice(0, MAX_NAME), note: note?.slice(0, MAX_NOTE) }),
  }
}
