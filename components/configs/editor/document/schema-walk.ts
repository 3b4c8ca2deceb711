// Works on broken text: the readable part selects the alternative of a union by its `type`.
import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import { ConfigV1 } from '@signalbox/wire'
import { z } from 'zod'
import type { JsonPath } from '@/components/kit/diff/json-edit.ts'
import type { Workbench } from '@/server/configs/drafts.ts'

export type CustomRule = Workbench['customRules'][number]

/** Content rules have a `kind` instead of a `type`, and no custom ones. */
export type RuleKind = CustomRule['kind'] | 'content'

export function namesType(kind: RuleKind): 'type' | 'kind' {
  return kind === 'content' ? 'kind' : 'type'
}

/** A schema without alternatives, and the document that resolves its references. */
export interface Place {
  readonly schema: JsonObject
  readonly root: JsonObject
  /** Schema of `params`, a separate document; only for a rule of a custom type. */
  readonly params?: JsonObject | null
}

export type ReadValue = (path: JsonPath) => unknown

let config: JsonObject | null = null

function configSchema(): JsonObject {
  // zod's output is JSON, but its type is wider.
  config ??= z.toJSONSchema(ConfigV1, { unrepresentable: 'any', io: 'input' }) as JsonObject
  return config
}

/** Null: no rule can stand at the path. */
export function ruleKindAt(path: JsonPath): RuleKind | null {
  if (path.length === 1) return path[0] === 'task_completion_checker' ? 'checker' : null
  if (typeof path.at(-1) !== 'number') return null
  switch (path.at(-2)) {
    case 'policies':
      return path.length === 2 || path[0] === 'sections' ? 'policy' : null
    case 'content':
      return path.length === 2 || path[0] === 'sections' ? 'content' : null
    case 'feedback_providers':
      return path.length === 2 ? 'feedback_provider' : null
    case 'checkers':
      return path[0] === 'task_completion_checker' ? 'checker' : null
    default:
      return null
  }
}

/** Empty: the schema has nothing there. With a missing or unknown `type`, returns all alternatives of a union. */
export function placesAt(
  path: JsonPath,
  read: ReadValue,
  customRules: readonly CustomRule[],
): readonly Place[] {
  const root = configSchema()
  let places = expand({ schema: root, root })
  for (const [depth, step] of path.entries()) {
    const container = path.slice(0, depth)
    const chosen = filterByType(places, container, read)
    places = chosen.flatMap((place) => stepInto(place, step))
    const kind = ruleKindAt(path.slice(0, depth + 1))
    if (kind !== null) places = withCustom(places, kind, customRules)
  }
  return filterByType(places, path, read)
}

/** Stops at a reference to itself. */
function expand(place: Place, seen: readonly string[] = []): readonly Place[] {
  const { schema, root } = place
  const { $ref: reference } = schema
  if (typeof reference === 'string') {
    const target = seen.includes(reference) ? null : resolve(root, reference)
    if (target === null) return []
    const { $ref: _reference, ...beside } = schema
    return expand({ schema: { ...target, ...beside }, root }, [...seen, reference])
  }
  const inner = [schema['anyOf'], schema['oneOf'], schema['allOf']].flatMap(objectsIn)
  if (inner.length === 0) return [place]
  return inner.flatMap((alternative) => expand({ schema: alternative, root }, seen))
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  const items: readonly JsonValue[] = Array.isArray(value) ? value : []
  return items.filter(isJsonObject)
}

function resolve(root: JsonObject, reference: string): JsonObject | null {
  if (!reference.startsWith('#')) return null
  let node: JsonValue | undefined = root
  for (const step of reference.slice(1).split('/').filter(Boolean)) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    node = isJsonObject(node) && Object.hasOwn(node, name) ? node[name] : undefined
  }
  return isJsonObject(node) ? node : null
}

export function readProperties({ schema }: Place): JsonObject {
  const { properties } = schema
  return isJsonObject(properties) ? properties : {}
}

/** The single value of `type`, or of `kind`, in an alternative; null: it allows several. */
function readConstType(place: Place, name: 'type' | 'kind' = 'type'): string | null {
  const type = readProperties(place)[name]
  const only = isJsonObject(type) ? type['const'] : undefined
  return typeof only === 'string' ? only : null
}

function filterByType(places: readonly Place[], path: JsonPath, read: ReadValue): readonly Place[] {
  const name = namesType(ruleKindAt(path) ?? 'policy')
  const type = read([...path, name])
  if (typeof type !== 'string' || type === '') return places
  const exact = places.filter((place) => readConstType(place, name) === type)
  if (exact.length > 0) return exact
  const open = places.filter(
    (place) => readConstType(place, name) === null && name in readProperties(place),
  )
  return open.length > 0 ? open : places
}

function stepInto(place: Place, step: string | number): readonly Place[] {
  const { schema, root, params = null } = place
  if (step === 'params' && params !== null) return expand({ schema: params, root: params })
  const inner = typeof step === 'number' ? schema['items'] : memberSchema(place, step)
  return isJsonObject(inner) ? expand({ schema: inner, root }) : []
}

function memberSchema(place: Place, name: string): JsonValue | undefined {
  const properties = readProperties(place)
  return Object.hasOwn(properties, name) ? properties[name] : place.schema['additionalProperties']
}

/** The schema of `params` comes from the runtime; all other fields of a custom rule are built in. */
function withCustom(
  places: readonly Place[],
  kind: RuleKind,
  customRules: readonly CustomRule[],
): readonly Place[] {
  const open = places.find((place) => readConstType(place) === null)
  if (open === undefined) return places
  const known = customRules.filter((rule) => rule.kind === kind)
  return [...places, ...known.map((rule) => customPlace(open, rule))]
}

function customPlace({ schema, root }: Place, rule: CustomRule): Place {
  const description = 'A custom type of a runtime.'
  const type = { type: 'string', const: rule.type, description }
  const properties = { ...readProperties({ schema, root }), type }
  return { schema: { ...schema, description, properties }, root, params: rule.schema }
}
