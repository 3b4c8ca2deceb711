// Implements the wire format of ADR-13 itself, because the client's fetch waits at least a second and loses messages in transit when
// aborted.
import { createInbox, type Msg, type NatsConnection } from '@nats-io/transport-node'

const GRACE_MS = 5000
const NOTHING = new Set([404, 408])

export interface Pull {
  readonly subject: string
  /** Time that the server may wait for a message, in milliseconds; 0: it answers at once. */
  readonly waitMs: number
  readonly signal: AbortSignal | undefined
}

/**
 * null: no message, or aborted. A message that arrives after the abort is returned to the queue. Rejects when the consumer does not exist,
 * or no answer arrives.
 */
export async function pullOne(connection: NatsConnection, pull: Pull): Promise<Msg | null> {
  const { subject, waitMs, signal } = pull
  const inbox = createInbox()
  const subscription = connection.subscribe(inbox, { max: 1, timeout: waitMs + GRACE_MS })
  const request = waitMs === 0 ? { no_wait: true } : { expires: Math.ceil(waitMs * 1e6) }
  connection.publish(subject, JSON.stringify({ batch: 1, ...request }), { reply: inbox })
  // The server delivers nothing to a drained subscription; messages in transit still arrive.
  const end = () => {
    subscription.drain().catch(() => subscription.unsubscribe())
  }
  signal?.addEventListener('abort', end)
  try {
    for await (const answer of subscription) {
      const isMessage = readStatus(answer)
      if (!isMessage) return null
      if (signal?.aborted !== true) return answer
      answer.respond('-NAK')
    }
    return null
  } finally {
    signal?.removeEventListener('abort', end)
  }
}

/** false: the server has no message. */
function readStatus({ headers }: Msg): boolean {
  const code = headers?.code ?? 0
  if (code === 0) return true
  if (NOTHING.has(code)) return false
  throw new Error(`The NATS server refused to deliver: ${code} ${headers?.description ?? ''}`)
}
