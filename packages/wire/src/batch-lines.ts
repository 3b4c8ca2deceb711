// The same for the control plane and for a relay before it (specs/data-plane.md).
import { MAX_EVENT_BYTES } from './names.ts'

const MIB = 1024 * 1024
export const MAX_COMPRESSED_BYTES = 8 * MIB
/** Limit of a batch that is uncompressed or decompressed. */
export const MAX_BATCH_BYTES = 64 * MIB
/** Limit on lines read from one batch. The rest is reported in an error and can be sent again. */
const MAX_LINES = 20_000
const NEWLINE = 0x0a

export interface BatchLine {
  /** From 1, including blank lines. */
  readonly number: number
  readonly text: string
}

export interface LineRefusal {
  readonly line: number
  readonly code: string
  readonly detail: string
}

/** Reads the content-encoding of a batch; null: the encoding is not supported. */
export function isGzipBatch(encoding: string | null | undefined): boolean | null {
  const name = (encoding ?? '').trim().toLowerCase()
  if (name === 'gzip' || name === 'x-gzip') return true
  return name === 'identity' || name === '' ? false : null
}

/** A line over the limit is discarded while it grows and reported at its end. Readers stop when `isFull`: further chunks are ignored. */
export class BatchLines {
  readonly lines: BatchLine[] = []
  readonly refusals: LineRefusal[] = []
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #number = 0
  #parts: Uint8Array[] = []
  #length = 0

  get isFull(): boolean {
    return this.#number > MAX_LINES
  }

  push(chunk: Uint8Array): void {
    let from = 0
    while (!this.isFull) {
      const end = chunk.indexOf(NEWLINE, from)
      this.#append(chunk.subarray(from, end === -1 ? chunk.length : end))
      if (end === -1) return
      this.#endLine()
      from = end + 1
    }
  }

  /** Call after the last chunk. */
  end(): void {
    if (this.#length > 0 && !this.isFull) this.#endLine()
  }

  #append(part: Uint8Array): void {
    this.#length += part.length
    if (this.#length > MAX_EVENT_BYTES) this.#parts = []
    else if (part.length > 0) this.#parts.push(part)
  }

  #endLine(): void {
    this.#number += 1
    const line = this.#number
    const length = this.#length
    if (line > MAX_LINES) {
      const detail = `Only the first ${MAX_LINES} lines of a request are stored. Send the rest again.`
      this.refusals.push({ line, code: 'too_many_lines', detail })
    } else if (length > MAX_EVENT_BYTES) {
      const detail = `The line has ${length} bytes; at most ${MAX_EVENT_BYTES} are allowed.`
      this.refusals.push({ line, code: 'too_long', detail })
    } else {
      const text = this.#decoder.decode(joined(this.#parts)).trim()
      if (text !== '') this.lines.push({ number: line, text })
    }
    this.#parts = []
    this.#length = 0
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first, ...rest] = parts
  if (first === undefined) return new Uint8Array()
  if (rest.length === 0) return first
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
