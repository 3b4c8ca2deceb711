import { GuardrailError } from '@signalbox/runtime/base'

export interface ResourceKey<Value> {
  readonly name: string
  of(value: Value): Resource
}

export interface Resource {
  readonly key: ResourceKey<never>
  readonly value: unknown
}

/** Creates a new key on each call; the name is for messages only. */
export function defineResource<Value>(name: string): ResourceKey<Value> {
  const key: ResourceKey<Value> = { name, of: (value) => ({ key, value }) }
  return key
}

/** Typed by key, because TypeScript has no types at run time. */
export class Resources {
  readonly #values: ReadonlyMap<ResourceKey<never>, unknown>

  constructor(resources: readonly Resource[] = []) {
    this.#values = new Map(resources.map(({ key, value }) => [key, value]))
  }

  has<Value>(key: ResourceKey<Value>): boolean {
    return this.#values.has(key)
  }

  /** Throws GuardrailError `bad_options` if the host passed none. */
  get<Value>(key: ResourceKey<Value>): Value {
    if (!this.#values.has(key))
      throw new GuardrailError(
        'bad_options',
        `There is no resource "${key.name}". Pass it to the session: resources: [${key.name}.of(…)].`,
      )
    // Only `key.of` creates a resource with this key, and it takes a `Value`.
    return this.#values.get(key) as Value
  }
}
