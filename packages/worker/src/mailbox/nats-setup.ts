import {
  AckPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
} from '@nats-io/jetstream'
import { GuardrailError } from '@signalbox/runtime/base'
import { toDeadStream, toDeadSubject, toStream, toSubject } from './nats-outbox.ts'

const CONSUMER = 'workers'
const NOT_FOUND: ReadonlySet<number> = new Set([
  JetStreamApiCodes.StreamNotFound,
  JetStreamApiCodes.ConsumerNotFound,
])

export interface MailboxSetup {
  readonly name: string
  readonly leaseSeconds: number
}

export function toPullSubject(mailbox: string): string {
  return `$JS.API.CONSUMER.MSG.NEXT.${toStream(mailbox)}.${CONSUMER}`
}

/** Creates missing parts; existing ones keep their configuration (replicas, limits). */
export async function createMissing(
  { streams, consumers }: JetStreamManager,
  { name, leaseSeconds }: MailboxSetup,
): Promise<void> {
  const [stream, deadStream] = [toStream(name), toDeadStream(name)]
  if (await isMissing(() => streams.info(stream))) {
    const subjects = [toSubject(name)]
    await streams.add({ name: stream, subjects, retention: RetentionPolicy.Workqueue })
  }
  if (await isMissing(() => streams.info(deadStream))) {
    const subjects = [toDeadSubject(name, '*')]
    const newest = { max_msgs_per_subject: 1, discard: DiscardPolicy.Old }
    await streams.add({ name: deadStream, subjects, ...newest })
  }
  if (await isMissing(() => consumers.info(stream, CONSUMER))) {
    await consumers.add(stream, {
      durable_name: CONSUMER,
      ack_policy: AckPolicy.Explicit,
      ack_wait: leaseSeconds * 1e9,
      // The server would leave a message beyond its limit in place, unseen; the receiver counts deliveries instead.
      max_deliver: -1,
      // Delayed messages count as pending, so a limit would let them block all others.
      max_ack_pending: -1,
    })
  }
}

/** Rejects with `bad_options` when the consumer's leases have another length: the mailbox must report the true length. */
export async function checkLeaseLength(
  { consumers }: JetStreamManager,
  { name, leaseSeconds }: MailboxSetup,
): Promise<void> {
  const { config } = await consumers.info(toStream(name), CONSUMER)
  const actual = (config.ack_wait ?? 0) / 1e9
  if (actual === leaseSeconds) return
  const message = `The consumer of mailbox ${name} has leases of ${actual} s (ack_wait), not ${leaseSeconds} s. Set visibilitySeconds of the mailbox to ${actual}, or change the consumer while no worker is running.`
  throw new GuardrailError('bad_options', message)
}

async function isMissing(look: () => Promise<unknown>): Promise<boolean> {
  try {
    await look()
    return false
  } catch (error) {
    if (error instanceof JetStreamApiError && NOT_FOUND.has(error.code)) return true
    throw error
  }
}
