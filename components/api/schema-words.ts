import { countText } from '@signalbox/core/analysis'
import type { ShownSchema } from '@/server/http/api-page.ts'

function alternatives({ anyOf, oneOf }: ShownSchema): readonly ShownSchema[] {
  return anyOf ?? oneOf ?? []
}

export function typeWords(schema: ShownSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  }
  const choices = alternatives(schema)
  if (choices.length > 0) return [...new Set(choices.map(typeWords))].join(' or ')
  if (Array.isArray(schema.type)) return schema.type.map(word).join(' or ')
  if (schema.type === 'array') return `list of ${typeWords(schema.items ?? {})}`
  return typeof schema.type === 'string' ? word(schema.type) : 'any JSON'
}

function word(type: string): string {
  const words: Readonly<Record<string, string>> = { string: 'text', integer: 'whole number' }
  return words[type] ?? type
}

const LARGE = 2_147_483_647

/** `1 to 200`, `at most 100 characters`; empty: no limits. Limits of the number type itself are left out. */
export function boundWords(schema: ShownSchema): string {
  const { minimum, maximum, maxLength, pattern } = schema
  const said: string[] = []
  const hasMost = maximum !== undefined && maximum < LARGE
  if (hasMost && minimum !== undefined) said.push(`${minimum} to ${maximum}`)
  else if (minimum !== undefined && minimum > 0) said.push(`at least ${minimum}`)
  if (maxLength !== undefined) said.push(`at most ${countText(maxLength)} characters`)
  if (pattern !== undefined) said.push(`matches ${pattern}`)
  if (schema.default !== undefined) said.push(`else ${JSON.stringify(schema.default)}`)
  return said.join(', ')
}

/** Object schemas inside the schema: itself, the items of a list, or every alternative. */
export function objectsIn(schema: ShownSchema): readonly ShownSchema[] {
  if (schema.properties !== undefined) return [schema]
  if (schema.items !== undefined) return objectsIn(schema.items)
  return alternatives(schema).flatMap(objectsIn)
}
