// POST /api/runtime/v1/events. The sender deletes what is acknowledged and resends the rest (specs/data-plane.md).
import { type BatchLine, isGzipBatch, type LineRefusal } from '@signalbox/wire'
import { type EventLog, eventLog } from '@/server/event-log/event-log.ts'
import { holdEvents } from '@/server/event-log/hold-events.ts'
import { readIncoming } from '@/server/ingest/batch/incoming.ts'
import { readLines } from '@/server/ingest/batch-lines.ts'
import { type IngestResult, ingest } from '@/server/ingest/ingest.ts'
import { admit, refuseWhileDatabaseLags } from '@/server/ingest/turns.ts'
import type { KeyScope } from '@/server/platform/auth/scope.ts'
import { isDatabaseAway, ServiceError } from '@/server/platform/base/errors.ts'
import { readBody } from './batch-body.ts'
import { Problem } from './problem.ts'

const REFUSAL = {
  too_large: {
    status: 413,
    title: 'Too large',
    detail: 'A batch may be up to 8 MiB compressed and 64 MiB inflated. Send smaller batches.',
  },
  bad_gzip: { status: 400, title: 'Invalid request', detail: 'The body is not valid gzip.' },
  interrupted: { status: 400, title: 'Invalid request', detail: 'The body ended too early.' },
} as const

export function toBatchAnswer(refused: readonly LineRefusal[], result: IngestResult): object {
  return {
    acked_through: result.ackedThrough,
    gaps: result.gaps,
    errors: [...refused, ...result.problems].sort((a, b) => a.line - b.line),
    stored: result.stored,
    duplicates: result.duplicates,
  }
}

/** Largest batch that may wait with its events read, in UTF-16 units: what a live agent reports, not a backlog. */
const SMALL_BATCH = 128 * 1024

async function readBatch(body: readonly Buffer[], gzip: boolean) {
  const batch = await readLines(body, gzip)
  if (!batch.ok) throw new Problem(REFUSAL[batch.reason])
  return batch
}

/** Only the events are returned, so that the texts of their lines can be freed while they are stored. */
async function readEvents(body: readonly Buffer[], gzip: boolean) {
  const { lines, errors } = await readBatch(body, gzip)
  return { incoming: readIncoming(lines), refused: errors }
}

/** A reviewer waits for these, so they do not wait behind the batches of the log. */
const isUrgent = ({ text }: BatchLine): boolean => text.includes('"approval.requested"')

/** Acknowledges like a relay (specs/relay.md). A request for approval is stored directly, while the database answers. */
async function relayEvents(
  log: EventLog,
  scope: KeyScope<'ingest'>,
  { body, gzip, endTurn }: { body: readonly Buffer[]; gzip: boolean; endTurn: () => void },
): Promise<object> {
  const { lines, errors } = await readBatch(body, gzip)
  endTurn()
  if (lines.some(isUrgent)) {
    try {
      // Events that are missing before these may be in the log.
      const result = { ...(await ingest(scope, readIncoming(lines))), gaps: [] }
      return { ...toBatchAnswer(errors, result), relayed: true }
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
    }
  }
  const held =
    lines.length === 0 ? 'held' : await holdEvents(log, { scope, lines, body, isGzip: gzip })
  if (held === 'full') throw new Problem(FULL)
  if (held === 'away') throw new Problem(AWAY)
  const stored = lines.length
  return { acked_through: {}, gaps: [], errors, stored, duplicates: 0, relayed: true }
}

const FULL = {
  status: 429,
  title: 'Too many requests',
  detail: 'The event log is full or far behind. Send the same batch again later.',
  headers: { 'retry-after': '10' },
}
const AWAY = {
  status: 503,
  title: 'Unavailable',
  detail: 'The event log does not answer. Send the same batch again.',
  headers: { 'retry-after': '1' },
}

/** Rejects with a problem when the batch is refused, with a time to wait if the key has used its share. */
export async function storeEvents(scope: KeyScope<'ingest'>, request: Request): Promise<object> {
  const gzip = isGzipBatch(request.headers.get('content-encoding'))
  if (gzip === null) {
    throw new Problem({
      status: 415,
      title: 'Unsupported encoding',
      detail: 'Send the batch as gzip or without content-encoding.',
    })
  }
  const log = eventLog()
  const sender = { projectId: scope.projectId, callerId: scope.keyId }
  const read = async (keep: (chunkBytes: number) => void) => {
    const body = await readBody(request, gzip, keep)
    if (typeof body === 'string') throw new Problem(REFUSAL[body])
    if (log === null) refuseWhileDatabaseLags()
    return body
  }
  const store = async (body: readonly Buffer[], endTurn: () => void) => {
    if (log !== null) return await relayEvents(log, scope, { body, gzip, endTurn })
    const { incoming, refused } = await readEvents(body, gzip)
    if (incoming.size <= SMALL_BATCH) endTurn()
    return toBatchAnswer(refused, await ingest(scope, incoming))
  }
  try {
    return await admit(sender, read, store)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'limit') throw error
    const headers = { 'retry-after': '1' }
    throw new Problem({ status: 429, title: 'Too many requests', detail: error.message, headers })
  }
}
