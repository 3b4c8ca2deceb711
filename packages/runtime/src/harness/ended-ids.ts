// Recently ended calls or sessions, so that a repeated report is not taken for a new one.

/** No step has more calls than this. */
const MAX_IDS = 1000

export class EndedIds {
  /** In the order of their ends. */
  readonly #ids = new Set<string>()

  add(id: string | undefined): void {
    if (id === undefined) return
    this.#ids.add(id)
    if (this.#ids.size <= MAX_IDS) return
    const [oldest] = this.#ids
    if (oldest !== undefined) this.#ids.delete(oldest)
  }

  has(id: string | undefined): boolean {
    return id !== undefined && this.#ids.has(id)
  }

  /** Call this when the call or session with this id begins again. */
  delete(id: string): void {
    this.#ids.delete(id)
  }
}
