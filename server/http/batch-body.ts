import { MAX_BATCH_BYTES, MAX_COMPRESSED_BYTES } from '@signalbox/wire'
import { limitBytes, SMALL_BYTES, TooLarge } from '@/server/ingest/batch-lines.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { timedBytes, timedChunks } from './timed-body.ts'

/** Only compressed bytes wait for their turn. Rejects with `timeout` when the body stalls, and with the error of `keep`. */
export async function readBody(
  request: Request,
  isGzip: boolean,
  keep: (chunkBytes: number) => void,
): Promise<readonly Buffer[] | 'too_large' | 'interrupted'> {
  const chunks: Buffer[] = []
  const stated = Number(request.headers.get('content-length') ?? Number.NaN)
  try {
    if (stated <= SMALL_BYTES) {
      keep(stated)
      // Node cuts off a body at its declared length.
      return [await timedBytes(request)]
    }
    const maxBytes = isGzip ? MAX_COMPRESSED_BYTES : MAX_BATCH_BYTES
    for await (const chunk of limitBytes(timedChunks(request), maxBytes)) {
      keep(chunk.byteLength)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error
    return error instanceof TooLarge ? 'too_large' : 'interrupted'
  }
  return chunks
}
