// JSON values and pointers (RFC 6901): the only data that configs, events and states are made of.

export type JsonPrimitive = string | number | boolean | null
export type JsonValue = JsonPrimitive | readonly JsonValue[] | JsonObject
export type JsonObject = { readonly [key: string]: JsonValue }

/** True for a plain JSON object; arrays and null are not objects here. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Appends one step to a JSON pointer, escaping `~` and `/` as RFC 6901 asks. */
export function pointerTo(base: string, step: string | number): string {
  return `${base}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`
}
