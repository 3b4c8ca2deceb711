// Notifications only wake a receiver, which then queries the table (specs/leases.md).
import { randomUUID } from 'node:crypto'
import { GuardrailError } from '@signalbox/runtime/base'
import type { Notification, Pool, PoolClient } from 'pg'
import { decodeLoosely, encodeBody, withBodies } from './body.ts'
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
import { PostgresDelivery, type TakenRow } from './postgres-delivery.ts'
import {
  CHANNEL,
  COUNT,
  DEAD_LETTERS,
  INSTALL,
  PURGE,
  REDRIVE,
  SEND,
  TAKE,
  UNTIL_NEXT,
} from './postgres-statements.ts'
import { Wakeup, waitForMessages } from './wait-for-messages.ts'

/** Maximum delay after a lost notification. */
const POLL_MS = 1000

export interface PostgresMailboxOptions<Body> extends MailboxOptions<Body> {
  /** Owned by the caller, who also ends it. A waiting `receive` holds one connection. */
  readonly pool: Pool
}

export class PostgresMailbox<Body = unknown, Reply = unknown> implements Mailbox<Body, Reply> {
  readonly #settings: MailboxSettings<Body>
  readonly #pool: Pool

  /** Does not connect yet. */
  constructor({ pool, ...options }: PostgresMailboxOptions<Body>) {
    this.#settings = mailboxSettings(options)
    this.#pool = pool
  }

  get name(): string {
    return this.#settings.name
  }

  /** Creates the table of all mailboxes in the database if it is missing. Call it once before anything else. */
  async install(): Promise<void> {
    await this.#pool.query(INSTALL)
  }

  /** Rejects with `bad_options` when `replyTo` belongs to another backend. */
  async send(body: Body, { replyTo, inReplyTo }: SendOptions<Reply> = {}): Promise<string> {
    if (replyTo !== undefined && !(replyTo instanceof PostgresMailbox)) {
      const message = 'replyTo is not a PostgreSQL mailbox. Use one in the same database.'
      throw new GuardrailError('bad_options', message)
    }
    const id = randomUUID()
    const json = encodeBody(body)
    await this.#pool.query(SEND, [id, this.name, json, replyTo?.name ?? null, inReplyTo ?? null])
    return id
  }

  async receive(options: ReceiveOptions = {}): Promise<readonly Message<Body, Reply>[]> {
    const settings = receiveSettings(options, this.#settings.visibilitySeconds)
    if (settings.signal?.aborted === true) return []
    const messages = await this.#take(this.#pool, settings)
    if (messages.length > 0 || settings.waitSeconds === 0) return messages
    return this.#wait(settings)
  }

  async count(): Promise<number> {
    const { rows } = await this.#pool.query<{ count: number }>(COUNT, [this.name])
    return rows[0]?.count ?? 0
  }

  async purge(): Promise<number> {
    const { rowCount } = await this.#pool.query(PURGE, [this.name])
    return rowCount ?? 0
  }

  async deadLetters({ limit = 100 }: DeadLetterOptions = {}): Promise<readonly DeadLetter[]> {
    const { rows } = await this.#pool.query<DeadRow>(DEAD_LETTERS, [this.name, limit])
    return rows.map(({ id, json, error, delivery_count, dead_at }) => ({
      id,
      body: decodeLoosely(json),
      error,
      deliveryCount: delivery_count,
      deadAt: dead_at,
    }))
  }

  async redrive(id: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(REDRIVE, [this.name, id])
    return rowCount === 1
  }

  /** Listens only while it waits, so nothing is left to close. */
  async #wait(settings: ReceiveSettings): Promise<readonly Message<Body, Reply>[]> {
    const client = await this.#pool.connect()
    const wakeup = new Wakeup()
    const onNotification = ({ payload }: Notification) => {
      if (payload === this.name) wakeup.wake()
    }
    let lost: Error | undefined
    const onError = (error: Error) => {
      lost = error
      wakeup.wake()
    }
    client.on('notification', onNotification).on('error', onError)
    try {
      await client.query(`LISTEN ${CHANNEL}`)
      return await waitForMessages(
        {
          wakeup,
          now: this.#settings.now,
          take: () => this.#take(client, settings),
          pauseMs: () => this.#untilNext(client),
        },
        settings,
      )
    } catch (error) {
      lost ??= asError(error)
      throw lost
    } finally {
      // A connection that cannot be cleaned up is discarded; received messages are returned all the same.
      lost ??= await client.query(`UNLISTEN ${CHANNEL}`).then(() => undefined, asError)
      client.off('notification', onNotification).off('error', onError)
      client.release(lost)
    }
  }

  async #untilNext(client: PoolClient): Promise<number> {
    const { rows } = await client.query<{ ms: number | null }>(UNTIL_NEXT, [this.name])
    return Math.min(POLL_MS, Math.max(0, rows[0]?.ms ?? POLL_MS))
  }

  async #take(
    client: Pool | PoolClient,
    { max, visibilitySeconds }: ReceiveSettings,
  ): Promise<readonly Message<Body, Reply>[]> {
    const { now } = this.#settings
    const leaseUntil = now() + visibilitySeconds * 1000
    const { rows } = await client.query<TakenRow>(TAKE, [this.name, max, visibilitySeconds])
    const how = { pool: this.#pool, now, leaseUntil }
    const deliveries = rows.map((row) => new PostgresDelivery<Reply>(row, how))
    return withBodies<Body, Reply>(deliveries, this.#settings)
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

interface DeadRow {
  readonly id: string
  readonly json: string
  readonly error: string
  readonly delivery_count: number
  readonly dead_at: number
}
