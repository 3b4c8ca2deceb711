// Copies and freezes the JSON values of a slice on entry, so that a snapshot is complete and nothing changes without a reducer.
import { GuardrailError } from '@signalbox/runtime/base'

const frozen = new WeakSet<object>()

/** Returns a frozen copy, without undefined properties. Throws GuardrailError `not_json`, which names the place. */
export function frozenJson<Value>(value: Value, name: string): Value {
  // The copy has the same entries everywhere, except `undefined` properties, which JSON cannot represent.
  return copy(value, { name, path: '', above: [] }) as Value
}

interface Place {
  readonly name: string
  readonly path: string
  /** Enclosing objects; one that appears again is a cycle. */
  readonly above: readonly object[]
}

function copy(value: unknown, place: Place): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value !== 'object') throw refused(place, typeof value)
  if (frozen.has(value)) return value
  if (place.above.includes(value)) throw refused(place, 'reference to itself')
  const made = Array.isArray(value) ? copyArray(value, place) : copyObject(value, place)
  frozen.add(made)
  return Object.freeze(made)
}

function copyArray(value: readonly unknown[], place: Place): unknown[] {
  return Array.from(value, (entry, i) => copy(entry, below(place, value, i)))
}

function copyObject(value: object, place: Place): object {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null)
    throw refused(place, `${value.constructor.name} object`)
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined)
  return Object.fromEntries(
    entries.map(([key, entry]) => [key, copy(entry, below(place, value, key))]),
  )
}

function below({ name, path, above }: Place, value: object, step: string | number): Place {
  return { name, path: `${path}/${step}`, above: [...above, value] }
}

function refused({ name, path }: Place, found: string): GuardrailError {
  const where = path === '' ? '' : ` at ${path}`
  return new GuardrailError(
    'not_json',
    `A value of "${name}" holds a ${found}${where}. Slices hold JSON: use text, numbers, booleans, lists and plain objects.`,
  )
}
