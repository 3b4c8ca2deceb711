// A queue of messages with leases (specs/leases.md): the interface of every implementation, proven by one contract suite. At least once: a
// message disappears only when it is acknowledged or purged; never because a worker or a connection was lost.

import type { OnDiagnostic } from '@signalbox/runtime/base'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { LeasedMessage } from '../lease/lease-extender.ts'

export interface Mailbox<Body = unknown, Reply = unknown> extends ReplyAddress<Body> {
  /**
   * Puts the body, as JSON, at the end. Resolves with the id of the message when it is stored. Rejects with `body_invalid`
   * when the body is no JSON value.
   */
  send(body: Body, options?: SendOptions<Reply>): Promise<string>
  /**
   * Leases up to `max` messages, the longest waiting first, as soon as there is one; an empty list when the wait is over or aborted. A body
   * that cannot be parsed becomes a dead letter and is never returned.
   */
  receive(options?: ReceiveOptions): Promise<readonly Message<Body, Reply>[]>
  /** Messages that wait, are leased or are delayed; dead letters are not among them. */
  count(): Promise<number>
  /** Removes what `count` counts, leased messages too, and resolves with their number. Dead letters stay. */
  purge(): Promise<number>
  /** Oldest first. */
  deadLetters(options?: DeadLetterOptions): Promise<readonly DeadLetter[]>
  /** Puts a dead letter back at the end of the queue, with a delivery count of zero; false: there is none with this id. */
  redrive(id: string): Promise<boolean>
}

export interface ReplyAddress<Body> {
  /** Letters, digits, `_` and `-`, up to 64. Mailboxes of one backend with the same name are the same mailbox. */
  readonly name: string
  send(body: Body, options?: { readonly inReplyTo?: string }): Promise<string>
}

export interface SendOptions<Reply> {
  /** Destination of `message.reply`; a mailbox of the same backend. Absent: the message cannot be replied to. */
  readonly replyTo?: ReplyAddress<Reply>
  /** Id of the message that this one answers. */
  readonly inReplyTo?: string
}

export interface ReceiveOptions {
  /** Default 1. */
  readonly max?: number
  /** Duration of the lease, in seconds. Default: the mailbox's own. */
  readonly visibilitySeconds?: number
  /** Time to wait for a first message, in seconds. Default 0. */
  readonly waitSeconds?: number
  /** Ends the wait; a message that was leased already is still returned. */
  readonly signal?: AbortSignal
}

/** Each operation needs the lease: when it has ended, or the message is settled, it rejects with ReceiptHandleExpiredError. */
export interface Message<Body = unknown, Reply = unknown> extends LeasedMessage {
  readonly id: string
  readonly body: Body
  /** Includes this delivery: 1 for the first. */
  readonly deliveryCount: number
  /** Epoch milliseconds on the mailbox's clock; never later than the true end of the lease. */
  readonly leaseUntil: number
  /** Id of the message that this one answers; null: it answers none. */
  readonly inReplyTo: string | null
  readonly canReply: boolean
  /** Removes the message. */
  acknowledge(): Promise<void>
  /** Gives the message back: it can be received again after `delaySeconds`, default 0. */
  nack(delaySeconds?: number): Promise<void>
  /** The lease then ends `seconds` from now or later; never earlier than before. */
  extendVisibility(seconds: number): Promise<void>
  /** Resolves with the id of the reply. Rejects with `no_reply_address` when the sender named none. */
  reply(value: Reply): Promise<string>
  /** Removes the message from the queue and keeps it with this error until it is redriven. */
  deadLetter(error: string): Promise<void>
}

export interface DeadLetterOptions {
  /** Default 100. */
  readonly limit?: number
}

/** A message that is no longer retried. Nothing of it is lost. */
export interface DeadLetter {
  readonly id: string
  /** The stored JSON value, unchecked; a string when it was no JSON. */
  readonly body: unknown
  readonly error: string
  readonly deliveryCount: number
  /** Epoch milliseconds, on the backend's clock. */
  readonly deadAt: number
}

export interface MailboxOptions<Body> {
  readonly name: string
  /** Default length of a lease, in seconds. Default 1800. */
  readonly visibilitySeconds?: number
  /** Validates received bodies. Absent: the type argument is trusted. */
  readonly schema?: StandardSchemaV1<unknown, Body>
  /** Epoch milliseconds; absent: the system's clock. */
  readonly now?: () => number
  readonly report?: OnDiagnostic
}
