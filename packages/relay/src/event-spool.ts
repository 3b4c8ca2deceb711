// One file per batch, one folder per key, in order of arrival. Acknowledged data is flushed, so it survives a kill and a power failure.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import fsp from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { writeDurably } from './durable-file.ts'

const SUFFIX = '.ndjson.gz'
const KEY_FOLDER = /^[0-9a-f]{64}$/

interface HeldFile {
  readonly name: string
  bytes: number
}

interface Held {
  readonly files: HeldFile[]
  next: number
  /** Serializes the appends of one key, so that no number exists before a lower one. */
  turn: Promise<unknown>
}

export interface SpooledBatch {
  readonly name: string
  /** null: the file is damaged. */
  readonly lines: string | null
}

export class EventSpool {
  readonly #folder: string
  readonly #asideFolder: string
  readonly #maxBytes: number
  readonly #held = new Map<string, Held>()
  #bytes = 0
  #aside: ReadonlyMap<string, number>

  constructor(dataDir: string, maxBytes: number) {
    this.#folder = path.join(dataDir, 'spool')
    this.#asideFolder = path.join(dataDir, 'set-aside')
    this.#maxBytes = maxBytes
    fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    for (const hash of keyFoldersIn(this.#folder)) this.#adopt(hash)
    this.#aside = sizesIn(this.#asideFolder)
  }

  #adopt(hash: string): void {
    const folder = path.join(this.#folder, hash)
    const names = fs.readdirSync(folder).sort()
    // Unfinished files of batches that were never acknowledged.
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

  /** Batches that the control plane will never store. */
  get aside(): number {
    return this.#aside.size
  }

  waiting(): readonly string[] {
    return [...this.#held].filter(([, { files }]) => files.length > 0).map(([hash]) => hash)
  }

  isEmpty(hash: string): boolean {
    return (this.#held.get(hash)?.files.length ?? 0) === 0
  }

  /** False: there is no room, and nothing is stored. Resolves once the batch is on disk; rejects when the disk fails. */
  async append(hash: string, lines: string): Promise<boolean> {
    const content = gzipSync(lines, { level: 1 })
    if (!this.#hasRoom(content.length)) return false
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

  /** Measures the set-aside folder again before it refuses: an operator may have made room. */
  #hasRoom(bytes: number): boolean {
    const isFull = () => this.#bytes + sumSizes(this.#aside) + bytes > this.#maxBytes
    if (isFull()) this.#aside = sizesIn(this.#asideFolder)
    return !isFull()
  }

  /** null: no batch waits. Throws when the disk fails. */
  oldest(hash: string): SpooledBatch | null {
    const name = this.#held.get(hash)?.files[0]?.name
    if (name === undefined) return null
    const content = fs.readFileSync(path.join(this.#folder, hash, name))
    return { name, lines: inflated(content) }
  }

  /** Call after the control plane has stored the batch. */
  remove(hash: string, name: string): void {
    const first = this.#findFirst(hash, name)
    if (first === null) return
    fs.rmSync(path.join(this.#folder, hash, name), { force: true })
    this.#held.get(hash)?.files.shift()
    this.#bytes -= first.bytes
  }

  async shrink(hash: string, name: string, lines: string): Promise<void> {
    const first = this.#findFirst(hash, name)
    if (first === null) return
    const content = gzipSync(lines, { level: 1 })
    await writeDurably(path.join(this.#folder, hash, name), content)
    this.#bytes += content.length - first.bytes
    first.bytes = content.length
  }

  moveAside(hash: string, name: string): void {
    const file = path.join(this.#folder, hash, name)
    fs.renameSync(file, this.#asideFile(hash, name, fs.readFileSync(file)))
    this.remove(hash, name)
    this.#aside = sizesIn(this.#asideFolder)
  }

  /** The same lines always get the same file. */
  async keepAside(hash: string, name: string, lines: string): Promise<void> {
    const content = gzipSync(lines, { level: 1 })
    await writeDurably(this.#asideFile(hash, name, lines), content)
    this.#aside = sizesIn(this.#asideFolder)
  }

  #findFirst(hash: string, name: string): HeldFile | null {
    const [first] = this.#held.get(hash)?.files ?? []
    return first?.name === name ? first : null
  }

  /** Numbering restarts once all batches are gone, so the number alone is not unique. */
  #asideFile(hash: string, name: string, content: string | Buffer): string {
    const folder = path.join(this.#asideFolder, hash)
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    const part = createHash('sha256').update(content).digest('hex').slice(0, 8)
    return path.join(folder, `${name.slice(0, -SUFFIX.length)}-${part}${SUFFIX}`)
  }

  /** Keeps single lines that the control plane refused, so that nothing vanishes silently. */
  keepRefused(hash: string, lines: readonly string[]): void {
    const file = path.join(path.dirname(this.#folder), `refused-${hash.slice(0, 16)}.ndjson`)
    fs.appendFileSync(file, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 })
  }
}

/** null: the content is damaged. */
function inflated(content: Buffer): string | null {
  try {
    return gunzipSync(content).toString('utf8')
  } catch {
    return null
  }
}

function keyFoldersIn(folder: string): readonly string[] {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && KEY_FOLDER.test(entry.name))
    .map(({ name }) => name)
}

function sizesIn(folder: string): ReadonlyMap<string, number> {
  if (!fs.existsSync(folder)) return new Map()
  const files = keyFoldersIn(folder).flatMap((hash) =>
    fs.readdirSync(path.join(folder, hash)).map((name) => path.join(folder, hash, name)),
  )
  return new Map(
    files
      .filter((file) => file.endsWith(SUFFIX))
      .map((file) => [file, fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0]),
  )
}

function sumSizes(sizes: ReadonlyMap<string, number>): number {
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)
}
