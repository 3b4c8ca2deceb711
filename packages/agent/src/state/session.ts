import { randomUUID } from 'node:crypto'
import type { OnDiagnostic } from '@signalbox/runtime/base'
import { describeError } from '@signalbox/runtime/base'
import { type SessionAccess, type Slice, sliceOver } from './session-access.ts'
import type { DispatchedEvent, EventKey, EventType, SliceDefinition, SliceKey } from './slice.ts'
import {
  type Changes,
  changesBy,
  initialValues,
  type Operation,
  type Readable,
  SliceRegistry,
  validated,
} from './slice-store.ts'
import type { SliceValues } from './slice-values.ts'
import { parseSnapshot, type SessionSnapshot } from './snapshot.ts'
import { SessionTransaction } from './transaction.ts'

export interface SessionOptions {
  /** Absent: a random one. */
  readonly id?: string
  readonly parent?: Session
  readonly slices?: readonly SliceKey[]
  /** Called if a listener throws; the others still run. */
  readonly onDiagnostic?: OnDiagnostic
}

export interface SnapshotOptions {
  /** True: includes log slices. Absent: state slices only. */
  readonly logs?: boolean
}

type Listener = { readonly run: (data: unknown) => unknown }

export class Session implements SessionAccess {
  readonly id: string
  readonly parent: Session | null
  readonly #children: Session[] = []
  readonly #registry = new SliceRegistry()
  readonly #values = new Map<string, SliceValues<unknown>>()
  readonly #subscribers = new Map<string, Set<Listener>>()
  readonly #observers = new Map<string, Set<Listener>>()
  readonly #report: OnDiagnostic
  readonly #store: Readable = { readValues: (slice) => this.#readValues(slice) }
  #version = 0
  #reducing = false

  constructor(options: SessionOptions = {}) {
    this.id = options.id ?? randomUUID()
    this.parent = options.parent ?? null
    this.#report = options.onDiagnostic ?? (() => undefined)
    this.parent?.adopt(this)
    for (const slice of options.slices ?? []) this.#registry.register(slice)
  }

  get children(): readonly Session[] {
    return [...this.#children]
  }

  get version(): number {
    return this.#version
  }

  /** Called by the child's constructor. */
  adopt(child: Session): void {
    if (child.parent === this && !this.#children.includes(child)) this.#children.push(child)
  }

  /** Makes the slice react to events from now on. Idempotent. Throws GuardrailError `slice_conflict`. */
  register(slice: SliceKey): void {
    this.#registry.register(slice)
  }

  slice<Value>(definition: SliceDefinition<Value>): Slice<Value> {
    this.#registry.register(definition)
    return sliceOver(definition, this.#store, (operation) => this.#apply([operation]))
  }

  dispatch(event: DispatchedEvent): void {
    this.#apply([{ kind: 'event', event: this.#admit(event) }])
  }

  #admit(event: DispatchedEvent): DispatchedEvent {
    if (isSliceKey(event.of)) this.#registry.register(event.of)
    else this.#registry.claim(event.of)
    return { of: event.of, data: validated(event.of, event.data) }
  }

  subscribe<Data>(event: EventType<Data>, listener: (data: Data) => unknown): () => void {
    this.#registry.claim(event)
    // Only events created by `event` are passed on, and their data is `Data`.
    return listen(this.#subscribers, event.type, (data) => listener(data as Data))
  }

  observe<Value>(
    definition: SliceDefinition<Value>,
    listener: (latest: Value | null) => unknown,
  ): () => void {
    const slice = this.slice(definition)
    return listen(this.#observers, definition.type, () => listener(slice.latest()))
  }

  begin(): SessionTransaction {
    return new SessionTransaction({
      id: this.id,
      registry: this.#registry,
      store: this.#store,
      version: () => this.#version,
      admit: (event) => this.#admit(event),
      apply: (operations) => this.#apply(operations),
    })
  }

  snapshot({ logs = false }: SnapshotOptions = {}): SessionSnapshot {
    const kept = this.#registry.slices.filter(({ kind }) => logs || kind === 'state')
    const slices = kept.map((slice) => [slice.type, this.#readValues(slice).toArray()] as const)
    return { v: 1, session: this.id, logs, slices: Object.fromEntries(slices) }
  }

  /**
   * Restores a `snapshot`, which may come from a file. State slices that it does not contain get their initial content; log slices are kept
   * unless `logs`. Throws GuardrailError `snapshot_invalid`, and changes nothing.
   */
  restore(snapshot: unknown, { logs = false }: SnapshotOptions = {}): void {
    const parsed = parseSnapshot(snapshot, { logs, known: (name) => this.#registry.get(name) })
    const wanted = this.#registry.slices.filter(({ kind }) => logs || kind === 'state')
    this.#apply(
      wanted.map((slice) => ({
        kind: 'seed',
        slice,
        values: parsed.get(slice.type) ?? slice.initial,
      })),
    )
  }

  /** Resets every slice to its initial content. Listeners and children stay. */
  reset(): void {
    const operations = this.#registry.slices.map(
      (slice): Operation => ({ kind: 'seed', slice, values: slice.initial }),
    )
    this.#apply(operations)
  }

  /** Copies slices and values into an independent session, without listeners, children and, unless given, a parent. */
  clone(options: Omit<SessionOptions, 'slices'> = {}): Session {
    const clone = new Session({ ...options, slices: this.#registry.slices })
    clone.restore(this.snapshot({ logs: true }), { logs: true })
    return clone
  }

  #readValues(slice: SliceKey): SliceValues<unknown> {
    const values = this.#values.get(slice.type) ?? initialValues(slice)
    this.#values.set(slice.type, values)
    return values
  }

  /** Applies all operations or none, then calls the listeners. The error of a listener does not affect the others. */
  #apply(operations: readonly Operation[]): void {
    if (this.#reducing)
      throw new Error(
        'A reducer must not change the session: it only returns the new values of its slice.',
      )
    const changes = this.#compute(operations)
    for (const [name, values] of changes) this.#values.set(name, values)
    this.#version += 1
    for (const operation of operations) {
      if (operation.kind === 'event')
        this.#tell(this.#subscribers, operation.event.of.type, operation.event.data)
    }
    for (const name of changes.keys()) this.#tell(this.#observers, name, null)
  }

  #compute(operations: readonly Operation[]): Changes {
    const changes = new Map<string, SliceValues<unknown>>()
    const store = {
      readValues: (slice: SliceKey) => changes.get(slice.type) ?? this.#readValues(slice),
    }
    this.#reducing = true
    try {
      for (const operation of operations) {
        for (const [name, values] of changesBy(operation, this.#registry, store))
          changes.set(name, values)
      }
    } finally {
      this.#reducing = false
    }
    return changes
  }

  #tell(listeners: ReadonlyMap<string, ReadonlySet<Listener>>, name: string, data: unknown): void {
    for (const { run } of [...(listeners.get(name) ?? [])]) {
      try {
        void Promise.resolve(run(data)).catch((error: unknown) => this.#failed(name, error))
      } catch (error) {
        this.#failed(name, error)
      }
    }
  }

  #failed(name: string, error: unknown): void {
    const message = `A listener of "${name}" failed: ${describeError(error)}`
    this.#report({ level: 'error', code: 'listener_failed', message })
  }
}

function isSliceKey(event: EventKey): event is SliceKey {
  return 'bindings' in event
}

function listen(
  listeners: Map<string, Set<Listener>>,
  name: string,
  run: (data: unknown) => unknown,
): () => void {
  const listener = { run }
  const known = listeners.get(name) ?? new Set()
  listeners.set(name, known.add(listener))
  return () => {
    known.delete(listener)
  }
}
