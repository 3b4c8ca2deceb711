// Never throws. Does not check the document's meaning: callers run core's `compileConfig` or `compileChecked` on the result.
import { type AnyNode, parse } from '@humanwhocodes/momoa'
import type { ConfigDocument, ConfigSource, JsonValue, Problem } from '@signalbox/core'
import type * as z from 'zod/v4'
import { byteLength } from './byte-length.ts'
import { ConfigSourceV1, ConfigV1 } from './config-v1.ts'
import { lostNameProblem, numberProblem, toProblems } from './issue-sentence.ts'
import { locateJsonError } from './json-error.ts'
import { lostName } from './lost-name.ts'
import { MAX_CONFIG_BYTES } from './names.ts'
import { isTooDeep, MAX_DEPTH } from './nesting.ts'
import { tooLargeNumber } from './too-large-number.ts'

export type Parsed<Document> =
  | {
      readonly ok: true
      readonly document: Document
      /** JSON as written, without `$schema`. The digest is computed from it. */
      readonly value: JsonValue
      readonly problems: readonly Problem[]
    }
  | { readonly ok: false; readonly problems: readonly Problem[] }

export type ParsedConfig = Parsed<ConfigDocument>

const MAX_PROBLEMS = 200

function refuse(pointer: string, code: string, message: string): Parsed<never> {
  return { ok: false, problems: [{ pointer, code, severity: 'error', message }] }
}

/** Refuses `extends`: a runtime enforces flat documents only. */
export function parseConfigText(text: string): ParsedConfig {
  const parsed = parseAs(text, ConfigV1)
  if (parsed.ok || !parsed.problems.some(({ pointer }) => pointer === '/extends')) return parsed
  return refuse(
    '/extends',
    'extends_unresolved',
    'The text extends another config, which only the control plane can resolve. Publish it, and use the version that this makes.',
  )
}

/** For texts that people write: `extends` is allowed. */
export function parseConfigSource(text: string): Parsed<ConfigSource> {
  return parseAs(text, ConfigSourceV1)
}

function parseAs<Document>(text: string, schema: z.ZodType<Document>): Parsed<Document> {
  if (byteLength(text) > MAX_CONFIG_BYTES) {
    return refuse(
      '',
      'too_large',
      'The document is larger than 1 MiB. Split it by prompt or remove what is not used.',
    )
  }
  if (text.trim() === '')
    return refuse('', 'empty', 'The document is empty. Start with {"schema_version": 1}.')
  if (isTooDeep(text))
    return refuse('', 'too_deep', `The document is nested deeper than ${MAX_DEPTH}. Flatten it.`)
  try {
    return check(JSON.parse(text), text, schema)
  } catch (error) {
    return refuse('', 'syntax', syntaxMessage(text, error))
  }
}

function syntaxMessage(text: string, fallback: unknown): string {
  try {
    parse(text, { mode: 'json' })
  } catch (error) {
    const place = locateJsonError(text, error)
    if (place !== null)
      return `This is not valid JSON: line ${place.line}, column ${place.column}, ${place.found}.`
  }
  return `This is not valid JSON: ${fallback instanceof Error ? fallback.message : String(fallback)}.`
}

function check<Document>(
  written: JsonValue,
  text: string,
  schema: z.ZodType<Document>,
): Parsed<Document> {
  const value = withoutSchema(written)
  const twice = duplicateKeys(text)
  if (twice.length > 0) return { ok: false, problems: twice }
  const overflow = tooLargeNumber(text, value)
  if (overflow !== null) return { ok: false, problems: [numberProblem(overflow)] }
  const unsupported = versionProblem(value)
  if (unsupported !== null) return unsupported
  const result = schema.safeParse(value)
  if (!result.success)
    return { ok: false, problems: toProblems(result.error.issues, value).slice(0, MAX_PROBLEMS) }
  const lost = lostName(value, result.data)
  if (lost !== null) return { ok: false, problems: [lostNameProblem(lost)] }
  return { ok: true, document: result.data, value, problems: [] }
}

/** `$schema` names the schema for editors; it is not part of the config. */
function withoutSchema(value: JsonValue): JsonValue {
  if (!isObject(value) || typeof value['$schema'] !== 'string') return value
  const { $schema, ...document } = value
  return document
}

function versionProblem(value: JsonValue): Parsed<never> | null {
  if (!isObject(value)) {
    return refuse('', 'invalid_type', 'A config is an object. Start with {"schema_version": 1}.')
  }
  const version = Object.hasOwn(value, 'schema_version') ? value['schema_version'] : undefined
  if (version === 1) return null
  const message =
    version === undefined
      ? 'The field "schema_version" is required. Set it to 1.'
      : `The schema version ${JSON.stringify(version)} is not supported. This build reads version 1.`
  return refuse('/schema_version', 'unsupported_version', message)
}

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function duplicateKeys(text: string): Problem[] {
  const problems: Problem[] = []
  walk(parse(text, { mode: 'json' }).body, '', problems)
  return problems
}

function walk(node: AnyNode, pointer: string, problems: Problem[]): void {
  if (node.type === 'Array') {
    for (const [i, element] of node.elements.entries()) {
      walk(element.value, `${pointer}/${i}`, problems)
    }
  }
  if (node.type !== 'Object') return
  const seen = new Set<string>()
  for (const { name, value } of node.members) {
    const key = name.type === 'String' ? name.value : name.name
    const here = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (seen.has(key)) {
      const message = `The field "${key}" is written twice in one object, so one of them would be lost. Keep one.`
      problems.push({ pointer: here, code: 'duplicate_key', severity: 'error', message })
    }
    seen.add(key)
    walk(value, here, problems)
  }
}
