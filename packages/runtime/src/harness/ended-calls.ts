// Which calls of the last steps have ended, so that a report on a whole step is not taken for new results.

/** No step has more calls than this. */
const MAX_IDS = 1000

export class EndedCalls {
  /** In the order of their ends. */
  readonly #ids = new Set<string>()

  add(callId: string | undefined): void {
    if (callId === undefined) return
    this.#ids.add(callId)
    if (this.#ids.size <= MAX_IDS) return
    const [oldest] = this.#ids
    if (oldest !== undefined) this.#ids.delete(oldest)
  }

  has(callId: string | undefined): boolean {
    return callId !== undefined && this.#ids.has(callId)
  }
}
