// Orders the requests of a session (specs/sessions.md): each waits for the previous one. An event that the disk refused is recorded before
// anything else.
export class SessionOrder {
  #last: Promise<unknown> = Promise.resolve()
  /** Oldest first. */
  readonly #owed: (() => void)[] = []

  /** Rejects as `work` does, and while something that is owed cannot be recorded. */
  serially<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => {
      this.catchUp()
      return work()
    })
    this.#last = result.catch(() => undefined)
    return result
  }

  /** `work` records one event, so that what is tried again is recorded once. */
  owe(work: () => void): void {
    this.#owed.push(work)
  }

  /** Throws while something that is owed cannot be recorded. */
  catchUp(): void {
    for (let next = this.#owed[0]; next !== undefined; next = this.#owed[0]) {
      next()
      this.#owed.shift()
    }
  }
}
