// By the rules of the server: reports invalid lines and keeps the rest.
import { createGunzip } from 'node:zlib'
import { BatchLines, type LineRefusal, MAX_BATCH_BYTES, parseEventLine } from '@signalbox/wire'

/** Node's default of 16 KiB needs thousands of round trips to the thread pool for a usual batch. */
const CHUNK_BYTES = 256 * 1024

export interface JudgedBatch {
  /** NDJSON of the valid lines; empty: no line is valid. */
  readonly lines: string
  readonly count: number
  readonly refusals: readonly LineRefusal[]
  readonly seqs: ReadonlyMap<string, readonly number[]>
}

/** Never rejects: the result reports the sender's errors. */
export async function judgeBatch(
  body: Buffer,
  isGzip: boolean,
): Promise<JudgedBatch | 'too_large' | 'bad_gzip'> {
  const batch = await linesIn(body, isGzip)
  if (typeof batch === 'string') return batch
  const good: string[] = []
  const refusals = [...batch.refusals]
  const seqs = new Map<string, number[]>()
  for (const { number: line, text } of batch.lines) {
    const parsed = parseEventLine(text)
    if (parsed.ok) {
      good.push(`${text}\n`)
      const { session, seq } = parsed.event
      const known = seqs.get(session)
      if (known === undefined) seqs.set(session, [seq])
      else known.push(seq)
    } else refusals.push({ line, code: parsed.problem.code, detail: parsed.problem.message })
  }
  refusals.sort((a, b) => a.line - b.line)
  return { lines: good.join(''), count: good.length, refusals, seqs }
}

async function linesIn(
  body: Buffer,
  isGzip: boolean,
): Promise<BatchLines | 'too_large' | 'bad_gzip'> {
  const batch = new BatchLines()
  if (isGzip) {
    let size = 0
    try {
      const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
      gunzip.end(body)
      for await (const chunk of gunzip) {
        size += chunk.length
        if (size > MAX_BATCH_BYTES) return 'too_large'
        batch.push(chunk)
        if (batch.isFull) break
      }
    } catch {
      return 'bad_gzip'
    }
  } else batch.push(body)
  batch.end()
  return batch
}
