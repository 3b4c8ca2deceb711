import { isJsonObject, type JsonObject, type JsonValue, pointerTo } from '@signalbox/core'
import type { JsonPath } from './json-edit.ts'

export function valueAt(value: JsonValue, path: JsonPath): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((node, step) => {
    if (Array.isArray(node)) {
      const items: readonly JsonValue[] = node
      return typeof step === 'number' ? items[step] : undefined
    }
    return isJsonObject(node) && Object.hasOwn(node, step) ? node[step] : undefined
  }, value)
}

export function toPointer(path: JsonPath): string {
  return path.reduce<string>((pointer, step) => pointerTo(pointer, step), '')
}

export function listAt(value: JsonValue, path: JsonPath): readonly JsonValue[] {
  const found = valueAt(value, path)
  return Array.isArray(found) ? found : []
}

export function objectAt(value: JsonValue, path: JsonPath): JsonObject {
  const found = valueAt(value, path)
  return isJsonObject(found) ? found : {}
}

export function stringAt(value: JsonValue, path: JsonPath): string {
  const found = valueAt(value, path)
  return typeof found === 'string' ? found : ''
}

/** JSON pointer of the rule with this id; null: none. */
export function findRulePointer(value: JsonValue, id: string, pointer = ''): string | null {
  if (typeof value !== 'object' || value === null) return null
  if (isJsonObject(value) && value['id'] === id && typeof value['type'] === 'string') return pointer
  for (const [name, inner] of Object.entries(value)) {
    const found = findRulePointer(inner, id, pointerTo(pointer, name))
    if (found !== null) return found
  }
  return null
}

export function freeId(value: JsonValue, wanted: string): string {
  const text = JSON.stringify(value)
  const taken = (id: string) => text.includes(`"id":${JSON.stringify(id)}`)
  if (!taken(wanted)) return wanted
  for (let n = 2; ; n++) {
    if (!taken(`${wanted}-${n}`)) return `${wanted}-${n}`
  }
}
