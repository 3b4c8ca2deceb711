import type { JetStreamManager, StreamAPI } from '@nats-io/jetstream'
import * as z from 'zod/v4'
import { decodeLoosely } from './body.ts'
import type { DeadLetter } from './mailbox.ts'
import { isId, type Outbox, toDeadStream, toDeadSubject } from './nats-outbox.ts'

const LIST_MS = 10_000

const Buried = z.object({
  id: z.string(),
  text: z.string(),
  error: z.string(),
  delivery_count: z.number(),
  reply_to: z.string().nullable(),
  in_reply_to: z.string().nullable(),
})

export async function listBuried(
  manager: JetStreamManager,
  mailbox: string,
  limit: number,
): Promise<readonly DeadLetter[]> {
  const stream = toDeadStream(mailbox)
  const { messages } = (await manager.streams.info(stream)).state
  const wanted = Math.min(limit, messages)
  const letters: DeadLetter[] = []
  if (wanted === 0) return letters
  const consumer = await manager.jetstream().consumers.get(stream)
  for await (const message of await consumer.fetch({ max_messages: wanted, expires: LIST_MS })) {
    const { id, text, error, delivery_count: deliveryCount } = Buried.parse(message.json())
    const deadAt = message.time.getTime()
    letters.push({ id, body: decodeLoosely(text), error, deliveryCount, deadAt })
  }
  return letters
}

/** Posts the message before it deletes the dead letter: a crash in between leaves both, never none. */
export async function redriveBuried(
  {
    streams,
    outbox,
    mailbox,
  }: { readonly streams: StreamAPI; readonly outbox: Outbox; readonly mailbox: string },
  id: string,
): Promise<boolean> {
  if (!isId(id)) return false
  const stream = toDeadStream(mailbox)
  const stored = await streams.getMessage(stream, { last_by_subj: toDeadSubject(mailbox, id) })
  if (stored === null) return false
  const { text, reply_to: replyTo, in_reply_to: inReplyTo } = Buried.parse(stored.json())
  await outbox.post(mailbox, { id, text, replyTo, inReplyTo }, `${id}:${stored.seq}`)
  await streams.deleteMessage(stream, stored.seq)
  return true
}
