// Definitions of slices and events (specs/library.md): TypeScript has no types at run time, so a definition represents one.
import type { StandardSchemaV1 } from '@standard-schema/spec'

/** Names an event and, when there is a schema, checks its data. */
export interface EventKey {
  readonly type: string
  readonly schema: StandardSchemaV1 | null
}

/** An occurrence, made by calling its type. */
export interface DispatchedEvent<Data = unknown> {
  readonly of: EventKey
  readonly data: Data
}

/** Call it to make an event: `session.dispatch(StepDone({ id: '1' }))`. */
export interface EventType<Data> extends EventKey {
  (data: Data): DispatchedEvent<Data>
  readonly schema: StandardSchemaV1<unknown, Data> | null
}

export interface SliceView<Value> {
  /** null when the slice is empty. */
  latest(): Value | null
  /** Oldest first. */
  all(): readonly Value[]
  where(matches: (value: Value) => boolean): readonly Value[]
  /** The last `count` that match, oldest first; costs no more than it has to look back. */
  recent(count: number, matches?: (value: Value) => boolean): readonly Value[]
}

export type SliceChange<Value> =
  | { readonly kind: 'append'; readonly values: readonly Value[] }
  | { readonly kind: 'replace'; readonly values: readonly Value[] }

/** Pure. What it throws reaches the dispatcher, and nothing of the event is applied. */
export type Reducer<Value, Data> = (slice: SliceView<Value>, data: Data) => SliceChange<Value>

export interface ReducerBinding<Value> {
  readonly event: EventKey
  readonly reduce: Reducer<Value, unknown>
}

/** A binding to a slice whose type of values is not known here. */
export interface AnyBinding {
  readonly event: EventKey
  readonly reduce: (slice: SliceView<never>, data: unknown) => SliceChange<unknown>
}

/** A state slice is restored with a snapshot; a log slice is history and is kept. */
export type SliceKind = 'state' | 'log'

/** Everything but the type of its values; what a session keeps. */
export interface SliceKey extends EventKey {
  readonly kind: SliceKind
  readonly initial: readonly unknown[]
  readonly bindings: readonly AnyBinding[]
}

/** Call it to make an event that holds one value for the slice: `session.dispatch(Plan({ steps: [] }))`. */
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
  /** Reducers for other events, made by `on`. */
  readonly on?: readonly ReducerBinding<Value>[]
  /** Content before the first event and after a reset. Absent: empty. */
  readonly initial?: readonly Value[]
  /** Checks every value on entry; must answer synchronously. Absent: only that it is JSON. */
  readonly schema?: StandardSchemaV1<unknown, Value>
}

export interface EventOptions<Data> {
  /** Checks the data of every event; must answer synchronously. */
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

/** Lets a slice react to an event that is not its own. */
export function on<Value, Data>(
  event: EventType<Data>,
  reducer: Reducer<Value, Data>,
): ReducerBinding<Value> {
  // A session hands to this binding only events made by `event`, whose data is `Data`.
  return { event, reduce: (slice, data) => reducer(slice, data as Data) }
}

/** The slice keeps what it holds, and `values` follow. */
export function append<Value>(...values: readonly Value[]): SliceChange<Value> {
  return { kind: 'append', values }
}

/** The slice holds `values` and nothing else. */
export function replace<Value>(...values: readonly Value[]): SliceChange<Value> {
  return { kind: 'replace', values }
}

/** Keeps every value. */
export function appendAll<Value>(): Reducer<Value, Value> {
  return (_, value) => append(value)
}

/** Keeps only the last value. */
export function replaceLatest<Value>(): Reducer<Value, Value> {
  return (_, value) => replace(value)
}

/** Keeps one value for each key, in the order in which the keys first came. */
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
