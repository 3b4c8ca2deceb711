import type { DispatchedEvent, SliceDefinition, SliceView } from './slice.ts'
import { createView, type Operation, type Readable } from './slice-store.ts'
import type { SliceValues } from './slice-values.ts'

export interface Slice<Value> extends SliceView<Value> {
  /** Replaces the content without the reducer. */
  seed(...values: readonly Value[]): void
  /** Removes the values that match. Absent: all values. */
  clear(matches?: (value: Value) => boolean): void
}

export interface SessionAccess {
  readonly id: string
  /** Registers the slice if it is new. Throws GuardrailError `slice_conflict`. */
  slice<Value>(definition: SliceDefinition<Value>): Slice<Value>
  /** Throws, and changes nothing, if a reducer throws or a value is refused. */
  dispatch(event: DispatchedEvent): void
}

export function sliceOver<Value>(
  definition: SliceDefinition<Value>,
  store: Readable,
  apply: (operation: Operation) => void,
): Slice<Value> {
  // The registry refuses a second definition with the same name, so the values under it belong to this definition.
  const values = () => store.readValues(definition) as SliceValues<Value>
  return {
    ...createView(values),
    seed: (...seeded) => apply({ kind: 'seed', slice: definition, values: seeded }),
    clear: (matches = () => true) =>
      // `value` comes from this slice, too.
      apply({ kind: 'clear', slice: definition, matches: (value) => matches(value as Value) }),
  }
}
