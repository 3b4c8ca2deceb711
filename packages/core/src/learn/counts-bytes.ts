// Compact form of counts for storage: every text once, every number as a varint, groups in the order of their names.
import { type Group, type LearnCounts, splitGroupName } from './counts.ts'

/** Raised when a reader of older bytes would count differently. Bytes of another version are counted again from the logs. */
export const COUNTS_VERSION = 2

export function encodeCounts(counts: LearnCounts): Uint8Array {
  const texts = new Map<string, number>()
  const find = (text: string): number => {
    const index = texts.get(text) ?? texts.size
    texts.set(text, index)
    return index
  }
  const body = new ByteWriter()
  const groups = [...counts.groups].sort(([a], [b]) => (a < b ? -1 : 1))
  body.number(groups.length)
  for (const [name, group] of groups) {
    const parts = splitGroupName(name)
    body.number(parts.length)
    for (const part of parts) body.number(find(part))
    const entries = [...group].sort(([a], [b]) => (a < b ? -1 : 1))
    body.number(entries.length)
    for (const [entry, count] of entries) {
      body.number(find(entry))
      body.number(count)
    }
  }
  const head = new ByteWriter()
  for (const number of [COUNTS_VERSION, counts.sessions, counts.events, texts.size])
    head.number(number)
  for (const text of texts.keys()) head.text(text)
  return concat(head.bytes(), body.bytes())
}

/** null: the bytes are of another version. Throws on damaged bytes. */
export function decodeCounts(bytes: Uint8Array): LearnCounts | null {
  const reader = new ByteReader(bytes)
  if (reader.number() !== COUNTS_VERSION) return null
  const [sessions, events] = [reader.number(), reader.number()]
  const texts = Array.from({ length: reader.number() }, () => reader.text())
  const readText = (): string => {
    const text = texts[reader.number()]
    if (text === undefined)
      throw new Error('The counts are damaged: they name a text that is missing.')
    return text
  }
  const groups = new Map<string, Group>()
  for (let left = reader.number(); left > 0; left--) {
    const name = Array.from({ length: reader.number() }, readText).join('\n')
    const group = new Map<string, number>()
    for (let entries = reader.number(); entries > 0; entries--)
      group.set(readText(), reader.number())
    groups.set(name, group)
  }
  if (!reader.isAtEnd()) throw new Error('The counts are damaged: something follows them.')
  return { sessions, events, groups }
}

/** Numbers from here on need arithmetic instead of bits. */
const SEVEN_BITS = 128

class ByteWriter {
  #bytes = new Uint8Array(1024)
  #length = 0

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const larger = new Uint8Array((this.#length + more) * 2)
    larger.set(this.bytes())
    this.#bytes = larger
  }

  number(value: number): void {
    this.#reserve(8)
    let left = value
    while (left >= SEVEN_BITS) {
      this.#bytes[this.#length++] = (left % SEVEN_BITS) + SEVEN_BITS
      left = Math.floor(left / SEVEN_BITS)
    }
    this.#bytes[this.#length++] = left
  }

  text(value: string): void {
    this.number(value.length)
    for (let i = 0; i < value.length; i++) this.number(value.charCodeAt(i))
  }
}

class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  number(): number {
    let value = 0
    for (let scale = 1; ; scale *= SEVEN_BITS) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw new Error('The counts are damaged: they end too early.')
      value += (byte % SEVEN_BITS) * scale
      if (byte < SEVEN_BITS) return value
    }
  }

  text(): string {
    let text = ''
    for (let left = this.number(); left > 0; left--) text += String.fromCharCode(this.number())
    return text
  }
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const all = new Uint8Array(a.length + b.length)
  all.set(a)
  all.set(b, a.length)
  return all
}
