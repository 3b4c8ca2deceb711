// Stores the batch of POST /api/runtime/v1/events: NDJSON, optionally gzip. The answer names what is stored, what is missing and which
// lines are bad. The sender deletes what is acknowledged and resends the rest (specs/data-plane.md).
import { isGzipBatch, type LineRefusal } from '@signalbox/wire'
import { readIncoming } from '@/server/ingest/incoming.ts'
import { type IngestResult, ingest } from '@/server/ingest/ingest.ts'
import { admit } from '@/server/ingest/turns.ts'
import type { KeyScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/errors.ts'
import { readBody, readLines } from './batch-lines.ts'
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

/** `refused`: lines that could not be parsed. */
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

/** Only the events are returned, so that the texts of their lines can be freed while they are stored. */
async function readEvents(body: readonly Buffer[], gzip: boolean) {
  const batch = await readLines(body, gzip)
  if (!batch.ok) throw new Problem(REFUSAL[batch.reason])
  return { incoming: readIncoming(batch.lines), refused: batch.errors }
}

/**
 * Resolves with the answer (`EventsResponse` of wire). Rejects with a problem when the batch is refused, with a time to wait if the key has
 * used its share.
 */
export async function storeEvents(scope: KeyScope<'ingest'>, request: Request): Promise<object> {
  const gzip = isGzipBatch(request.headers.get('content-encoding'))
  if (gzip === null) {
    throw new Problem({
      status: 415,
      title: 'Unsupported encoding',
      detail: 'Send the batch as gzip or without content-encoding.',
    })
  }
  const sender = { projectId: scope.projectId, callerId: scope.keyId }
  const read = async (keep: (chunkBytes: number) => void) => {
    const body = await readBody(request, gzip, keep)
    if (typeof body === 'string') throw new Problem(REFUSAL[body])
    return body
  }
  const store = async (body: readonly Buffer[], endTurn: () => void) => {
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
