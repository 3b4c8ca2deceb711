// Runs the handler of one message until it answers, goes quiet, or is no longer waited for (specs/leases.md).
import { describeError } from '@signalbox/runtime/base'
import type { Heartbeat } from '../lease/heartbeat.ts'
import type { LeaseLog } from '../lease/lease-log.ts'
import type { Message } from '../mailbox/mailbox.ts'
import { untilQuiet } from './watchdog.ts'

/** Reply to the sender of a message with a reply address, once the message is finally settled. */
export type LoopReply<Output> =
  | { readonly kind: 'completed'; readonly output: Output }
  | { readonly kind: 'failed'; readonly error: string }

/** The loop settles the message; the handler only reads it. */
export type HandledMessage = Pick<
  Message,
  'id' | 'deliveryCount' | 'leaseUntil' | 'inReplyTo' | 'canReply'
>

export interface HandleContext {
  /** Pass it to the tools: without beats the lease expires, and the watchdog aborts the handler. */
  readonly heartbeat: Heartbeat
  /** Aborted when the watchdog stops the handler or the loop is stopped; a later answer of the handler is discarded. */
  readonly signal: AbortSignal
  readonly message: HandledMessage
  /** From now on the log receives the events of this message's lease; a session's log, for example. */
  recordLease(log: LeaseLog): void
}

export type Handle<Body, Output> = (body: Body, context: HandleContext) => Promise<Output>

export type Outcome<Output> =
  | Extract<LoopReply<Output>, { readonly kind: 'completed' }>
  /** `cause`: what the handler threw. */
  | { readonly kind: 'failed'; readonly error: string; readonly cause: unknown }
  /** The watchdog gave up. */
  | { readonly kind: 'stuck' }
  /** The loop was stopped. */
  | { readonly kind: 'halted' }

export interface Supervision {
  readonly thresholdSeconds: number
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Aborted when no one waits any longer. */
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

/** Resolves when `signal` is aborted, or `over`. */
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
