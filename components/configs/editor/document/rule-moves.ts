import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import { insertItem, type JsonPath, type TextEdit } from '@/components/kit/diff/json-edit.ts'
import { freeId, valueAt } from '@/components/kit/diff/json-values.ts'
import { ruleKindAt } from './schema-walk.ts'

/** Innermost rule in a list that contains the place; null: none. */
export function listedRuleAt(path: JsonPath): JsonPath | null {
  for (let depth = path.length; depth > 0; depth--) {
    const start = path.slice(0, depth)
    if (typeof start.at(-1) === 'number' && ruleKindAt(start) !== null) return start
  }
  return null
}

/** Next rule (`step` 1) or previous rule (-1) of the list; null: there is none. */
export function neighbor(value: JsonObject, rule: JsonPath, step: 1 | -1): JsonPath | null {
  const next = [...rule.slice(0, -1), Number(rule.at(-1)) + step]
  return valueAt(value, next) === undefined ? null : next
}

/** The copy has unused ids. */
export function duplicateRule(text: string, value: JsonObject, rule: JsonPath): TextEdit | null {
  const original = valueAt(value, rule)
  if (original === undefined) return null
  const taken: JsonValue[] = [value]
  const copy = withFreeIds(original, taken)
  return insertItem(text, rule.slice(0, -1), { index: Number(rule.at(-1)) + 1, value: copy })
}

function withFreeIds(value: JsonValue, taken: JsonValue[]): JsonValue {
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value
    return items.map((item) => withFreeIds(item, taken))
  }
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).map(([name, inner]): [string, JsonValue] => {
    if (name === 'checkers') return [name, withFreeIds(inner, taken)]
    if (name !== 'id' || typeof inner !== 'string') return [name, inner]
    const id = freeId(taken, inner)
    taken.push({ id })
    return [name, id]
  })
  return Object.fromEntries(entries)
}
