// The server accepts an answer for a message from any client, so the client checks the lease, with an end that is never later than the
// server's.
import { randomUUID } from 'node:crypto'
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import { GuardrailError } from '@signalbox/runtime/base'
import { ReceiptHandleExpiredError } from '../lease/receipt-handle-expired-error.ts'
import { type Delivery, encodeBody } from './body.ts'
import { moreThanZero, zeroOrMore } from './mailbox-settings.ts'
import { HEADERS, isId, type Outbox } from './nats-outbox.ts'
import { noReplyAddress } from './no-reply-address.ts'

export interface PulledWith {
  readonly connection: NatsConnection
  readonly outbox: Outbox
  readonly now: () => number
  /** Length of every lease of the consumer, in seconds. */
  readonly leaseSeconds: number
  /** Epoch milliseconds from before the request for the message. */
  readonly askedAt: number
}

export class NatsDelivery<Reply> implements Delivery<Reply> {
  readonly id: string
  readonly json: string
  readonly deliveryCount: number
  readonly inReplyTo: string | null
  readonly canReply: boolean
  readonly #replyTo: string | null
  readonly #answerTo: string
  readonly #with: PulledWith
  #leaseUntil: number
  #isSettled = false

  constructor(message: Msg, pulled: PulledWith) {
    const answerTo = message.reply ?? ''
    const { sequence, deliveryCount } = readDelivery(answerTo)
    const id = header(message, HEADERS.id)
    // Other clients may publish here, without our id.
    this.id = id !== null && isId(id) ? id : `seq-${sequence}`
    this.json = message.string()
    this.deliveryCount = deliveryCount
    this.inReplyTo = header(message, HEADERS.inReplyTo)
    this.#replyTo = header(message, HEADERS.replyTo)
    this.canReply = this.#replyTo !== null
    this.#answerTo = answerTo
    this.#with = pulled
    this.#leaseUntil = pulled.askedAt + pulled.leaseSeconds * 1000
  }

  get leaseUntil(): number {
    return this.#leaseUntil
  }

  async acknowledge(): Promise<void> {
    await this.#settle('+ACK')
  }

  async nack(delaySeconds = 0): Promise<void> {
    const delay = zeroOrMore(delaySeconds, 'delaySeconds') * 1e9
    await this.#settle(delay === 0 ? '-NAK' : `-NAK ${JSON.stringify({ delay })}`)
  }

  /**
   * Each lease has the same length, so it then lasts that long from now, which is at least `seconds`. Rejects with `bad_options` when
   * `seconds` exceeds it.
   */
  async extendVisibility(seconds: number): Promise<void> {
    const { leaseSeconds, now } = this.#with
    if (moreThanZero(seconds, 'seconds') > leaseSeconds) {
      const message = `An extension of ${seconds} s is longer than this mailbox allows: its leases last ${leaseSeconds} s. Use a shorter extension, or a mailbox with a longer visibilitySeconds.`
      throw new GuardrailError('bad_options', message)
    }
    this.#mustHold()
    const askedAt = now()
    await this.#answer('+WPI')
    // If the answer arrives after the lease may have ended, it is unknown whether this delivery was extended.
    this.#mustHold()
    this.#leaseUntil = askedAt + leaseSeconds * 1000
  }

  async reply(value: Reply): Promise<string> {
    if (this.#replyTo === null) throw noReplyAddress(this.id)
    this.#mustHold()
    const id = randomUUID()
    const reply = { id, text: encodeBody(value), replyTo: null, inReplyTo: this.id }
    await this.#with.outbox.post(this.#replyTo, reply, id)
    return id
  }

  /** Stores the dead letter before acknowledging the message: a crash in between leaves both, never none. */
  async deadLetter(error: string): Promise<void> {
    this.#mustHold()
    await this.#with.outbox.bury({
      id: this.id,
      text: this.json,
      error,
      delivery_count: this.deliveryCount,
      reply_to: this.#replyTo,
      in_reply_to: this.inReplyTo,
    })
    await this.#settle('+ACK')
  }

  async #settle(answer: string): Promise<void> {
    this.#mustHold()
    await this.#answer(answer)
    this.#isSettled = true
  }

  #mustHold(): void {
    if (this.#isSettled || this.#with.now() >= this.#leaseUntil) {
      throw new ReceiptHandleExpiredError(this.id)
    }
  }

  /** Waits for the server's confirmation, so that a resolved operation is really done. */
  async #answer(payload: string): Promise<void> {
    await this.#with.connection.request(this.#answerTo, payload, { timeout: 5000 })
  }
}

function header({ headers }: Msg, name: string): string | null {
  const value = headers?.get(name) ?? ''
  return value === '' ? null : value
}

/** `$JS.ACK.<stream>.<consumer>.<delivered>.<sequence>…`; newer servers add domain and account in front. */
function readDelivery(answerTo: string): { sequence: string; deliveryCount: number } {
  const tokens = answerTo.split('.')
  const at = tokens.length > 9 ? 6 : 4
  const deliveryCount = Number(tokens[at])
  const sequence = tokens[at + 1]
  if (!answerTo.startsWith('$JS.ACK.') || !(deliveryCount > 0) || sequence === undefined) {
    throw new Error(
      `The NATS server delivered a message without a JetStream address: "${answerTo}"`,
    )
  }
  return { sequence, deliveryCount }
}
