// While the control plane is unreachable, a known runtime may restart, and its latest heartbeat waits.
import path from 'node:path'
import { isJsonObject, type JsonObject } from '@signalbox/core'
import { readKept, writeDurably } from './durable-file.ts'

/** Age up to which a heartbeat is current: as long as a runtime counts as connected. */
const CURRENT_FOR_MS = 45_000
/** A runtime without contact for longer than this is removed. */
const KEPT_MS = 7 * 86_400_000
const MOST = 20_000

interface KeptRuntime {
  readonly hash: string
  readonly request: JsonObject
  readonly answer: JsonObject
  /** Epoch milliseconds. */
  readonly at: number
  readonly isUnsent: boolean
}

export interface WaitingReport {
  readonly hash: string
  readonly report: JsonObject
  readonly at: number
}

export class KeptRuntimes {
  readonly #file: string
  readonly #runtimes = new Map<string, KeptRuntime>()
  readonly #reports = new Map<string, WaitingReport>()
  #writing: Promise<void> = Promise.resolve()
  /** A write that has not begun; null: none. */
  #nextWrite: Promise<void> | null = null

  constructor(dataDir: string, report: (line: string) => void) {
    this.#file = path.join(dataDir, 'runtimes.json')
    for (const [id, row] of Object.entries(readKept(this.#file, report) ?? {})) {
      const runtime = parseKeptRuntime(row)
      if (runtime !== null) this.#runtimes.set(id, runtime)
    }
  }

  async registered(hash: string, request: JsonObject, answer: JsonObject): Promise<void> {
    const id = answer['runtime_id']
    if (typeof id !== 'string') return
    this.#runtimes.set(id, { hash, request, answer, at: Date.now(), isUnsent: false })
    this.#trim()
    await this.#write()
  }

  /** Latest answer for a runtime that the control plane knows under this key; null: there is none. The new registration is sent later. */
  async registeredWhileAway(hash: string, request: JsonObject): Promise<JsonObject | null> {
    const id = request['runtime_id']
    const known = typeof id === 'string' ? this.#runtimes.get(id) : undefined
    if (typeof id !== 'string' || known === undefined || known.hash !== hash) return null
    this.#runtimes.set(id, { ...known, request, at: Date.now(), isUnsent: true })
    await this.#write()
    return { ...known.answer, server_time: Date.now() }
  }

  isKnown(hash: string, id: unknown): boolean {
    return typeof id === 'string' && this.#runtimes.get(id)?.hash === hash
  }

  listUnsent(): readonly { readonly hash: string; readonly request: JsonObject }[] {
    return [...this.#runtimes.values()].filter(({ isUnsent }) => isUnsent)
  }

  keepReport(hash: string, report: JsonObject): void {
    const id = report['runtime_id']
    if (typeof id === 'string') this.#reports.set(id, { hash, report, at: Date.now() })
  }

  /** Returns each one once. */
  takeReports(now: number): readonly WaitingReport[] {
    const reports = [...this.#reports.values()]
    this.#reports.clear()
    return reports.filter(
      ({ report, at }) => report['stopping'] === true || now - at <= CURRENT_FOR_MS,
    )
  }

  #trim(): void {
    const oldest = Date.now() - KEPT_MS
    for (const [id, { at }] of this.#runtimes)
      if (at < oldest || this.#runtimes.size > MOST) this.#runtimes.delete(id)
  }

  /** Resolves when the current state is on disk. Concurrent callers share one write, because each writes every runtime. */
  #write(): Promise<void> {
    if (this.#nextWrite !== null) return this.#nextWrite
    const write = (): Promise<void> => {
      this.#nextWrite = null
      return writeDurably(this.#file, JSON.stringify(Object.fromEntries(this.#runtimes)))
    }
    this.#nextWrite = this.#writing.then(write, write)
    this.#writing = this.#nextWrite
    return this.#nextWrite
  }
}

function parseKeptRuntime(row: unknown): KeptRuntime | null {
  if (!isJsonObject(row)) return null
  const { hash, request, answer, at, isUnsent } = row
  if (typeof hash !== 'string' || typeof at !== 'number') return null
  if (!isJsonObject(request) || !isJsonObject(answer)) return null
  return { hash, request, answer, at, isUnsent: isUnsent === true }
}
