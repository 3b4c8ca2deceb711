// A batch is numbered and stored as begun before it is sent, so that whatever happens it is sent again with the same records and numbers.
import { webhookSecret } from '@/server/alerts/message.ts'
import { postSigned } from '@/server/alerts/outbound.ts'
import type { RowInProject } from '@/server/platform/auth/scope.ts'
import { systemProject } from '@/server/platform/auth/system.ts'
import { env } from '@/server/platform/base/env.ts'
import { inTransaction, type Tx } from '@/server/platform/db/transaction.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { enqueue } from '@/server/platform/queue/enqueue.ts'
import { readRecords, type StreamRecord } from './stream-records.sql.ts'
import {
  acceptBatch,
  claimBatch,
  listDueStreams,
  noteFailure,
  type StreamBatch,
} from './webhook-streams.sql.ts'

const MOST_RECORDS = 100
/** With pauses of e^n seconds, the last attempt is about half an hour after the first. */
const MOST_ATTEMPTS = 8
/** A stream that had something to send is looked at again after so long, others once a minute. */
const SOON_MS = 5_000
const LONGEST_WHY = 500

/** Jobs of one stream run one after another, on whichever replica. */
export async function requestDelivery(
  tx: Tx,
  { id: streamId, projectId }: RowInProject,
  runAt?: number,
): Promise<void> {
  const name = `webhook stream ${streamId}`
  await enqueue(tx, {
    task: 'streams.deliver',
    payload: { projectId, streamId },
    key: name,
    queue: name,
    ...(runAt === undefined ? {} : { runAt }),
  })
}

/** Requests the delivery of every stream that is neither put aside nor waiting for its next attempt. */
export async function requestDeliveries(now: number): Promise<void> {
  const due = await listDueStreams(now)
  if (due.length === 0) return
  await inTransaction(async (tx) => {
    for (const { id, projectId } of due) {
      await requestDelivery(tx, { id, projectId: systemProject(projectId) })
    }
  })
}

/** Sends one batch. Rejects only when the database fails. */
export async function deliverStream(where: RowInProject): Promise<void> {
  const limit = MOST_RECORDS
  const batch = await inTransaction((tx) => claimBatch(tx, where, { now: Date.now(), limit }))
  if (batch === null) return
  const records = await readRecords(batch)
  const why = records.length === 0 ? null : await sendBatch(batch, records)
  const now = Date.now()
  await inTransaction(async (tx) => {
    if (why === null) await continueStream(tx, batch, now)
    else await retryLater(tx, batch, { why, now })
    await notify(tx, { project: batch.projectId, kind: 'stream', id: batch.id })
  })
}

async function continueStream(tx: Tx, batch: StreamBatch, now: number): Promise<void> {
  if (!(await acceptBatch(tx, batch, now))) return
  const isFull = batch.claimedNumber - batch.number >= MOST_RECORDS
  await requestDelivery(tx, batch, isFull ? undefined : now + SOON_MS)
}

async function retryLater(
  tx: Tx,
  batch: StreamBatch,
  { why, now }: { readonly why: string; readonly now: number },
): Promise<void> {
  const attempt = batch.attempts + 1
  const nextAt = attempt >= MOST_ATTEMPTS ? null : now + Math.exp(attempt) * 1000
  const isNoted = await noteFailure(tx, batch, { why, now, nextAt })
  if (isNoted && nextAt !== null) await requestDelivery(tx, batch, nextAt)
}

function sendBatch(batch: StreamBatch, records: readonly StreamRecord[]): Promise<string | null> {
  const { id, number, claimedNumber, claimedAt } = batch
  const first = number + 1
  return sendTo(batch, `${id}_${first}`, {
    type: 'records',
    timestamp: claimedAt.toISOString(),
    data: { stream: id, project: batch.projectId, first, last: claimedNumber, records },
  })
}

/** Returns the reason for which the message did not arrive; null: it arrived. */
export async function sendTo(
  { id: streamId, url }: { readonly id: string; readonly url: string },
  messageId: string,
  message: object,
): Promise<string | null> {
  const { SIGNALBOX_AUTH_SECRET: secret, SIGNALBOX_WEBHOOK_HOSTS: allowed } = env()
  try {
    const status = await postSigned({
      url,
      id: messageId,
      secret: webhookSecret(secret, streamId),
      body: JSON.stringify(message),
      allowed,
    })
    return status >= 200 && status < 300 ? null : `answered ${status}`
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_WHY)
  }
}
