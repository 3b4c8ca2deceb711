// Only events that are known to be stored, by the control plane or on this disk, are acknowledged: a runtime may delete everything up to
// the acknowledged number.

/** An evicted session gets no acknowledged number: its runtime sends again, or relies on status 200. */
const MOST_SESSIONS = 20_000

export class AckedSessions {
  readonly #through = new Map<string, number>()
  readonly #most: number

  constructor(most: number = MOST_SESSIONS) {
    this.#most = most
  }

  acknowledged(hash: string, through: { readonly [session: string]: number }): void {
    for (const [session, seq] of Object.entries(through))
      this.#keep(`${hash} ${session}`, Math.max(seq, this.#through.get(`${hash} ${session}`) ?? 0))
  }

  /** Call after the batch is on disk. Returns its `acked_through`, without sessions whose first events are unknown. */
  stored(
    hash: string,
    batch: ReadonlyMap<string, readonly number[]>,
  ): { readonly [session: string]: number } {
    const answer: Record<string, number> = {}
    for (const [session, seqs] of batch) {
      const name = `${hash} ${session}`
      let through = this.#through.get(name) ?? 0
      for (const seq of [...seqs].sort((a, b) => a - b)) if (seq === through + 1) through = seq
      if (through === 0) continue
      this.#keep(name, through)
      answer[session] = through
    }
    return answer
  }

  #keep(name: string, through: number): void {
    this.#through.delete(name)
    this.#through.set(name, through)
    if (this.#through.size <= this.#most) return
    const [oldest] = this.#through.keys()
    if (oldest !== undefined) this.#through.delete(oldest)
  }
}
