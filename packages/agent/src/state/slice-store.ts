import { GuardrailError } from '@signalbox/runtime/base'
import { frozenJson } from './frozen-json.ts'
import type {
  AnyBinding,
  DispatchedEvent,
  EventKey,
  SliceChange,
  SliceKey,
  SliceView,
} from './slice.ts'
import { SliceValues } from './slice-values.ts'

export type Operation =
  | { readonly kind: 'event'; readonly event: DispatchedEvent }
  | { readonly kind: 'seed'; readonly slice: SliceKey; readonly values: readonly unknown[] }
  | {
      readonly kind: 'clear'
      readonly slice: SliceKey
      readonly matches: (value: unknown) => boolean
    }

export type Changes = ReadonlyMap<string, SliceValues<unknown>>

export interface Readable {
  readValues(slice: SliceKey): SliceValues<unknown>
}

interface Bound {
  readonly slice: SliceKey
  readonly binding: AnyBinding
}

export class SliceRegistry {
  readonly #slices = new Map<string, SliceKey>()
  readonly #bound = new Map<string, readonly Bound[]>()
  readonly #events = new Map<string, EventKey>()

  get slices(): readonly SliceKey[] {
    return [...this.#slices.values()]
  }

  get(name: string): SliceKey | undefined {
    return this.#slices.get(name)
  }

  /** Idempotent. Throws GuardrailError `slice_conflict` if another definition has the name. */
  register(slice: SliceKey): void {
    if (this.#slices.get(slice.type) === slice) return
    this.claim(slice)
    this.#slices.set(slice.type, slice)
    for (const binding of slice.bindings) {
      const { type } = binding.event
      this.claim(binding.event)
      this.#bound.set(type, [...(this.#bound.get(type) ?? []), { slice, binding }])
    }
  }

  /** Claims the name for one definition, because reducers and listeners rely on the type of its data. */
  claim(event: EventKey): void {
    const known = this.#events.get(event.type)
    if (known !== undefined && known !== event)
      throw new GuardrailError(
        'slice_conflict',
        `Two definitions are called "${event.type}". Rename one of them, or import the same definition in both places.`,
      )
    this.#events.set(event.type, event)
  }

  boundTo(event: EventKey): readonly Bound[] {
    return this.#bound.get(event.type) ?? []
  }
}

/** Computes changes without applying them. Throws the errors of reducers, and GuardrailError for values that are refused. */
export function changesBy(
  operation: Operation,
  registry: SliceRegistry,
  before: Readable,
): Changes {
  if (operation.kind === 'event') return reduce(operation.event, registry, before)
  const { slice } = operation
  const values =
    operation.kind === 'seed'
      ? checkedAll(slice, operation.values)
      : before
          .readValues(slice)
          .toArray()
          .filter((value) => !operation.matches(value))
  return new Map([[slice.type, new SliceValues([...values])]])
}

function reduce(event: DispatchedEvent, registry: SliceRegistry, before: Readable): Changes {
  const changes = new Map<string, SliceValues<unknown>>()
  for (const { slice, binding } of registry.boundTo(event.of)) {
    const values = changes.get(slice.type) ?? before.readValues(slice)
    // The binding belongs to this slice's definition, so it takes exactly the values that the slice holds.
    const change: SliceChange<unknown> = binding.reduce(
      createView(() => values) as SliceView<never>,
      event.data,
    )
    changes.set(slice.type, changed(slice, values, change))
  }
  return changes
}

function changed(
  slice: SliceKey,
  values: SliceValues<unknown>,
  change: SliceChange<unknown>,
): SliceValues<unknown> {
  const added = checkedAll(slice, change.values)
  return change.kind === 'append' ? values.append(added) : new SliceValues([...added])
}

function checkedAll(slice: SliceKey, values: readonly unknown[]): readonly unknown[] {
  return values.map((value) => checked(slice, value))
}

const known = new WeakMap<SliceKey, WeakSet<object>>()

/** Returns the value as parsed by the schema, frozen. A value that this slice already held is not checked again. */
function checked(slice: SliceKey, value: unknown): unknown {
  const seen = known.get(slice) ?? new WeakSet()
  known.set(slice, seen)
  if (typeof value === 'object' && value !== null && seen.has(value)) return value
  const kept = frozenJson(validated(slice, value), slice.type)
  if (typeof kept === 'object' && kept !== null) seen.add(kept)
  return kept
}

/** Throws GuardrailError `invalid_value` with the schema's first issue. */
export function validated({ type, schema }: EventKey, value: unknown): unknown {
  if (schema === null) return value
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise)
    throw new GuardrailError(
      'invalid_value',
      `The schema of "${type}" is asynchronous. Use a synchronous one.`,
    )
  if (result.issues === undefined) return result.value
  const message = result.issues[0]?.message ?? 'it is not valid'
  throw new GuardrailError('invalid_value', `A value of "${type}" was refused: ${message}`)
}

export function initialValues(slice: SliceKey): SliceValues<unknown> {
  return new SliceValues([...checkedAll(slice, slice.initial)])
}

export function createView<Value>(values: () => SliceValues<Value>): SliceView<Value> {
  return {
    latest: () => values().latest,
    all: () => values().toArray(),
    where: (matches) => values().toArray().filter(matches),
    recent: (count, matches = () => true) => values().recent(count, matches),
  }
}
