// Limits apply to the decompressed bytes and to each line, so neither a gzip bomb nor a 10 MB line is ever in memory.
import { createGunzip, type Gunzip, gunzipSync } from 'node:zlib'
import { type BatchLine, BatchLines, type LineRefusal, MAX_BATCH_BYTES } from '@signalbox/wire'

export type BatchBody =
  | {
      readonly ok: true
      readonly lines: readonly BatchLine[]
      readonly errors: readonly LineRefusal[]
    }
  | { readonly ok: false; readonly reason: 'too_large' | 'bad_gzip' }

export class TooLarge extends Error {}

/** Rejects with `TooLarge` at the first byte beyond `maxBytes`. */
export async function* limitBytes(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of source) {
    size += chunk.byteLength
    if (size > maxBytes) throw new TooLarge()
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  }
}

/** Resolves when the stream takes more, or will never again. */
function roomIn(stream: Gunzip): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done)
      resolve()
    }
    stream.once('drain', done).once('close', done)
  })
}

async function* inflated(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // Node's default of 16 KiB needs thousands of trips to the thread pool for a usual batch.
  const gunzip = createGunzip({ chunkSize: 256 * 1024 })
  // The pump ends through `gunzip` alone: a failure of the source destroys it, and the loop below throws that failure.
  const pump = async (): Promise<void> => {
    for await (const chunk of source) {
      if (gunzip.destroyed) return
      if (!gunzip.write(chunk)) await roomIn(gunzip)
    }
    gunzip.end()
  }
  pump().catch((error: unknown) => {
    gunzip.destroy(error instanceof Error ? error : new Error(String(error)))
  })
  yield* gunzip
}

/** Largest body that is read and decompressed at once, which costs a third of a stream. Its lines take some milliseconds at most. */
export const SMALL_BYTES = 64 * 1024
const SMALL_PLAIN_BYTES = 1024 * 1024

/** Null: the body is too large for it, or it must be read as a stream to learn what is wrong with it. */
function inflateSmall(chunks: readonly Buffer[]): Buffer | null {
  if (chunks.reduce((sum, { byteLength }) => sum + byteLength, 0) > SMALL_BYTES) return null
  try {
    return gunzipSync(Buffer.concat(chunks), { maxOutputLength: SMALL_PLAIN_BYTES })
  } catch {
    return null
  }
}

async function* each(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks
}

/** Decompresses and splits within the limits. Never rejects: the answer names the sender's errors. */
export async function readLines(chunks: readonly Buffer[], isGzip: boolean): Promise<BatchBody> {
  const splitter = new BatchLines()
  try {
    const small = isGzip ? inflateSmall(chunks) : null
    const plain =
      isGzip && small === null
        ? limitBytes(inflated(each(chunks)), MAX_BATCH_BYTES)
        : each(small === null ? chunks : [small])
    for await (const chunk of plain) {
      splitter.push(chunk)
      if (splitter.isFull) break
    }
  } catch (error) {
    return { ok: false, reason: error instanceof TooLarge ? 'too_large' : 'bad_gzip' }
  }
  splitter.end()
  return { ok: true, lines: splitter.lines, errors: splitter.refusals }
}
