// Immutable values of one slice. Appending has a constant cost, because lists that grew from each other share one array.

export class SliceValues<Value> {
  readonly length: number
  /** May be longer than this list; further values belong to a later one. */
  readonly #shared: Value[]
  #array: readonly Value[] | null = null

  constructor(shared: Value[], length = shared.length) {
    this.#shared = shared
    this.length = length
  }

  get latest(): Value | null {
    return this.#shared[this.length - 1] ?? null
  }

  /** Frozen; the same array on each call. */
  toArray(): readonly Value[] {
    this.#array ??= Object.freeze(this.#shared.slice(0, this.length))
    return this.#array
  }

  recent(count: number, matches: (value: Value) => boolean): readonly Value[] {
    const found: Value[] = []
    for (let at = this.length - 1; at >= 0 && found.length < count; at -= 1) {
      // `at` is below this list's length, and the shared array is never shorter.
      const value = this.#shared[at] as Value
      if (matches(value)) found.unshift(value)
    }
    return found
  }

  append(values: readonly Value[]): SliceValues<Value> {
    if (this.#shared.length !== this.length) return new SliceValues([...this.toArray(), ...values])
    for (const value of values) this.#shared.push(value)
    return new SliceValues(this.#shared)
  }
}
