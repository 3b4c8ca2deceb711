// One contract suite verifies every implementation (specs/leases.md). At least once: only acknowledging or purging removes a message.

import type { OnDiagnostic } from '@signalbox/runtime/base'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { LeasedMessage } from '../lease/lease-extender.ts'

export interface Mailbox<Body = unknown, Reply = unknown> extends ReplyAddress<Body> {
  /**
   * Appends the body, as JSON. Resolves with the message's id when it is stored. Rejects with `body_invalid` when the body is not a JSON
   * value.
   */
  send(body: Body, options?: SendOptions<Reply>): Promise<string>
  /**
   * Leases up to `max` messages as soon as one is available, the longest waiting first. Empty: the wait is over or aborted. A body that
   * cannot be parsed becomes a dead letter and is never returned.
   */
  receive(options?: ReceiveOptions): Promise<readonly Message<Body, Reply>[]>
  /** Number of waiting, leased and delayed messages, without dead letters. */
  count(): Promise<number>
  /** Removes all messages except dead letters, leased ones too, and resolves with their number. */
  purge(): Promise<number>
  /** Oldest first. */
  deadLetters(options?: DeadLetterOptions): Promise<readonly DeadLetter[]>
  /** Appends a dead letter to the queue with a delivery count of zero; false: no dead letter has this id. */
  redrive(id: string): Promise<boolean>
}

export interface ReplyAddress<Body> {
  /** Up to 64 letters, digits, `_` and `-`. Mailboxes with the same name and backend are the same mailbox. */
  readonly name: string
  send(body: Body, options?: { readonly inReplyTo?: string }): Promise<string>
}

export interface SendOptions<Reply> {
  /** Destination of `message.reply`: a mailbox of the same backend. Absent: the message cannot be replied to. */
  readonly replyTo?: ReplyAddress<Reply>
  readonly inReplyTo?: string
}

export interface ReceiveOptions {
  /** Default 1. */
  readonly max?: number
  /** Duration of the lease, in seconds. Default: the mailbox's `visibilitySeconds`. */
  readonly visibilitySeconds?: number
  /** Time to wait for a first message, in seconds. Default 0. */
  readonly waitSeconds?: number
  /** Ends the wait; a message that is already leased is still returned. */
  readonly signal?: AbortSignal
}

/**
 * Each operation requires the lease. When it has ended, or the message is settled, the operation rejects with ReceiptHandleExpiredError.
 */
export interface Message<Body = unknown, Reply = unknown> extends LeasedMessage {
  readonly id: string
  readonly body: Body
  /** Includes this delivery: 1 for the first. */
  readonly deliveryCount: number
  /** Epoch milliseconds on the mailbox's clock; never later than the true end of the lease. */
  readonly leaseUntil: number
  /** Id of the message that this one answers; null: none. */
  readonly inReplyTo: string | null
  readonly canReply: boolean
  acknowledge(): Promise<void>
  /** Returns the message: it can be received again after `delaySeconds`. Default 0. */
  nack(delaySeconds?: number): Promise<void>
  /** Makes the lease end at least `seconds` from now, and never earlier than before. */
  extendVisibility(seconds: number): Promise<void>
  /** Resolves with the id of the reply. Rejects with `no_reply_address` when the message has no reply address. */
  reply(value: Reply): Promise<string>
  /** Moves the message to the dead letters, with this error, until it is redriven. */
  deadLetter(error: string): Promise<void>
}

export interface DeadLetterOptions {
  /** Default 100. */
  readonly limit?: number
}

export interface DeadLetter {
  readonly id: string
  /** The stored JSON value, not validated; the text itself if it was not JSON. */
  readonly body: unknown
  readonly error: string
  readonly deliveryCount: number
  /** Epoch milliseconds, on the backend's clock. */
  readonly deadAt: number
}

export interface MailboxOptions<Body> {
  readonly name: string
  /** Length of a lease for which `receive` gives no other, in seconds. Default 1800. */
  readonly visibilitySeconds?: number
  /** Validates received bodies. Absent: the type argument is trusted. */
  readonly schema?: StandardSchemaV1<unknown, Body>
  /** Epoch milliseconds; absent: the system's clock. */
  readonly now?: () => number
  readonly report?: OnDiagnostic
}
