// Pure: takes text and cursor, returns edits. Accepts broken text.
import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import {
  CHECKER_FORMS,
  type ExpressionPlace,
  type FormField,
  POLICY_FORMS,
} from '@signalbox/core/lint'
import {
  findNodeAtLocation,
  getLocation,
  getNodeValue,
  type JSONPath,
  type Location,
  type Node,
  parseTree,
} from 'jsonc-parser'
import type { JsonPath, TextEdit } from '@/components/kit/diff/json-edit.ts'
import { detectLayout, printJson } from '@/components/kit/diff/json-print.ts'
import { optionsAt } from './document/expression-completion.ts'
import { NEW_TRIGGER, OFFERED_TYPES } from './document/new-rules.ts'
import {
  type CustomRule,
  namesType,
  type Place,
  placesAt,
  type RuleKind,
  readProperties,
  ruleKindAt,
} from './document/schema-walk.ts'
import { toolsIn } from './tools-in-text.ts'

export interface Suggestion {
  readonly label: string
  readonly kind: 'field' | 'value' | 'rule' | 'tool' | 'name'
  readonly detail: string
  /** From the schema; empty: none. */
  readonly info: string
  readonly edit: TextEdit
  /** Offset of the cursor after the edit, in the new text. */
  readonly cursor: number
}

export interface Suggestions {
  /** Start of the typed part; options are matched with the text from here to the cursor. */
  readonly from: number
  readonly options: readonly Suggestion[]
}

interface Cursor {
  readonly text: string
  readonly tree: Node | undefined
  readonly path: JsonPath
  readonly from: number
  readonly to: number
  readonly isInString: boolean
  readonly customRules: readonly CustomRule[]
}

/** Null: nothing to suggest. */
export function suggestionsAt(
  text: string,
  offset: number,
  customRules: readonly CustomRule[],
): Suggestions | null {
  const location = getLocation(text, offset)
  const token = tokenAt(text, offset, location)
  if (token === null) return null
  const path: JsonPath = location.path
  const cursor: Cursor = { text, tree: parseTree(text), path, ...token, customRules }
  const place = location.isAtPropertyKey ? null : conditionAt(cursor)
  if (place !== null) return suggestNames(cursor, offset, place)
  const options = location.isAtPropertyKey ? fieldsAt(cursor) : valuesAt(cursor)
  if (options.length === 0) return null
  return { from: token.from + (token.isInString ? 1 : 0), options }
}

/** Null: the value at the cursor is no condition. */
function conditionAt({ path, tree, isInString }: Cursor): ExpressionPlace | null {
  const rule = path.slice(0, -1)
  const kind = isInString ? ruleKindAt(rule) : null
  if (kind !== 'policy' && kind !== 'checker') return null
  const forms = new Map<unknown, { readonly fields: readonly FormField[] }>(
    Object.entries(kind === 'policy' ? POLICY_FORMS : CHECKER_FORMS),
  )
  const { fields = [] } = forms.get(createReader(tree)([...rule, 'type'])) ?? {}
  const field = fields.find((one) => 'field' in one && one.field === path.at(-1))
  return field?.control === 'expression' ? field.place : null
}

function suggestNames(
  { text, tree, from }: Cursor,
  offset: number,
  place: ExpressionPlace,
): Suggestions | null {
  const before = readBegunString(text.slice(from, offset))
  const known = { tools: toolsIn(tree), args: [] }
  const found = before === null ? null : optionsAt(before, place, known)
  if (found === null) return null
  const start = offset - found.typed
  const options = found.options.map(({ label, about, insert, back }): Suggestion => {
    const escaped = JSON.stringify(insert).slice(1, -1)
    const after = JSON.stringify(insert.slice(insert.length - back)).length - 2
    return {
      ...{ label, kind: 'name', detail: '', info: about },
      edit: { from: start, to: offset, insert: escaped },
      cursor: start + escaped.length - after,
    }
  })
  return { from: start, options }
}

/** `text` begins with the quote. Null: it ends within an escape sequence. */
function readBegunString(text: string): string | null {
  try {
    return String(JSON.parse(`${text}"`))
  } catch {
    return null
  }
}

type Token = Pick<Cursor, 'from' | 'to' | 'isInString'>

/** Null: no value can begin at the cursor, because a complete value stands before it or a bracket or string begins after it. */
function tokenAt(text: string, offset: number, { previousNode }: Location): Token | null {
  if (previousNode !== undefined && offset <= previousNode.offset + previousNode.length) {
    const { offset: from, length } = previousNode
    const isInString = text[from] === '"'
    const isClosed = isInString && length > 1 && text[from + length - 1] === '"'
    if (offset <= from || (isClosed && offset === from + length)) return null
    return { from, to: from + length, isInString }
  }
  const word = /[\w.-]*$/.exec(text.slice(0, offset))?.[0] ?? ''
  const from = offset - word.length
  if (!/(?:^|[[{,:])\s*$/.test(text.slice(0, from))) return null
  const rest = /^[\w.-]*/.exec(text.slice(offset))?.[0] ?? ''
  const to = offset + rest.length
  if (/^[{["]/.test(text.slice(offset))) return null
  return { from, to, isInString: false }
}

export function createReader(tree: Node | undefined): (path: JsonPath) => unknown {
  return (path) => {
    // jsonc-parser's type requires a mutable array, but it only reads it.
    const node = tree === undefined ? undefined : findNodeAtLocation(tree, path as JSONPath)
    return node === undefined ? undefined : getNodeValue(node)
  }
}

function fieldsAt(cursor: Cursor): readonly Suggestion[] {
  const { text, tree, path, customRules } = cursor
  const container = path.slice(0, -1)
  const read = createReader(tree)
  const value = read(container)
  const present = new Set(
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [],
  )
  // The name being typed is no field yet, so it must not exclude its own suggestion.
  const own = text.slice(cursor.from, cursor.to).replaceAll('"', '')
  present.delete(own)
  const places = placesAt(container, read, customRules)
  const tools = places.some(isNamedByTools) ? toolsIn(tree) : []
  return [
    ...sharedFields(places)
      .filter(([name]) => !present.has(name))
      .map(([name, schema, isRequired]) => fieldSuggestion(cursor, { name, schema, isRequired })),
    ...tools
      .filter((tool) => !present.has(tool))
      .map((name) => {
        const schema = places
          .map((place) => place.schema['additionalProperties'])
          .find(isJsonObject)
        const field = fieldSuggestion(cursor, { name, schema: schema ?? {}, isRequired: false })
        return { ...field, kind: 'tool' as const, detail: 'tool' }
      }),
  ]
}

function isNamedByTools({ schema }: Place): boolean {
  const names = schema['propertyNames']
  return isJsonObject(names) && names['title'] === 'tool'
}

type NamedField = readonly [name: string, schema: JsonObject, isRequired: boolean]

/** With several alternatives, only fields common to all are offered: `type` comes first and selects one. */
function sharedFields(places: readonly Place[]): readonly NamedField[] {
  const [first, ...others] = places
  if (first === undefined) return []
  return Object.entries(readProperties(first)).flatMap(([name, schema]): NamedField[] => {
    const isShared = others.every((place) => name in readProperties(place))
    if (!isShared || !isJsonObject(schema)) return []
    return [[name, schema, places.every((place) => requires(place, name))]]
  })
}

export function requires({ schema }: Place, name: string): boolean {
  const { required } = schema
  return Array.isArray(required) && required.includes(name)
}

interface Field {
  readonly name: string
  readonly schema: JsonObject
  readonly isRequired: boolean
}

function fieldSuggestion(cursor: Cursor, { name, schema, isRequired }: Field): Suggestion {
  const { text, path, to } = cursor
  const after = text.slice(to)
  const isNamed = /^\s*:/.test(after)
  const { value, mark } = suggestValueStart(schema, [...path.slice(0, -1), name])
  const key = JSON.stringify(name)
  const insert = isNamed ? key : `${key}: ${value}${commaBefore(after)}`
  return {
    label: name,
    kind: 'field',
    detail: isRequired ? 'required' : kindWord(schema),
    info: describedBy(schema),
    edit: { from: cursor.from, to, insert },
    cursor: cursor.from + (isNamed ? insert.length : key.length + 2 + mark),
  }
}

function commaBefore(after: string): string {
  return /^\s*["{[\w-]/.test(after) ? ',' : ''
}

function suggestValueStart(schema: JsonObject, path: JsonPath): { value: string; mark: number } {
  if ('const' in schema) return whole(JSON.stringify(schema['const'] ?? null))
  if (ruleKindAt(path) !== null) return { value: '', mark: 0 }
  switch (typeWord(schema)) {
    case 'string':
      return { value: '""', mark: 1 }
    case 'array':
      return { value: '[]', mark: 1 }
    case 'object':
      return { value: '{}', mark: 1 }
    default:
      return { value: '', mark: 0 }
  }
}

function whole(value: string): { value: string; mark: number } {
  return { value, mark: value.length }
}

function typeWord(schema: JsonObject): string | null {
  const { type } = schema
  return typeof type === 'string' ? type : null
}

/** "list", "whole number"; empty: the schema allows several kinds. */
export function kindWord(schema: JsonObject): string {
  if (schema['title'] === 'tool') return 'tool'
  if (Array.isArray(schema['enum'])) return 'choice'
  switch (typeWord(schema)) {
    case 'string':
      return 'text'
    case 'integer':
      return 'whole number'
    case 'number':
      return 'number'
    case 'boolean':
      return 'true or false'
    case 'array':
      return 'list'
    case 'object':
      return 'object'
    default:
      return ''
  }
}

export function describedBy(schema: JsonObject): string {
  const { description } = schema
  return typeof description === 'string' ? description : ''
}

function valuesAt(cursor: Cursor): readonly Suggestion[] {
  const { tree, path, customRules } = cursor
  const read = createReader(tree)
  const kind = ruleKindAt(path)
  if (kind !== null && !cursor.isInString) return suggestRules(cursor, kind)
  const around = ruleKindAt(path.slice(0, -1))
  const name = around === null ? 'type' : namesType(around)
  if (path.at(-1) === name) return typesAt(cursor, name)
  const seen = new Set<string>()
  return placesAt(path, read, customRules)
    .flatMap((place) => suggestValues(cursor, place))
    .filter(({ label }) => !seen.has(label) && seen.add(label))
}

function typesAt(cursor: Cursor, name: 'type' | 'kind'): readonly Suggestion[] {
  const { path, tree, customRules } = cursor
  const read = createReader(tree)
  const isHere = (at: JsonPath) => at.join('\n') === path.join('\n')
  const around = (at: JsonPath) => (isHere(at) ? undefined : read(at))
  return placesAt(path.slice(0, -1), around, customRules).flatMap(({ schema }) => {
    const type = readConst(schema, name)
    return type === undefined ? [] : [scalar(cursor, type, describedBy(schema))]
  })
}

function suggestValues(cursor: Cursor, place: Place): readonly Suggestion[] {
  const { schema } = place
  const info = describedBy(schema)
  if ('const' in schema) return [scalar(cursor, schema['const'] ?? null, info)]
  const { enum: choices } = schema
  if (Array.isArray(choices)) {
    const values: readonly JsonValue[] = choices
    return values.map((value) => scalar(cursor, value, info))
  }
  if (schema['title'] === 'tool') return toolValues(cursor)
  if (typeWord(schema) === 'boolean') {
    return [true, false].map((value) => scalar(cursor, value, info))
  }
  return []
}

function toolValues(cursor: Cursor): readonly Suggestion[] {
  const { text, tree, path, from, to } = cursor
  const own = text.slice(from, to).replaceAll('"', '')
  const beside = createReader(tree)(path.slice(0, -1))
  const listed: readonly unknown[] = Array.isArray(beside) ? beside : []
  return toolsIn(tree)
    .filter((tool) => tool !== own && !listed.includes(tool))
    .map((tool) => ({ ...scalar(cursor, tool, ''), kind: 'tool', detail: 'tool' }))
}

function scalar(cursor: Cursor, value: JsonValue, info: string): Suggestion {
  const { text, from, to } = cursor
  const printed = JSON.stringify(value)
  const insert = printed + commaBefore(text.slice(to))
  const label = typeof value === 'string' ? value : printed
  const edit = { from, to, insert }
  return { label, kind: 'value', detail: '', info, edit, cursor: from + printed.length }
}

function suggestRules(cursor: Cursor, kind: RuleKind): readonly Suggestion[] {
  const { tree, path, customRules } = cursor
  const places = placesAt(path, () => undefined, customRules)
  const name = namesType(kind)
  const describeType = (type: string): string => {
    const place = places.find(({ schema }) => readConst(schema, name) === type)
    return place === undefined ? '' : describedBy(place.schema)
  }
  const known = OFFERED_TYPES[kind].map(({ rule }) => rule)
  const custom = customRules
    .filter((rule) => rule.kind === kind)
    .map(({ type }): JsonObject => ({ ...customStart(kind, type), type }))
  const ids = idsIn(tree)
  return [...known, ...custom].map((rule) => {
    const id = freshId(ids, String(rule['id']))
    const type = String(rule[name])
    return ruleSuggestion(cursor, { ...rule, id }, { type, info: describeType(type) })
  })
}

function readConst(schema: JsonObject, name: string): JsonValue | undefined {
  const { properties } = schema
  const field = isJsonObject(properties) ? properties[name] : undefined
  return isJsonObject(field) ? field['const'] : undefined
}

function customStart(kind: RuleKind, type: string): JsonObject {
  const words = type.toLowerCase().replaceAll(/[^a-z0-9._-]+/g, '-')
  const id = words.replace(/^[^a-z0-9]+/, '').slice(0, 60) || 'custom'
  return kind === 'feedback_provider' ? { id, type, trigger: NEW_TRIGGER } : { id, type }
}

function ruleSuggestion(
  cursor: Cursor,
  rule: JsonObject,
  { type, info }: { readonly type: string; readonly info: string },
): Suggestion {
  const { text, from, to } = cursor
  const printed = printJson(rule, detectLayout(text, from), false)
  const insert = printed + commaBefore(text.slice(to))
  const gap = /\[\]|\{\}/.exec(printed)
  return {
    label: type,
    kind: 'rule',
    detail: String(rule['id']),
    info,
    edit: { from, to, insert },
    cursor: from + (gap === null ? printed.length : gap.index + 1),
  }
}

function idsIn(tree: Node | undefined): ReadonlySet<unknown> {
  const ids = new Set<unknown>()
  const visit = (node: Node): void => {
    const [key, value] = node.type === 'property' ? (node.children ?? []) : []
    if (key?.value === 'id' && value !== undefined) ids.add(value.value)
    for (const child of node.children ?? []) visit(child)
  }
  if (tree !== undefined) visit(tree)
  return ids
}

function freshId(taken: ReadonlySet<unknown>, wanted: string): string {
  if (!taken.has(wanted)) return wanted
  for (let n = 2; ; n++) {
    if (!taken.has(`${wanted}-${n}`)) return `${wanted}-${n}`
  }
}
