// Definitions of slices and events (specs/library.md). TypeScript has no types at run time, so a definition represents one.
import type { StandardSchemaV1 } from '@standard-schema/spec'

export interface EventKey {
  readonly type: string
  readonly schema: StandardSchemaV1 | null
}

export interface DispatchedEvent<Data = unknown> {
  readonly of: EventKey
  readonly data: Data
}

/** Creates an event when called: `session.dispatch(StepDone({ id: '1' }))`. */
export interface EventType<Data> extends EventKey {
  (data: Data): DispatchedEvent<Data>
  readonly schema: StandardSchemaV1<unknown, Data> | null
}

export interface SliceView<Value> {
  /** null: the slice is empty. */
  latest(): Value | null
  /** Oldest first. */
  all(): readonly Value[]
  where(matches: (value: Value) => boolean): readonly Value[]
  /** The last `count` values that match, oldest first. Reads only as far back as needed. */
  recent(count: number, matches?: (value: Value) => boolean): readonly Value[]
}

export type SliceChange<Value> =
  | { readonly kind: 'append'; readonly values: readonly Value[] }
  | { readonly kind: 'replace'; readonly values: readonly Value[] }

/** Pure. If it throws, the dispatcher gets the error, and no part of the event is applied. */
export type Reducer<Value, Data> = (slice: SliceView<Value>, data: Data) => SliceChange<Value>

export interface ReducerBinding<Value> {
  readonly event: EventKey
  readonly reduce: Reducer<Value, unknown>
}

export interface AnyBinding {
  readonly event: EventKey
  readonly reduce: (slice: SliceView<never>, data: unknown) => SliceChange<unknown>
}

/** A state slice is restored with a snapshot; a log slice is history and is kept. */
export type SliceKind = 'state' | 'log'

export interface SliceKey extends EventKey {
  readonly kind: SliceKind
  readonly initial: readonly unknown[]
  readonly bindings: readonly AnyBinding[]
}

/** Creates an event with one value for the slice when called: `session.dispatch(Plan({ steps: [] }))`. */
export interface SliceDefinition<Value> extends EventType<Value> {
  readonly kind: SliceKind
  readonly initial: readonly Value[]
  readonly bindings: readonly ReducerBinding<Value>[]
}

export interface SliceOptions<Value> {
  /** Absent: `state`. */
  readonly kind?: SliceKind
  /** Reducer of dispatched values. Absent: `appendAll()`. */
  readonly reduce?: Reducer<Value, Value>
  readonly on?: readonly ReducerBinding<Value>[]
  /** Content before the first event and after a reset. Absent: empty. */
  readonly initial?: readonly Value[]
  /** Checks every value on entry; must be synchronous. Absent: values need only be JSON. */
  readonly schema?: StandardSchemaV1<unknown, Value>
}

export interface EventOptions<Data> {
  /** Checks the data of every event; must be synchronous. */
  readonly schema?: StandardSchemaV1<unknown, Data>
}

/** `type` is unique in a session. */
export function defineEvent<Data>(type: string, options: EventOptions<Data> = {}): EventType<Data> {
  const key = { type, schema: options.schema ?? null }
  const make = (data: Data): DispatchedEvent<Data> => ({ of: made, data })
  const made: EventType<Data> = Object.assign(make, key)
  return made
}

/** `name` is unique in a session; it is the slice's key in snapshots. */
export function defineSlice<Value>(
  name: string,
  options: SliceOptions<Value> = {},
): SliceDefinition<Value> {
  const own = defineEvent<Value>(name, options)
  const parts = { kind: options.kind ?? 'state', initial: options.initial ?? [] }
  const bindings = [on(own, options.reduce ?? appendAll<Value>()), ...(options.on ?? [])]
  return Object.assign(own, { ...parts, bindings })
}

export function on<Value, Data>(
  event: EventType<Data>,
  reducer: Reducer<Value, Data>,
): ReducerBinding<Value> {
  // A session passes only events created by `event` to this binding, and their data is `Data`.
  return { event, reduce: (slice, data) => reducer(slice, data as Data) }
}

export function append<Value>(...values: readonly Value[]): SliceChange<Value> {
  return { kind: 'append', values }
}

export function replace<Value>(...values: readonly Value[]): SliceChange<Value> {
  return { kind: 'replace', values }
}

export function appendAll<Value>(): Reducer<Value, Value> {
  return (_, value) => append(value)
}

export function replaceLatest<Value>(): Reducer<Value, Value> {
  return (_, value) => replace(value)
}

/** Keeps one value per key, in the order of first occurrence. */
export function upsertBy<Value>(
  selectKey: (value: Value) => string | number,
): Reducer<Value, Value> {
  return (slice, value) => {
    const key = selectKey(value)
    const values = slice.all()
    const at = values.findIndex((known) => selectKey(known) === key)
    return at === -1 ? append(value) : replace(...values.with(at, value))
  }
}
