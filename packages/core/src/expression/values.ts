// Converts JSON to CEL values, but only the parts that the expression reads. Every JSON number is a double, as CEL specifies for JSON.
import { type CelMap, type CelValue, celList, celMap, isCelList, isCelMap } from '@bufbuild/cel'
import type { ExpressionValue, ValueSource } from '../model/expression-engine.ts'
import { getOwn, type JsonObject, type JsonValue } from '../model/json.ts'
import { MAX_DEPTH, TEXT_PER_UNIT } from './limits.ts'

const REMOVED = 'the value was redacted or truncated'
const NOT_LISTED = 'this map can be asked for one key at a time, not listed'

/** Each list and object is converted and measured at most once. */
export class Values {
  private readonly converted = new Map<object, CelValue>()
  private readonly weights = new Map<object, number>()
  private readonly removed = new WeakSet<CelMap>()

  from(value: ExpressionValue): CelValue {
    if (typeof value !== 'object' || value === null) return value
    const known = this.converted.get(value)
    if (known !== undefined) return known
    const converted = this.convert(value)
    this.converted.set(value, converted)
    return converted
  }

  /** Throws for a value that was removed from the event, because its keys are unknown. */
  hasKey(map: CelMap, key: Parameters<CelMap['get']>[0]): boolean {
    if (this.removed.has(map)) throw new Error(REMOVED)
    return map.get(key) !== undefined
  }

  /** Units of work to read every part of a value. Throws for a value that cannot be listed, such as a removed one. */
  weigh(value: CelValue, depth = 0): number {
    if (typeof value === 'string' || value instanceof Uint8Array) return weighText(value.length)
    if (!isCelList(value) && !isCelMap(value)) return 1
    if (depth > MAX_DEPTH) throw new Error(`the value has more than ${MAX_DEPTH} levels`)
    const known = this.weights.get(value)
    if (known !== undefined) return known
    let weight = 1
    for (const part of value.values()) weight += this.weigh(part, depth + 1)
    this.weights.set(value, weight)
    return weight
  }

  private convert(value: readonly JsonValue[] | JsonObject | ValueSource): CelValue {
    if (isList(value)) return celList(value.map((entry) => this.from(entry)))
    if (isSource(value)) {
      const source = value
      return this.toMap((key) => source.get(key), refuse(NOT_LISTED))
    }
    if (Object.hasOwn(value, '$redacted') || Object.hasOwn(value, '$truncated')) {
      const map = celMap(new LazyMap<CelValue>(() => undefined, refuse(REMOVED)))
      this.removed.add(map)
      return map
    }
    return this.toMap(
      (key) => getOwn(value, key),
      () => Object.keys(value),
    )
  }

  private toMap(
    read: (key: string) => ExpressionValue | undefined,
    keys: () => readonly string[],
  ): CelMap {
    const converted = (key: string): CelValue | undefined => {
      const value = read(key)
      return value === undefined ? undefined : this.from(value)
    }
    const list = () => new Map(keys().map((key) => [key, converted(key) ?? null]))
    return celMap(new LazyMap<CelValue>(converted, list))
  }
}

function weighText(length: number): number {
  return 1 + Math.floor(length / TEXT_PER_UNIT)
}

function refuse(sentence: string): () => never {
  return () => {
    throw new Error(sentence)
  }
}

function isList(
  value: readonly JsonValue[] | JsonObject | ValueSource,
): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/** JSON has no functions, so an object whose `get` is a function is not JSON. */
function isSource(value: JsonObject | ValueSource): value is ValueSource {
  return typeof value['get'] === 'function'
}

/** Listed only when the expression needs the whole map. `list` may throw: then the map supports lookup only. */
class LazyMap<Value> implements ReadonlyMap<string, Value> {
  private readonly read: (key: string) => Value | undefined
  private readonly list: () => ReadonlyMap<string, Value>
  private listed: ReadonlyMap<string, Value> | null = null

  constructor(read: (key: string) => Value | undefined, list: () => ReadonlyMap<string, Value>) {
    this.read = read
    this.list = list
  }

  /** Accepts any value as a key; only strings are ever present. */
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
