// Dead letters are in a second stream with one subject each, so that a message dead-lettered twice is kept once (specs/leases.md).
import type { JetStreamClient } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import { encodeBody } from './body.ts'

export const HEADERS = {
  id: 'Signalbox-Id',
  replyTo: 'Signalbox-Reply-To',
  inReplyTo: 'Signalbox-In-Reply-To',
} as const

export const toStream = (mailbox: string) => `signalbox_mailbox_${mailbox}`
export const toSubject = (mailbox: string) => `signalbox.mailbox.${mailbox}`
export const toDeadStream = (mailbox: string) => `signalbox_dead_${mailbox}`
export const toDeadSubject = (mailbox: string, id: string) => `signalbox.dead.${mailbox}.${id}`

export const isId = (text: string) => /^[A-Za-z0-9_-]{1,64}$/.test(text)

export interface Buried {
  readonly id: string
  readonly text: string
  readonly error: string
  readonly delivery_count: number
  readonly reply_to: string | null
  readonly in_reply_to: string | null
}

export interface Outgoing {
  readonly id: string
  readonly text: string
  readonly replyTo: string | null
  readonly inReplyTo: string | null
}

export class Outbox {
  readonly #jetstream: JetStreamClient
  readonly #mailbox: string

  constructor(jetstream: JetStreamClient, mailbox: string) {
    this.#jetstream = jetstream
    this.#mailbox = mailbox
  }

  /** Resolves when the stream of mailbox `to` has stored the message. Within its window, the server drops a message with a known `once`. */
  async post(to: string, message: Outgoing, once: string): Promise<void> {
    const fields = headers()
    fields.set(HEADERS.id, message.id)
    if (message.replyTo !== null) fields.set(HEADERS.replyTo, message.replyTo)
    if (message.inReplyTo !== null) fields.set(HEADERS.inReplyTo, message.inReplyTo)
    const { text } = message
    await this.#jetstream.publish(toSubject(to), text, { headers: fields, msgID: once })
  }

  async bury(dead: Buried): Promise<void> {
    await this.#jetstream.publish(toDeadSubject(this.#mailbox, dead.id), encodeBody(dead))
  }
}
