// `__proto__` in an object with arbitrary names: input from an author or a runtime is kept or refused, never lost.

type Path = readonly (string | number)[]

const LOST = '__proto__'

/** Path of the first dropped name; null: none was dropped. `given` must be JSON; `parsed` is the schema's result for it. */
export function lostName(given: unknown, parsed: unknown): Path | null {
  // Parts with arbitrary content are passed on unchanged.
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
