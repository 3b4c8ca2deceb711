// POST /api/runtime/v1/events: NDJSON, optionally gzip. The answer says what is stored, what is missing and which lines
// are bad; the sender deletes what is acknowledged and resends the rest (specs/data-plane.md).
import { isGzipBatch, type LineRefusal } from '@signalbox/wire'
import { ingestLines } from '@/server/ingest/ingest.ts'
import { inTurn, keepingBytes } from '@/server/ingest/turns.ts'
import type { KeyScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/errors.ts'
import { readBody, readLines } from './batch-lines.ts'
import { errorResponse, jsonResponse, problemResponse } from './problem.ts'

const REFUSAL = {
  too_large: {
    status: 413,
    title: 'Too large',
    detail: 'A batch may have 8 MiB compressed and 64 MiB inflated. Send smaller ones.',
  },
  bad_gzip: { status: 400, title: 'Invalid request', detail: 'The body is not valid gzip.' },
  interrupted: { status: 400, title: 'Invalid request', detail: 'The body ended too early.' },
} as const

async function ingest(scope: KeyScope, request: Request): Promise<Response> {
  const gzip = isGzipBatch(request.headers.get('content-encoding'))
  if (gzip === null) {
    return problemResponse({
      status: 415,
      title: 'Unsupported encoding',
      detail: 'Send the batch as gzip or without content-encoding.',
    })
  }
  const sender = { projectId: scope.projectId, callerId: scope.keyId }
  return await keepingBytes(sender, async (keep) => {
    const body = await readBody(request, gzip, keep)
    if (typeof body === 'string') return problemResponse(REFUSAL[body])
    return await inTurn(sender, () => store(scope, body, gzip))
  })
}

async function store(scope: KeyScope, body: readonly Buffer[], gzip: boolean): Promise<Response> {
  const batch = await readLines(body, gzip)
  if (!batch.ok) return problemResponse(REFUSAL[batch.reason])
  // Taken apart, so that the texts are free while the batch is stored.
  const { lines, errors: refused } = batch
  const result = await ingestLines(scope, lines)
  const errors: LineRefusal[] = [...refused, ...result.problems]
  errors.sort((a, b) => a.line - b.line)
  return jsonResponse({
    acked_through: result.ackedThrough,
    gaps: result.gaps,
    errors,
    stored: result.stored,
    duplicates: result.duplicates,
  })
}

export async function storeEvents(scope: KeyScope<'ingest'>, request: Request): Promise<Response> {
  try {
    return await ingest(scope, request)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'limit') throw error
    const refused = errorResponse(error)
    refused.headers.set('retry-after', '1')
    return refused
  }
}
