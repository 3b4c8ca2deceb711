// Compares JSON values. The result equals that of comparing canonical texts (RFC 8785), without building them.
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'

export function isSameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => isSameJson(item, b[i]))
  }
  return isJsonObject(a) && isJsonObject(b) && isSameObject(a, b)
}

function isSameObject(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]))
}
