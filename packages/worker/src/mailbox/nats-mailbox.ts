// A work-queue stream and one durable pull consumer, whose ack_wait is the length of every lease (specs/leases.md).
import { randomUUID } from 'node:crypto'
import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { type NatsConnection, TimeoutError } from '@nats-io/transport-node'
import { GuardrailError } from '@signalbox/runtime/base'
import { encodeBody, withBody } from './body.ts'
import type {
  DeadLetter,
  DeadLetterOptions,
  Mailbox,
  MailboxOptions,
  Message,
  ReceiveOptions,
  SendOptions,
} from './mailbox.ts'
import {
  type MailboxSettings,
  mailboxSettings,
  type ReceiveSettings,
  receiveSettings,
} from './mailbox-settings.ts'
import { listBuried, redriveBuried } from './nats-dead-letters.ts'
import { NatsDelivery } from './nats-delivery.ts'
import { Outbox, toStream } from './nats-outbox.ts'
import { pullOne } from './nats-pull.ts'
import { checkLeaseLength, createMissing, type MailboxSetup, toPullSubject } from './nats-setup.ts'

/** A lease counts from the request, because only the server knows the time of delivery. */
const LONGEST_PULL_MS = 5000

export interface NatsMailboxOptions<Body> extends MailboxOptions<Body> {
  /** Owned by the caller, who also closes it. */
  readonly connection: NatsConnection
}

export class NatsMailbox<Body = unknown, Reply = unknown> implements Mailbox<Body, Reply> {
  readonly #settings: MailboxSettings<Body>
  readonly #connection: NatsConnection
  readonly #outbox: Outbox
  #manager: Promise<JetStreamManager> | null = null
  #checked: Promise<void> | null = null

  /** Sends no request yet. `visibilitySeconds` is the length of every lease. */
  constructor({ connection, ...options }: NatsMailboxOptions<Body>) {
    this.#settings = mailboxSettings(options)
    this.#connection = connection
    this.#outbox = new Outbox(jetstream(connection), this.#settings.name)
  }

  get name(): string {
    return this.#settings.name
  }

  /**
   * Creates missing streams and the consumer; existing ones keep their configuration (replicas, limits). Call it once before anything else.
   * Rejects with `bad_options` when the consumer exists with another lease length.
   */
  async install(): Promise<void> {
    await createMissing(await this.#jetstreamManager(), this.#setup)
    await this.#checkLease()
  }

  /** Rejects with `bad_options` when `replyTo` belongs to another backend. */
  async send(body: Body, { replyTo, inReplyTo }: SendOptions<Reply> = {}): Promise<string> {
    if (replyTo !== undefined && !(replyTo instanceof NatsMailbox)) {
      const message = 'replyTo is not a NATS mailbox. Use one on the same server.'
      throw new GuardrailError('bad_options', message)
    }
    const id = randomUUID()
    const text = encodeBody(body)
    const message = { id, text, replyTo: replyTo?.name ?? null, inReplyTo: inReplyTo ?? null }
    await this.#outbox.post(this.name, message, id)
    return id
  }

  /** Rejects with `bad_options` for `visibilitySeconds` other than the mailbox's: all leases of a consumer have the same length. */
  async receive(options: ReceiveOptions = {}): Promise<readonly Message<Body, Reply>[]> {
    const own = this.#settings.visibilitySeconds
    const settings = receiveSettings(options, own)
    if (settings.visibilitySeconds !== own) {
      const message = `All leases of this mailbox last ${own} s, so receive cannot use ${settings.visibilitySeconds} s. Set visibilitySeconds of the mailbox instead.`
      throw new GuardrailError('bad_options', message)
    }
    await this.#checkLease()
    const until = this.#settings.now() + settings.waitSeconds * 1000
    const longestPullMs = Math.min(LONGEST_PULL_MS, own * 100)
    let waitMs = 0
    while (settings.signal?.aborted !== true) {
      const messages = await this.#take(settings, waitMs).catch((error: unknown) => {
        // A busy server may answer nothing for a moment; if time is left, the next pull finds out.
        if (error instanceof TimeoutError && this.#settings.now() < until) return []
        throw error
      })
      const leftMs = until - this.#settings.now()
      if (messages.length > 0 || leftMs <= 0) return messages
      waitMs = Math.min(leftMs, longestPullMs)
    }
    return []
  }

  async count(): Promise<number> {
    const { streams } = await this.#jetstreamManager()
    return (await streams.info(toStream(this.name))).state.messages
  }

  async purge(): Promise<number> {
    const { streams } = await this.#jetstreamManager()
    return (await streams.purge(toStream(this.name))).purged
  }

  async deadLetters({ limit = 100 }: DeadLetterOptions = {}): Promise<readonly DeadLetter[]> {
    return listBuried(await this.#jetstreamManager(), this.name, limit)
  }

  async redrive(id: string): Promise<boolean> {
    const { streams } = await this.#jetstreamManager()
    return redriveBuried({ streams, outbox: this.#outbox, mailbox: this.name }, id)
  }

  async #take(
    { max, signal }: ReceiveSettings,
    waitMs: number,
  ): Promise<readonly Message<Body, Reply>[]> {
    const { now, visibilitySeconds: leaseSeconds } = this.#settings
    const [connection, outbox] = [this.#connection, this.#outbox]
    const messages: Message<Body, Reply>[] = []
    for (let taken = 0; taken < max; taken++) {
      const askedAt = now()
      const pulled = await pullOne(connection, {
        subject: toPullSubject(this.name),
        waitMs: taken === 0 ? waitMs : 0,
        signal,
      }).catch((error: unknown) => {
        // Messages that were taken must be returned; the next receive meets the error again.
        if (messages.length > 0) return null
        throw error
      })
      if (pulled === null) break
      const how = { connection, outbox, now, leaseSeconds, askedAt }
      const delivery = new NatsDelivery<Reply>(pulled, how)
      const message = await withBody<Body, Reply, NatsDelivery<Reply>>(delivery, this.#settings)
      if (message !== null) messages.push(message)
    }
    return messages
  }

  #checkLease(): Promise<void> {
    this.#checked ??= this.#jetstreamManager()
      .then((manager) => checkLeaseLength(manager, this.#setup))
      .catch((error: unknown) => {
        this.#checked = null
        throw error
      })
    return this.#checked
  }

  get #setup(): MailboxSetup {
    return { name: this.name, leaseSeconds: this.#settings.visibilitySeconds }
  }

  #jetstreamManager(): Promise<JetStreamManager> {
    this.#manager ??= jetstreamManager(this.#connection).catch((error: unknown) => {
      this.#manager = null
      throw error
    })
    return this.#manager
  }
}
