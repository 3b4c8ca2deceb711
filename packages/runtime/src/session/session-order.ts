// Each request waits for the previous one (specs/sessions.md). Events that the disk refused are recorded before anything else.
export class SessionOrder {
  #last: Promise<unknown> = Promise.resolve()
  readonly #owed: (() => void)[] = []

  /** Runs `work` after earlier requests. Rejects as `work` does, and while an owed event cannot be recorded. */
  serially<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => {
      this.catchUp()
      return work()
    })
    this.#last = result.catch(() => undefined)
    return result
  }

  /** `work` must record exactly one event, so that a retry does not record others twice. */
  owe(work: () => void): void {
    this.#owed.push(work)
  }

  /** Throws while an owed event cannot be recorded. */
  catchUp(): void {
    for (let next = this.#owed[0]; next !== undefined; next = this.#owed[0]) {
      next()
      this.#owed.shift()
    }
  }
}
