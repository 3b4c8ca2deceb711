// Names that the schemas would drop without a word: `__proto__`, wherever an object takes any names. What an author or a runtime
// wrote is kept or refused, never forgotten.

type Path = readonly (string | number)[]

const LOST = '__proto__'

/** Path of the first dropped name; null: none was. `parsed` is the schema's result for `given`, which is JSON. */
export function lostName(given: unknown, parsed: unknown): Path | null {
  // Parts that may hold anything are passed on as they are.
  if (given === parsed || !isObject(given) || !isObject(parsed)) return null
  if (Object.hasOwn(given, LOST) && !Object.hasOwn(parsed, LOST)) return [LOST]
  for (const [name, value] of Object.entries(given)) {
    const below = lostName(value, Object.hasOwn(parsed, name) ? parsed[name] : undefined)
    if (below !== null) return [Array.isArray(given) ? Number(name) : name, ...below]
  }
  return null
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null
}
