// A batch of events as it came, judged line by line by the rules of the server: what is not an event is named, the rest is kept.
import { gunzipSync } from 'node:zlib'
import { BatchLines, type LineRefusal, MAX_BATCH_BYTES, parseEventLine } from '@signalbox/wire'
import { codeOf } from '../daemon/private-files.ts'

export interface JudgedBatch {
  /** NDJSON of the good lines; empty when there are none. */
  readonly lines: string
  readonly count: number
  readonly refusals: readonly LineRefusal[]
  /** Sequence numbers of the good lines, by session. */
  readonly seqs: ReadonlyMap<string, readonly number[]>
}

export function judgeBatch(body: Buffer, isGzip: boolean): JudgedBatch | 'too_large' | 'bad_gzip' {
  const plain = isGzip ? inflated(body) : body
  if (typeof plain === 'string') return plain
  const batch = new BatchLines()
  batch.push(plain)
  batch.end()
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

function inflated(body: Buffer): Buffer | 'too_large' | 'bad_gzip' {
  try {
    return gunzipSync(body, { maxOutputLength: MAX_BATCH_BYTES })
  } catch (error) {
    return codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'bad_gzip'
  }
}
