// The database checks the lease in the statement that acts.
import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { ReceiptHandleExpiredError } from '../lease/receipt-handle-expired-error.ts'
import { type Delivery, encodeBody } from './body.ts'
import { moreThanZero, zeroOrMore } from './mailbox-settings.ts'
import { noReplyAddress } from './no-reply-address.ts'
import { ACKNOWLEDGE, DEAD_LETTER, EXTEND, NACK, REPLY } from './postgres-statements.ts'

export interface TakenRow {
  readonly id: string
  readonly json: string
  readonly reply_to: string | null
  readonly in_reply_to: string | null
  readonly receipt: string
  readonly delivery_count: number
}

export interface TakenWith {
  readonly pool: Pool
  readonly now: () => number
  /** Counts from before the request for the message, so it is never later than the database's. */
  readonly leaseUntil: number
}

export class PostgresDelivery<Reply> implements Delivery<Reply> {
  readonly id: string
  readonly json: string
  readonly deliveryCount: number
  readonly inReplyTo: string | null
  readonly canReply: boolean
  readonly #receipt: string
  readonly #pool: Pool
  readonly #now: () => number
  #leaseUntil: number

  constructor(row: TakenRow, { pool, now, leaseUntil }: TakenWith) {
    this.id = row.id
    this.json = row.json
    this.deliveryCount = row.delivery_count
    this.inReplyTo = row.in_reply_to
    this.canReply = row.reply_to !== null
    this.#receipt = row.receipt
    this.#pool = pool
    this.#now = now
    this.#leaseUntil = leaseUntil
  }

  get leaseUntil(): number {
    return this.#leaseUntil
  }

  async acknowledge(): Promise<void> {
    await this.#whileHeld(ACKNOWLEDGE, [])
  }

  async nack(delaySeconds = 0): Promise<void> {
    await this.#whileHeld(NACK, [zeroOrMore(delaySeconds, 'delaySeconds')])
  }

  async extendVisibility(seconds: number): Promise<void> {
    const until = this.#now() + moreThanZero(seconds, 'seconds') * 1000
    await this.#whileHeld(EXTEND, [seconds])
    this.#leaseUntil = Math.max(this.#leaseUntil, until)
  }

  async reply(value: Reply): Promise<string> {
    if (!this.canReply) throw noReplyAddress(this.id)
    const id = randomUUID()
    await this.#whileHeld(REPLY, [id, encodeBody(value)])
    return id
  }

  async deadLetter(error: string): Promise<void> {
    // PostgreSQL's text cannot store the NUL character.
    await this.#whileHeld(DEAD_LETTER, [error.replaceAll('\u0000', '\ufffd')])
  }

  async #whileHeld(statement: string, values: readonly (string | number)[]): Promise<void> {
    const { rowCount } = await this.#pool.query(statement, [this.id, this.#receipt, ...values])
    if (rowCount !== 1) throw new ReceiptHandleExpiredError(this.id)
  }
}
