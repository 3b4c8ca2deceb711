import { describeError } from '@signalbox/runtime/base'
import type { Heartbeat } from '../lease/heartbeat.ts'
import type { LeaseLog } from '../lease/lease-log.ts'
import type { Message } from '../mailbox/mailbox.ts'
import { untilQuiet } from './watchdog.ts'

export type LoopReply<Output> =
  | { readonly kind: 'completed'; readonly output: Output }
  | { readonly kind: 'failed'; readonly error: string }

/** Parts of a message that its handler can read; only the loop settles it. */
export type HandledMessage = Pick<
  Message,
  'id' | 'deliveryCount' | 'leaseUntil' | 'inReplyTo' | 'canReply'
>

export interface HandleContext {
  /** Pass it to tools: without beats, the lease expires and the watchdog aborts the handler. */
  readonly heartbeat: Heartbeat
  /** Aborted when the watchdog or a stop of the loop ends the handler; its later result is discarded. */
  readonly signal: AbortSignal
  readonly message: HandledMessage
  recordLease(log: LeaseLog): void
}

export type Handle<Body, Output> = (body: Body, context: HandleContext) => Promise<Output>

export type Outcome<Output> =
  | Extract<LoopReply<Output>, { readonly kind: 'completed' }>
  | { readonly kind: 'failed'; readonly error: string; readonly cause: unknown }
  | { readonly kind: 'stuck' }
  | { readonly kind: 'halted' }

export interface Supervision {
  readonly thresholdSeconds: number
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly halt: AbortSignal
}

/** Never rejects. */
export async function supervise<Output>(
  work: (signal: AbortSignal) => Promise<Output>,
  heartbeat: Heartbeat,
  { thresholdSeconds, now, halt }: Supervision,
): Promise<Outcome<Output>> {
  const job = new AbortController()
  const over = new AbortController()
  const watch = { thresholdSeconds, now, signal: over.signal }
  const outcome = await Promise.race([
    captureOutcome(() => work(job.signal)),
    untilQuiet(heartbeat, watch).then((): Outcome<Output> => ({ kind: 'stuck' })),
    untilAborted(halt, over.signal).then((): Outcome<Output> => ({ kind: 'halted' })),
  ])
  over.abort()
  if (outcome.kind === 'stuck' || outcome.kind === 'halted') {
    job.abort(new Error('The loop no longer waits for this handler.'))
  }
  return outcome
}

async function captureOutcome<Output>(work: () => Promise<Output>): Promise<Outcome<Output>> {
  try {
    return { kind: 'completed', output: await work() }
  } catch (error) {
    return { kind: 'failed', error: describeError(error), cause: error }
  }
}

function untilAborted(signal: AbortSignal, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    const end = () => {
      signal.removeEventListener('abort', end)
      resolve()
    }
    signal.addEventListener('abort', end)
    over.addEventListener('abort', end)
  })
}
