// Bytes of an events request → numbered lines, while they arrive. Limits hold on the compressed bytes, on the inflated
// bytes and on each line, so that neither a gzip bomb nor a 10 MB line is ever held in memory.
import { createGunzip } from 'node:zlib'

const MIB = 1024 * 1024
const MAX_COMPRESSED_BYTES = 8 * MIB
const MAX_INFLATED_BYTES = 64 * MIB
const MAX_LINE_BYTES = 256 * 1024
/** Lines of one request that are looked at; the rest is named in an error and can be sent again. */
const MAX_LINES = 20_000

interface BatchLine {
  /** From 1, blank lines counted. */
  readonly number: number
  readonly text: string
}

export interface LineError {
  readonly line: number
  readonly code: string
  readonly detail: string
}

export type BatchBody =
  | {
      readonly ok: true
      readonly lines: readonly BatchLine[]
      readonly errors: readonly LineError[]
    }
  | { readonly ok: false; readonly reason: 'too_large' | 'bad_gzip' }

class TooLarge extends Error {}

const NEWLINE = 0x0a

/** Collects lines from chunks; a line over the limit is dropped as it grows and reported once it ends. */
class LineSplitter {
  readonly lines: BatchLine[] = []
  readonly errors: LineError[] = []
  private number = 0
  private parts: Buffer[] = []
  private length = 0

  push(chunk: Buffer): void {
    let from = 0
    for (;;) {
      const end = chunk.indexOf(NEWLINE, from)
      this.append(chunk.subarray(from, end === -1 ? chunk.length : end))
      if (end === -1) return
      this.endLine()
      from = end + 1
    }
  }

  end(): void {
    if (this.length > 0) this.endLine()
  }

  private append(part: Buffer): void {
    this.length += part.length
    if (this.length > MAX_LINE_BYTES) this.parts = []
    else if (part.length > 0) this.parts.push(part)
  }

  private endLine(): void {
    this.number += 1
    const { number: line, length } = this
    if (line === MAX_LINES + 1) {
      const detail = `Only the first ${MAX_LINES} lines of a request are stored. Send the rest again.`
      this.errors.push({ line, code: 'too_many_lines', detail })
    } else if (line <= MAX_LINES && length > MAX_LINE_BYTES) {
      const detail = `The line has ${length} bytes; at most ${MAX_LINE_BYTES} are allowed.`
      this.errors.push({ line, code: 'too_long', detail })
    } else if (line <= MAX_LINES) {
      this.keep(line)
    }
    this.parts = []
    this.length = 0
  }

  private keep(number: number): void {
    const [first, ...rest] = this.parts
    const bytes = first === undefined || rest.length === 0 ? first : Buffer.concat(this.parts)
    const text = bytes?.toString('utf8').trim() ?? ''
    if (text !== '') this.lines.push({ number, text })
  }
}

async function* limited(
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

async function* inflated(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // Node's default of 16 KiB makes thousands of trips to the thread pool for a usual batch.
  const gunzip = createGunzip({ chunkSize: 256 * 1024 })
  // The pump ends through `gunzip` alone: a failure of the source destroys it, and the loop below throws that failure.
  const pump = async (): Promise<void> => {
    for await (const chunk of source) {
      if (gunzip.destroyed) return
      if (!gunzip.write(chunk)) {
        await new Promise<void>((resolve) => {
          gunzip.once('drain', resolve)
          gunzip.once('close', resolve)
        })
      }
    }
    gunzip.end()
  }
  pump().catch((error: unknown) => {
    gunzip.destroy(error instanceof Error ? error : new Error(String(error)))
  })
  yield* gunzip
}

/** The body as it came, or why it was not taken. Compressed bodies are small; only these bytes wait for their turn. */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  isGzip: boolean,
): Promise<readonly Buffer[] | 'too_large' | 'interrupted'> {
  const chunks: Buffer[] = []
  try {
    const maxBytes = isGzip ? MAX_COMPRESSED_BYTES : MAX_INFLATED_BYTES
    for await (const chunk of limited(body, maxBytes)) chunks.push(chunk)
  } catch (error) {
    return error instanceof TooLarge ? 'too_large' : 'interrupted'
  }
  return chunks
}

async function* each(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks
}

/** Inflates and splits within the limits. Never rejects: what the sender did wrong is in the answer. */
export async function readLines(chunks: readonly Buffer[], isGzip: boolean): Promise<BatchBody> {
  const splitter = new LineSplitter()
  try {
    const plain = isGzip ? limited(inflated(each(chunks)), MAX_INFLATED_BYTES) : each(chunks)
    for await (const chunk of plain) splitter.push(chunk)
  } catch (error) {
    return { ok: false, reason: error instanceof TooLarge ? 'too_large' : 'bad_gzip' }
  }
  splitter.end()
  return { ok: true, lines: splitter.lines, errors: splitter.errors }
}
