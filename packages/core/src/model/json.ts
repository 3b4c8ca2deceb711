export type JsonPrimitive = string | number | boolean | null
export type JsonValue = JsonPrimitive | readonly JsonValue[] | JsonObject
export type JsonObject = { readonly [key: string]: JsonValue }

/** True for a JSON object; false for arrays and null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A name from outside, such as `constructor`, must not find what every object inherits. */
export function getOwn<Value>(
  fields: { readonly [name: string]: Value } | undefined,
  name: string,
): Value | undefined {
  return fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined
}

/** Appends one step to a JSON pointer and escapes `~` and `/` (RFC 6901). */
export function pointerTo(base: string, step: string | number): string {
  return `${base}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Leaves out fields whose value is undefined, which JSON cannot contain and a type with exact optional fields refuses. */
export function omitUndefined<const Fields extends object>(
  fields: Fields,
): { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  // Only fields were removed, and Object.fromEntries does not keep their types.
  return Object.fromEntries(entries) as ReturnType<typeof omitUndefined<Fields>>
}
