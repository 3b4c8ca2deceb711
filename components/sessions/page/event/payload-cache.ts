// Recorded events never change, so a cached payload is never stale.
import type { RecordedEvent } from '@/server/sessions/log/recorded-events.ts'

/** Most events that the server returns at a time. */
const BATCH = 20
const KEPT = 500

export type LoadPayloads = (seqs: readonly number[]) => Promise<readonly RecordedEvent[]>

export class PayloadCache {
  readonly #load: LoadPayloads
  readonly #kept = new Map<number, RecordedEvent>()
  readonly #underWay = new Map<number, Promise<void>>()
  readonly #listeners = new Set<() => void>()
  #version = 0

  constructor(load: LoadPayloads) {
    this.#load = load
  }

  readonly version = (): number => this.#version

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get(seq: number): RecordedEvent | undefined {
    return this.#kept.get(seq)
  }

  /** Resolves when every event is loaded or known not to be stored; rejects if loading fails. */
  async want(seqs: readonly number[]): Promise<void> {
    for (const seq of seqs) this.#touch(seq)
    const missing = seqs.filter((seq) => !this.#kept.has(seq) && !this.#underWay.has(seq))
    for (let from = 0; from < missing.length; from += BATCH) {
      const batch = missing.slice(from, from + BATCH)
      const loading = this.#fetch(batch)
      for (const seq of batch) this.#underWay.set(seq, loading)
    }
    await Promise.all(seqs.map((seq) => this.#underWay.get(seq)))
  }

  #touch(seq: number): void {
    const event = this.#kept.get(seq)
    if (event === undefined) return
    this.#kept.delete(seq)
    this.#kept.set(seq, event)
  }

  async #fetch(batch: readonly number[]): Promise<void> {
    try {
      for (const event of await this.#load(batch)) this.#kept.set(event.seq, event)
      for (const seq of this.#kept.keys()) {
        if (this.#kept.size <= KEPT) break
        this.#kept.delete(seq)
      }
      this.#version += 1
      for (const listener of this.#listeners) listener()
    } finally {
      for (const seq of batch) this.#underWay.delete(seq)
    }
  }
}
