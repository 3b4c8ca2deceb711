// Stricter than the schema's library: a name that the schema does not know is refused, even if the library would drop it silently.
import { isJsonObject, type JsonObject } from '@signalbox/core'
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'

export type JsonSchema = { readonly [keyword: string]: unknown }

export type ParsedArguments<Params> =
  | { readonly ok: true; readonly params: Params }
  /** `reason`: sentences for the agent. */
  | { readonly ok: false; readonly reason: string }

export async function parseArguments<Params>(
  schema: StandardSchemaV1<unknown, Params>,
  args: unknown,
): Promise<ParsedArguments<Params>> {
  const result = await schema['~standard'].validate(args)
  if (result.issues !== undefined)
    return {
      ok: false,
      reason: result.issues.map(describeIssue).join('\n') || 'They are not valid.',
    }
  const input = findJsonSchema(schema)
  const unknown =
    input === null ? [] : droppedNames({ schema: input, given: args, parsed: result.value })
  if (unknown.length === 0) return { ok: true, params: result.value }
  return { ok: false, reason: unknown.map((name) => `'${name}' is not known.`).join('\n') }
}

/** JSON Schema of the accepted values; null: the schema's library cannot produce it. */
export function findJsonSchema(schema: StandardSchemaV1): JsonSchema | null {
  const { '~standard': standard } = schema
  if (!describesItself(standard)) return null
  try {
    return standard.jsonSchema.input({ target: 'draft-2020-12' })
  } catch {
    // The specification allows a library to throw for a schema that JSON Schema cannot express, such as a transformation.
    return null
  }
}

function describesItself(
  standard: StandardSchemaV1['~standard'],
): standard is StandardSchemaV1['~standard'] & StandardJSONSchemaV1['~standard'] {
  return 'jsonSchema' in standard
}

function describeIssue({ message, path = [] }: StandardSchemaV1.Issue): string {
  const place = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
  return place === '' ? message : `'${place}': ${message}`
}

interface Passage {
  readonly schema: unknown
  readonly given: unknown
  readonly parsed: unknown
}

/** All three conditions are needed, because a schema may rename listed names and pass unlisted ones through. */
function droppedNames({ schema, given, parsed }: Passage): readonly string[] {
  if (!isJsonObject(schema)) return []
  if (Array.isArray(given) && Array.isArray(parsed)) {
    const items = schema['items']
    return given.flatMap((each, i) =>
      below(String(i), droppedNames({ schema: items, given: each, parsed: parsed[i] })),
    )
  }
  const properties = listedBy(schema)
  if (properties === null || !isJsonObject(given) || !isJsonObject(parsed)) return []
  return Object.keys(given).flatMap((name) => {
    if (!Object.hasOwn(properties, name)) return Object.hasOwn(parsed, name) ? [] : [name]
    const passage = { schema: properties[name], given: given[name], parsed: parsed[name] }
    return below(name, droppedNames(passage))
  })
}

function below(name: string, names: readonly string[]): readonly string[] {
  return names.map((each) => `${name}.${each}`)
}

/** null: the schema combines others, or accepts any name. */
function listedBy(schema: JsonObject): JsonObject | null {
  const { properties, additionalProperties } = schema
  const open = additionalProperties !== undefined && additionalProperties !== false
  return open || !isJsonObject(properties) ? null : properties
}
