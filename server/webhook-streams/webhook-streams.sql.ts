import 'server-only'
import type { InProject, RowInProject } from '@/server/platform/auth/scope.ts'
import { lockByName, reader, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import type { WebhookStreamInput } from './stream-input.ts'

export interface WebhookStreamRow extends WebhookStreamInput {
  readonly id: string
  /** Number of the newest record that the receiver accepted; 0: none. */
  readonly number: number
  /** Decisions that retention removed before they had a number; as many numbers will be missing. */
  readonly skipped: number
  /** Failed attempts to send the next batch. */
  readonly attempts: number
  /** Epoch ms; null: none is planned. */
  readonly nextAt: number | null
  /** Result of the newest attempt; null: there was none. */
  readonly last: string | null
  readonly deliveredAt: number | null
  /** Epoch ms at which the server gave up, until someone resumes it; null: it is sent. */
  readonly asideAt: number | null
}

const SHOWN = {
  id: true,
  name: true,
  url: true,
  audit: true,
  decisions: true,
  environment: true,
  number: true,
  skipped: true,
  attempts: true,
  nextAt: true,
  last: true,
  deliveredAt: true,
  asideAt: true,
} as const

const millis = (date: Date | null): number | null => date?.getTime() ?? null

interface StoredStream extends WebhookStreamInput {
  readonly id: string
  readonly number: bigint
  readonly skipped: bigint
  readonly attempts: number
  readonly nextAt: Date | null
  readonly last: string | null
  readonly deliveredAt: Date | null
  readonly asideAt: Date | null
}

function toStream({ number, skipped, nextAt, deliveredAt, asideAt, ...row }: StoredStream) {
  return {
    ...row,
    number: Number(number),
    skipped: Number(skipped),
    nextAt: millis(nextAt),
    deliveredAt: millis(deliveredAt),
    asideAt: millis(asideAt),
  }
}

/** By name. */
export async function listStreams(
  projectId: AuthorizedProjectId,
): Promise<readonly WebhookStreamRow[]> {
  const rows = await reader().webhookStream.findMany({
    where: { projectId },
    select: SHOWN,
    orderBy: { name: 'asc' },
  })
  return rows.map(toStream)
}

/** Waits until no other transaction changes the project's streams. */
export async function lockStreams(
  tx: Tx,
  projectId: AuthorizedProjectId,
): Promise<readonly WebhookStreamRow[]> {
  await lockByName(tx, `webhook-streams:${projectId}`)
  await tx.$queryRaw`SELECT 1 FROM webhook_streams WHERE project_id = ${projectId} ORDER BY id FOR NO KEY UPDATE`
  const rows = await tx.webhookStream.findMany({ where: { projectId }, select: SHOWN })
  return rows.map(toStream)
}

/** Position of the newest entry of the audit log; 0: it is empty. */
export async function readAuditHead(tx: Tx, projectId: AuthorizedProjectId): Promise<number> {
  const chain = await tx.auditChain.findUnique({ where: { projectId } })
  return chain?.headPosition ?? 0
}

export async function insertStream(
  tx: Tx,
  stream: WebhookStreamInput & InProject & { readonly id: string; readonly auditPosition: number },
  createdBy: string,
): Promise<void> {
  const { auditPosition } = stream
  await tx.webhookStream.create({
    data: { ...stream, claimedAuditPosition: auditPosition, createdBy },
  })
}

interface StreamChange extends Partial<WebhookStreamInput> {
  readonly attempts?: 0
  readonly nextAt?: null
  readonly asideAt?: null
  /** Entries of the audit log up to this position are not sent. */
  readonly auditPosition?: number
}

export async function changeStream(tx: Tx, where: RowInProject, change: StreamChange) {
  const { auditPosition } = change
  await tx.webhookStream.updateMany({
    where,
    data: {
      ...change,
      ...(auditPosition === undefined ? {} : { claimedAuditPosition: auditPosition }),
    },
  })
}

/** Drops the decisions that were not accepted. Those of a batch under way leave a gap in its numbers. */
export async function dropItems(tx: Tx, { id, projectId }: RowInProject): Promise<void> {
  await tx.webhookStreamItem.deleteMany({ where: { streamId: id, projectId } })
}

/**
 * Drops the decisions that are in no batch and are stored no longer, so that a stream that is put aside
 * keeps no more of them than the project does. Returns how many.
 */
export async function dropRemovedItems(tx: Tx, { id, projectId }: RowInProject): Promise<number> {
  const dropped = await tx.$executeRaw`
    DELETE FROM webhook_stream_items i WHERE i.stream_id = ${id} AND i.number IS NULL
      AND NOT EXISTS (SELECT 1 FROM denials d WHERE d.id = i.record_id AND d.project_id = ${projectId})
      AND NOT EXISTS (SELECT 1 FROM stops s WHERE s.id = i.record_id AND s.project_id = ${projectId})`
  if (dropped > 0) {
    await tx.webhookStream.updateMany({
      where: { id, projectId },
      data: { skipped: { increment: dropped } },
    })
  }
  return dropped
}

/** Deletes the stream with what it has yet to deliver. */
export async function deleteStream(tx: Tx, where: RowInProject): Promise<void> {
  await tx.webhookStream.deleteMany({ where })
}

/** Streams of every project that may have something to send. */
export async function listDueStreams(
  now: number,
): Promise<readonly { readonly id: string; readonly projectId: string }[]> {
  return await reader().webhookStream.findMany({
    where: { asideAt: null, OR: [{ nextAt: null }, { nextAt: { lte: new Date(now) } }] },
    select: { id: true, projectId: true },
  })
}

/** Records of a stream that are sent together. They are the same in every attempt, except for sources that were removed. */
export interface StreamBatch extends WebhookStreamInput, RowInProject {
  /** Numbers of the last record before the batch, and of its last one. */
  readonly number: number
  readonly claimedNumber: number
  readonly auditPosition: number
  readonly claimedAuditPosition: number
  readonly claimedAt: Date
  readonly attempts: number
}

/** Locks the stream. Null: it is gone, put aside, or to be tried later. */
async function lockStream(tx: Tx, where: RowInProject, now: number) {
  const { id, projectId } = where
  await tx.$queryRaw`SELECT 1 FROM webhook_streams WHERE id = ${id} AND project_id = ${projectId} FOR NO KEY UPDATE`
  const row = await tx.webhookStream.findFirst({ where })
  if (row === null || row.asideAt !== null) return null
  if (row.nextAt !== null && row.nextAt.getTime() > now) return null
  const { auditPosition: from } = row
  const head = row.audit ? await tx.auditChain.findUnique({ where: { projectId } }) : null
  return {
    ...row,
    projectId,
    number: Number(row.number),
    claimedNumber: Number(row.claimedNumber),
    skipped: Number(row.skipped),
    /** Entries of the audit log that were not sent. */
    waiting: (head?.headPosition ?? from) - from,
  }
}

/** Numbers the oldest decisions that are in no batch yet. Returns how many. */
async function numberItems(
  tx: Tx,
  { id, after, limit }: { readonly id: string; readonly after: number; readonly limit: number },
): Promise<number> {
  return await tx.$executeRaw`
    WITH next AS (
      SELECT record_id, row_number() OVER (ORDER BY arrived_at, record_id) AS place FROM (
        SELECT record_id, arrived_at FROM webhook_stream_items WHERE stream_id = ${id} AND number IS NULL
        ORDER BY arrived_at, record_id LIMIT ${limit}
      ) oldest
    )
    UPDATE webhook_stream_items i SET number = ${after}::bigint + next.place FROM next
    WHERE i.stream_id = ${id} AND i.record_id = next.record_id`
}

/** The batch that was begun, or else the next one. Null: nothing is to be sent now. */
export async function claimBatch(
  tx: Tx,
  where: RowInProject,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<StreamBatch | null> {
  const stream = await lockStream(tx, where, now)
  if (stream === null) return null
  const { id, number, skipped, auditPosition, claimedAt } = stream
  if (stream.claimedNumber > number && claimedAt !== null) return { ...stream, claimedAt }
  const entries = Math.min(stream.waiting, limit)
  const after = number + entries + skipped
  const items = await numberItems(tx, { id, after, limit: limit - entries })
  if (entries + items === 0) return null
  const claimed = {
    claimedNumber: items === 0 ? number + entries : after + items,
    skipped: items === 0 ? skipped : 0,
    claimedAuditPosition: auditPosition + entries,
    claimedAt: new Date(now),
  }
  await tx.webhookStream.updateMany({ where, data: claimed })
  return { ...stream, ...claimed }
}

/** False: someone removed the stream. The row has the position, because the audit log may have been added meanwhile. */
export async function acceptBatch(
  tx: Tx,
  { id, projectId, claimedNumber }: StreamBatch,
  now: number,
): Promise<boolean> {
  const count = await tx.$executeRaw`
    UPDATE webhook_streams SET number = claimed_number, audit_position = claimed_audit_position, attempts = 0,
      next_at = NULL, last = 'delivered', delivered_at = ${new Date(now)}
    WHERE id = ${id} AND project_id = ${projectId} AND claimed_number = ${claimedNumber}`
  await tx.webhookStreamItem.deleteMany({
    where: { streamId: id, projectId, number: { lte: claimedNumber } },
  })
  return count === 1
}

/** `nextAt`: epoch ms of the next attempt; null: the stream is put aside. */
export async function noteFailure(
  tx: Tx,
  { id, projectId, claimedNumber }: StreamBatch,
  {
    why,
    now,
    nextAt,
  }: { readonly why: string; readonly now: number; readonly nextAt: number | null },
): Promise<boolean> {
  const { count } = await tx.webhookStream.updateMany({
    where: { id, projectId, claimedNumber },
    data: {
      attempts: { increment: 1 },
      last: why,
      nextAt: nextAt === null ? null : new Date(nextAt),
      asideAt: nextAt === null ? new Date(now) : null,
    },
  })
  return count === 1
}
