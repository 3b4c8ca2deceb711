// A journal, so that a failed call has nothing to undo, and overlapping calls cannot erase each other's work (specs/library.md).
import type { SessionAccess, Slice } from './session-access.ts'
import { sliceOver } from './session-access.ts'
import type { DispatchedEvent, SliceDefinition, SliceKey } from './slice.ts'
import { changesBy, type Operation, type Readable, type SliceRegistry } from './slice-store.ts'
import type { SliceValues } from './slice-values.ts'

interface TransactionParts {
  readonly id: string
  readonly registry: SliceRegistry
  readonly store: Readable
  readonly version: () => number
  readonly admit: (event: DispatchedEvent) => DispatchedEvent
  readonly apply: (operations: readonly Operation[]) => void
}

/** States: open → committed | discarded; both are final. While open, reads see this transaction's writes on top of the session's current content. */
export class SessionTransaction implements SessionAccess {
  readonly id: string
  readonly #parts: TransactionParts
  readonly #journal: Operation[] = []
  readonly #own: Readable = { readValues: (slice) => this.#readValues(slice) }
  #overlay = new Map<string, SliceValues<unknown>>()
  /** Version of the session on which the overlay is based. */
  #basis: number
  #open = true

  constructor(parts: TransactionParts) {
    this.id = parts.id
    this.#parts = parts
    this.#basis = parts.version()
  }

  slice<Value>(definition: SliceDefinition<Value>): Slice<Value> {
    this.#parts.registry.register(definition)
    return sliceOver(definition, this.#own, (operation) => this.#write(operation))
  }

  dispatch(event: DispatchedEvent): void {
    this.#write({ kind: 'event', event: this.#parts.admit(event) })
  }

  /** Applies the writes to the current content of the session. Throws, and changes nothing, if a reducer throws. */
  commit(): void {
    this.#close()
    if (this.#journal.length > 0) this.#parts.apply(this.#journal)
  }

  discard(): void {
    this.#open = false
  }

  #close(): void {
    if (!this.#open) throw new Error('The tool call is over: its session can no longer be written.')
    this.#open = false
  }

  #write(operation: Operation): void {
    if (!this.#open) this.#close()
    this.#refresh()
    this.#fold(operation)
    this.#journal.push(operation)
  }

  #fold(operation: Operation): void {
    for (const [name, values] of changesBy(operation, this.#parts.registry, this.#own))
      this.#overlay.set(name, values)
  }

  #readValues(slice: SliceKey): SliceValues<unknown> {
    this.#refresh()
    return this.#overlay.get(slice.type) ?? this.#parts.store.readValues(slice)
  }

  /** Applies this transaction's writes again on top of what other calls committed meanwhile. */
  #refresh(): void {
    const now = this.#parts.version()
    if (now === this.#basis || !this.#open) return
    this.#basis = now
    this.#overlay = new Map()
    for (const operation of this.#journal) this.#fold(operation)
  }
}
