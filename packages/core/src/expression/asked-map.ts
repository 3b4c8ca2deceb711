// A map that is read by key, and listed only when the whole is requested.

/** Map for the evaluator. `list` may throw: then the map supports lookup, but not listing, counting or comparison. */
export class AskedMap<Value> implements ReadonlyMap<string, Value> {
  private readonly read: (key: string) => Value | undefined
  private readonly list: () => ReadonlyMap<string, Value>
  private listed: ReadonlyMap<string, Value> | null = null

  constructor(read: (key: string) => Value | undefined, list: () => ReadonlyMap<string, Value>) {
    this.read = read
    this.list = list
  }

  /** Any value may be asked for; only strings are ever there. */
  get(key: unknown): Value | undefined {
    return typeof key === 'string' ? this.read(key) : undefined
  }

  has(key: unknown): boolean {
    return this.get(key) !== undefined
  }

  get size(): number {
    return this.all().size
  }

  keys(): MapIterator<string> {
    return this.all().keys()
  }

  values(): MapIterator<Value> {
    return this.all().values()
  }

  entries(): MapIterator<[string, Value]> {
    return this.all().entries()
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries()
  }

  forEach(callback: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [key, value] of this.all()) callback(value, key, this)
  }

  private all(): ReadonlyMap<string, Value> {
    this.listed ??= this.list()
    return this.listed
  }
}
