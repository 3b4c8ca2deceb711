// Pure; accepts broken text.
import type { JsonObject, JsonValue } from '@signalbox/core'
import { findNodeAtOffset, getNodePath, type Node, parseTree } from 'jsonc-parser'
import type { JsonPath } from '@/components/kit/diff/json-edit.ts'
import { createReader, describedBy, kindWord, requires } from './completion.ts'
import { type CustomRule, namesType, placesAt, ruleKindAt } from './document/schema-walk.ts'

export interface Explanation {
  /** In characters. */
  readonly from: number
  readonly to: number
  readonly title: string
  readonly facts: string
  /** From the schema; empty: none. */
  readonly sentence: string
}

/** Null: the schema has no description. */
export function explainAt(
  text: string,
  offset: number,
  customRules: readonly CustomRule[],
): Explanation | null {
  const tree = parseTree(text)
  const node = tree === undefined ? undefined : findNodeAtOffset(tree, offset, true)
  if (node === undefined || node.type === 'array' || node.type === 'object') return null
  const path = findPath(node)
  const name = path.findLast((step) => typeof step === 'string')
  if (name === undefined) return null
  const read = createReader(tree)
  const [schema] = placesAt(path, read, customRules).map((place) => place.schema)
  if (schema === undefined) return null
  const around = placesAt(path.slice(0, -1), read, customRules)
  const isRequired = around.length > 0 && around.every((place) => requires(place, name))
  const rule = isRuleType(path) ? describedBy(around[0]?.schema ?? {}) : ''
  const sentence = rule === '' || around.length > 1 ? describedBy(schema) : rule
  const facts = [...describeSchemaFacts(schema), ...(isRequired ? ['required'] : [])].join(', ')
  if (facts === '' && sentence === '') return null
  return { from: node.offset, to: node.offset + node.length, title: name, facts, sentence }
}

/** At a property's name, or between name and value: path of the value. */
function findPath(node: Node): JsonPath {
  const property = node.type === 'property' ? node : node.parent
  const key = property?.type === 'property' ? property.children?.[0] : undefined
  const isOnValue = node !== property && node !== key
  if (key === undefined || property?.parent === undefined || isOnValue) return getNodePath(node)
  return [...getNodePath(property.parent), String(key.value)]
}

function isRuleType(path: JsonPath): boolean {
  const kind = ruleKindAt(path.slice(0, -1))
  return kind !== null && path.at(-1) === namesType(kind)
}

function describeSchemaFacts(schema: JsonObject): readonly string[] {
  const { enum: choices } = schema
  if ('const' in schema) return [`always ${JSON.stringify(schema['const'])}`]
  if (Array.isArray(choices)) {
    const values: readonly JsonValue[] = choices
    return [values.map((value) => JSON.stringify(value)).join(' or ')]
  }
  return [kindWord(schema), describeBounds(schema)].filter((fact) => fact !== '')
}

function describeBounds(schema: JsonObject): string {
  const { minimum, exclusiveMinimum: above, maximum, maxLength, maxItems } = schema
  const most = isNumber(maximum) ? `at most ${maximum}` : ''
  if (isNumber(minimum) && isNumber(maximum)) return `${minimum} to ${maximum}`
  if (isNumber(above)) return [`more than ${above}`, most].filter(Boolean).join(', ')
  if (most !== '') return most
  if (isNumber(maxLength)) return `at most ${maxLength} characters`
  return isNumber(maxItems) ? `at most ${maxItems} entries` : ''
}

function isNumber(value: JsonValue | undefined): value is number {
  return typeof value === 'number'
}
