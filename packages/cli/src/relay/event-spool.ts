// Batches on disk until the control plane has stored them: one file a batch, one folder a key, in the order in which they came. What was
// acknowledged is flushed, so that it survives a kill and a power failure.
import fs from 'node:fs'
import fsp from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { writeDurably } from './durable-file.ts'

const SUFFIX = '.ndjson.gz'

interface Held {
  readonly files: { readonly name: string; readonly bytes: number }[]
  next: number
  /** Appends of one key follow each other, so that a later number is never there before an earlier one. */
  turn: Promise<unknown>
}

export interface SpooledBatch {
  readonly name: string
  readonly lines: string
}

export class EventSpool {
  readonly #folder: string
  readonly #maxBytes: number
  readonly #held = new Map<string, Held>()
  #bytes = 0

  constructor(dataDir: string, maxBytes: number) {
    this.#folder = path.join(dataDir, 'spool')
    this.#maxBytes = maxBytes
    fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    for (const hash of fs.readdirSync(this.#folder)) this.#adopt(hash)
  }

  #adopt(hash: string): void {
    const folder = path.join(this.#folder, hash)
    const names = fs.readdirSync(folder).sort()
    // Half of a batch that nobody was told about.
    for (const name of names.filter((one) => !one.endsWith(SUFFIX)))
      fs.rmSync(path.join(folder, name), { force: true })
    const files = names
      .filter((name) => name.endsWith(SUFFIX))
      .map((name) => ({ name, bytes: fs.statSync(path.join(folder, name)).size }))
    if (files.length === 0) return
    const last = Number.parseInt(files.at(-1)?.name ?? '0', 10)
    this.#held.set(hash, { files, next: last + 1, turn: Promise.resolve() })
    this.#bytes += files.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  get bytes(): number {
    return this.#bytes
  }

  get batches(): number {
    return [...this.#held.values()].reduce((sum, { files }) => sum + files.length, 0)
  }

  /** Hashes of the keys that have something waiting. */
  waiting(): readonly string[] {
    return [...this.#held].filter(([, { files }]) => files.length > 0).map(([hash]) => hash)
  }

  isEmpty(hash: string): boolean {
    return (this.#held.get(hash)?.files.length ?? 0) === 0
  }

  /** False, and nothing is kept, when there is no room. Resolves once the batch is on the disk; rejects when the disk fails. */
  async append(hash: string, lines: string): Promise<boolean> {
    const content = gzipSync(lines, { level: 1 })
    if (this.#bytes + content.length > this.#maxBytes) return false
    this.#bytes += content.length
    const held = this.#held.get(hash) ?? { files: [], next: 1, turn: Promise.resolve() }
    this.#held.set(hash, held)
    const write = async (): Promise<void> => {
      const folder = path.join(this.#folder, hash)
      await fsp.mkdir(folder, { recursive: true, mode: 0o700 })
      const name = `${String(held.next).padStart(12, '0')}${SUFFIX}`
      held.next += 1
      await writeDurably(path.join(folder, name), content)
      held.files.push({ name, bytes: content.length })
    }
    const written = held.turn.then(write)
    held.turn = written.catch(() => undefined)
    try {
      await written
      return true
    } catch (error) {
      this.#bytes -= content.length
      throw error
    }
  }

  oldest(hash: string): SpooledBatch | null {
    const name = this.#held.get(hash)?.files[0]?.name
    if (name === undefined) return null
    const lines = gunzipSync(fs.readFileSync(path.join(this.#folder, hash, name))).toString('utf8')
    return { name, lines }
  }

  /** After the control plane has stored it. */
  remove(hash: string, name: string): void {
    const held = this.#held.get(hash)
    const [first] = held?.files ?? []
    if (held === undefined || first?.name !== name) return
    fs.rmSync(path.join(this.#folder, hash, name), { force: true })
    held.files.shift()
    this.#bytes -= first.bytes
  }

  /** Keeps lines that the control plane refused for good, so that nothing vanishes silently. */
  setAside(hash: string, lines: readonly string[]): void {
    const file = path.join(path.dirname(this.#folder), `refused-${hash.slice(0, 16)}.ndjson`)
    fs.appendFileSync(file, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 })
  }
}
