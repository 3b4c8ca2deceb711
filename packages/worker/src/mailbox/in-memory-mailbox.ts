import { randomUUID } from 'node:crypto'
import { ReceiptHandleExpiredError } from '../lease/receipt-handle-expired-error.ts'
import { type Delivery, decodeLoosely, encodeBody, withBodies } from './body.ts'
import type {
  DeadLetter,
  DeadLetterOptions,
  Mailbox,
  MailboxOptions,
  Message,
  ReceiveOptions,
  ReplyAddress,
  SendOptions,
} from './mailbox.ts'
import {
  type MailboxSettings,
  mailboxSettings,
  moreThanZero,
  type ReceiveSettings,
  receiveSettings,
  zeroOrMore,
} from './mailbox-settings.ts'
import { noReplyAddress } from './no-reply-address.ts'
import { Wakeup, waitForMessages } from './wait-for-messages.ts'

/** Maximum of Node's timers; longer pauses are split. */
const LONGEST_PAUSE_MS = 2 ** 31 - 1

interface Entry<Reply> {
  readonly id: string
  readonly json: string
  readonly replyTo: ReplyAddress<Reply> | undefined
  readonly inReplyTo: string | null
  deliveryCount: number
  /** Epoch milliseconds of the next possible delivery; while the message is leased, the end of the lease. */
  visibleAt: number
  /** `deliveryCount` of the delivery that holds the lease; null: none. */
  heldBy: number | null
}

interface DeadEntry<Reply> {
  readonly entry: Entry<Reply>
  readonly error: string
  readonly deadAt: number
}

/** A mailbox in the memory of this process, for tests and single workers. Its messages are lost with the process. */
export class InMemoryMailbox<Body = unknown, Reply = unknown> implements Mailbox<Body, Reply> {
  readonly #settings: MailboxSettings<Body>
  readonly #entries = new Map<string, Entry<Reply>>()
  readonly #dead = new Map<string, DeadEntry<Reply>>()
  readonly #wakeup = new Wakeup()

  constructor(options: MailboxOptions<Body>) {
    this.#settings = mailboxSettings(options)
  }

  get name(): string {
    return this.#settings.name
  }

  async send(body: Body, { replyTo, inReplyTo }: SendOptions<Reply> = {}): Promise<string> {
    const id = randomUUID()
    const json = encodeBody(body)
    this.#put({ id, json, replyTo, inReplyTo: inReplyTo ?? null })
    return id
  }

  async receive(options: ReceiveOptions = {}): Promise<readonly Message<Body, Reply>[]> {
    const settings = receiveSettings(options, this.#settings.visibilitySeconds)
    const { now } = this.#settings
    const take = () => this.#take(settings)
    return waitForMessages(
      { wakeup: this.#wakeup, now, take, pauseMs: async () => this.#untilNext() },
      settings,
    )
  }

  async count(): Promise<number> {
    return this.#entries.size
  }

  async purge(): Promise<number> {
    const { size } = this.#entries
    this.#entries.clear()
    return size
  }

  async deadLetters({ limit = 100 }: DeadLetterOptions = {}): Promise<readonly DeadLetter[]> {
    return [...this.#dead.values()].slice(0, limit).map(({ entry, error, deadAt }) => ({
      id: entry.id,
      body: decodeLoosely(entry.json),
      error,
      deliveryCount: entry.deliveryCount,
      deadAt,
    }))
  }

  async redrive(id: string): Promise<boolean> {
    const dead = this.#dead.get(id)
    if (dead === undefined) return false
    this.#dead.delete(id)
    this.#put(dead.entry)
    return true
  }

  #put({
    id,
    json,
    replyTo,
    inReplyTo,
  }: Omit<Entry<Reply>, 'deliveryCount' | 'visibleAt' | 'heldBy'>) {
    const visibleAt = this.#settings.now()
    const entry = { id, json, replyTo, inReplyTo, deliveryCount: 0, visibleAt, heldBy: null }
    this.#entries.set(id, entry)
    this.#wakeup.wake()
  }

  #untilNext(): number {
    const next = Math.min(...[...this.#entries.values()].map(({ visibleAt }) => visibleAt))
    return Math.min(LONGEST_PAUSE_MS, Math.max(0, next - this.#settings.now()))
  }

  async #take({
    max,
    visibilitySeconds,
  }: ReceiveSettings): Promise<readonly Message<Body, Reply>[]> {
    const now = this.#settings.now()
    const due = [...this.#entries.values()]
      .filter(({ visibleAt }) => visibleAt <= now)
      .sort((a, b) => a.visibleAt - b.visibleAt)
      .slice(0, max)
    const deliveries = due.map((entry) => {
      entry.deliveryCount += 1
      entry.heldBy = entry.deliveryCount
      entry.visibleAt = now + visibilitySeconds * 1000
      return this.#delivery(entry)
    })
    return withBodies<Body, Reply>(deliveries, this.#settings)
  }

  #delivery(entry: Entry<Reply>): Delivery<Reply> {
    const { id, json, replyTo, inReplyTo, deliveryCount, visibleAt } = entry
    const { now } = this.#settings
    let leaseUntil = visibleAt
    const mustHold = () => {
      const isHeld =
        this.#entries.get(id) === entry && entry.heldBy === deliveryCount && leaseUntil > now()
      if (!isHeld) throw new ReceiptHandleExpiredError(id)
    }
    return {
      id,
      json,
      deliveryCount,
      inReplyTo,
      canReply: replyTo !== undefined,
      get leaseUntil() {
        return leaseUntil
      },
      acknowledge: async () => {
        mustHold()
        this.#entries.delete(id)
      },
      nack: async (delaySeconds = 0) => {
        const delayMs = zeroOrMore(delaySeconds, 'delaySeconds') * 1000
        mustHold()
        entry.heldBy = null
        entry.visibleAt = now() + delayMs
        this.#wakeup.wake()
      },
      extendVisibility: async (seconds) => {
        const until = now() + moreThanZero(seconds, 'seconds') * 1000
        mustHold()
        leaseUntil = Math.max(leaseUntil, until)
        entry.visibleAt = leaseUntil
      },
      reply: async (value) => {
        if (replyTo === undefined) throw noReplyAddress(id)
        mustHold()
        return replyTo.send(value, { inReplyTo: id })
      },
      deadLetter: async (error) => {
        mustHold()
        this.#entries.delete(id)
        this.#dead.set(id, { entry, error, deadAt: now() })
      },
    }
  }
}
