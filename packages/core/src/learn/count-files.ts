// Counts the states of files before and after calls of a tool on them.
import type { FileFact } from '../model/fact.ts'
import { FAMILIES, groupName } from './counts.ts'
import type { GroupWriter } from './group-writer.ts'
import { eachBit, MOST_TOOLS } from './tool-table.ts'

const T = MOST_TOOLS
const ALL = -1

interface KnownFile {
  /** First known answer to "does it exist?"; null: none yet. */
  first: boolean | null
  exists: boolean
  /** Bits of tools that succeeded on it while it existed. */
  met: number
  /** null: not known. */
  fingerprint: string | null
}

export class FileCounts {
  readonly #pathTools = new Uint32Array(T)
  readonly #pathFacts = new Uint32Array(T)
  readonly #looked = new Uint32Array(T)
  readonly #changed = new Uint32Array(T)
  readonly #onFile = new Uint32Array(T)
  readonly #onOwnFile = new Uint32Array(T)
  readonly #onMetFile = new Uint32Array(T * T)
  readonly #onReadFile = new Uint32Array(T * T)
  readonly #fileSessions = new Uint32Array(T)
  readonly #ownFileSessions = new Uint32Array(T)
  readonly #readFileSessions = new Uint32Array(T * T)
  readonly #made = new Map<string, number>()

  // The session that is read.
  readonly #files = new Map<string, KnownFile>()
  /** Bits of tools that succeeded on every file that the tool was called on; `ALL` at first. */
  readonly #kept = new Int32Array(T)
  #withPaths = 0
  #withFacts = 0
  #onFiles = 0
  #madeAtStop: readonly string[] = []

  begin(): void {
    this.#files.clear()
    this.#kept.fill(ALL)
    this.#withPaths = 0
    this.#withFacts = 0
    this.#onFiles = 0
    this.#madeAtStop = []
  }

  learn(path: string, fact: FileFact | undefined): KnownFile {
    const file = this.#files.get(path) ?? { first: null, exists: false, met: 0, fingerprint: null }
    this.#files.set(path, file)
    if (fact === undefined || fact.exists === 'unknown') return file
    file.first ??= fact.exists
    file.exists = fact.exists
    if (fact.fingerprint !== undefined) file.fingerprint = fact.fingerprint
    return file
  }

  /** Tool `x` is called on the file. */
  call(x: number, path: string, fact: FileFact | undefined): void {
    const file = this.learn(path, fact)
    const bit = 1 << x
    this.#withPaths |= bit
    if (fact === undefined) return
    this.#withFacts |= bit
    if (fact.exists !== true || fact.kind === 'directory') return
    this.#onFiles |= bit
    increment(this.#onFile, x)
    const isOwn = (file.met & bit) !== 0
    if (isOwn) increment(this.#onOwnFile, x)
    else this.#kept[x] = (this.#kept[x] ?? 0) & file.met
    eachBit(file.met, (r) => {
      increment(this.#onMetFile, r * T + x)
      if (!isOwn) increment(this.#onReadFile, r * T + x)
    })
  }

  /** Tool `x` succeeded on the file. */
  succeed(x: number, path: string, fact: FileFact | undefined): void {
    const before = this.learn(path, undefined).fingerprint
    const file = this.learn(path, fact)
    if (fact?.exists === true) file.met |= 1 << x
    if (before === null || fact?.fingerprint === undefined) return
    increment(this.#looked, x)
    if (before !== fact.fingerprint) increment(this.#changed, x)
  }

  stop(): void {
    const made: string[] = []
    for (const [path, { first, exists }] of this.#files)
      if (first === false && exists) made.push(path)
    this.#madeAtStop = made
  }

  end(): void {
    eachBit(this.#withPaths, (x) => increment(this.#pathTools, x))
    eachBit(this.#withFacts, (x) => increment(this.#pathFacts, x))
    eachBit(this.#onFiles, (x) => {
      increment(this.#fileSessions, x)
      const kept = this.#kept[x] ?? 0
      if (kept === ALL) increment(this.#ownFileSessions, x)
      else eachBit(kept, (r) => increment(this.#readFileSessions, r * T + x))
    })
    for (const path of this.#madeAtStop) this.#made.set(path, (this.#made.get(path) ?? 0) + 1)
  }

  write(writer: GroupWriter, names: readonly string[]): void {
    writer.addAll(FAMILIES.made, this.#made)
    for (const [w, name] of names.entries()) {
      for (const [family, counted] of this.#listByTool()) writer.add(family, name, counted[w] ?? 0)
      for (const [r, reader] of names.entries()) {
        const at = r * T + w
        writer.add(groupName(FAMILIES.onMetFile, name), reader, this.#onMetFile[at] ?? 0)
        writer.add(groupName(FAMILIES.onReadFile, name), reader, this.#onReadFile[at] ?? 0)
        writer.add(
          groupName(FAMILIES.readFileSessions, name),
          reader,
          this.#readFileSessions[at] ?? 0,
        )
      }
    }
  }

  #listByTool() {
    return [
      [FAMILIES.pathTools, this.#pathTools],
      [FAMILIES.pathFacts, this.#pathFacts],
      [FAMILIES.looked, this.#looked],
      [FAMILIES.changed, this.#changed],
      [FAMILIES.onFile, this.#onFile],
      [FAMILIES.onOwnFile, this.#onOwnFile],
      [FAMILIES.fileSessions, this.#fileSessions],
      [FAMILIES.ownFileSessions, this.#ownFileSessions],
    ] as const
  }
}

function increment(counts: Uint32Array, at: number): void {
  counts[at] = (counts[at] ?? 0) + 1
}
