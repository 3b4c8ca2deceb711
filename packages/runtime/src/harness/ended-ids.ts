// Recently ended calls or sessions, so that a repeated report does not count as a new one.

/** Number of ids to keep; no step has more calls. */
const MAX_IDS = 1000

export class EndedIds {
  /** Oldest end first. */
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

  delete(id: string): void {
    this.#ids.delete(id)
  }
}
