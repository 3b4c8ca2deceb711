import type { JsonValue, Problem, ProblemFix } from '@signalbox/core'
import type { z } from 'zod'
import { nearest } from './nearest.ts'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

function toIssuePointer(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function valueAt(document: unknown, path: Path): unknown {
  let value = document
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Object.entries(value).find(([key]) => key === String(step))?.[1]
  }
  return value
}

function problem(path: Path, code: string, message: string): Problem {
  return { pointer: toIssuePointer(path), code, severity: 'error', message }
}

function fixed(found: Problem, fix: ProblemFix | null): Problem {
  return fix === null ? found : { ...found, fix }
}

function suggestIssueFix(issue: Issue, pointer: string): ProblemFix | null {
  const value = meantValue(issue)
  return value === null ? null : { kind: 'set', pointer, value }
}

function meantValue(issue: Issue): JsonValue {
  switch (issue.code) {
    case 'too_small':
      return isNumeric(issue.origin) && issue.inclusive !== false ? Number(issue.minimum) : null
    case 'too_big':
      return isNumeric(issue.origin) && issue.inclusive !== false ? Number(issue.maximum) : null
    case 'invalid_value': {
      const [only, ...others] = issue.values
      return others.length === 0 && typeof only !== 'bigint' && typeof only !== 'symbol'
        ? (only ?? null)
        : null
    }
    default:
      return null
  }
}

function isNumeric(origin: string): boolean {
  return origin === 'number' || origin === 'int'
}

export function numberProblem(path: Path): Problem {
  return problem(path, 'number_too_large', 'This number is too large to be kept. Send it as text.')
}

export function lostNameProblem(path: Path): Problem {
  const name = String(path.at(-1))
  return problem(path, 'reserved_name', `The name "${name}" cannot be used. Choose another.`)
}

/** `base`: path of the document inside a larger one. */
export function toProblems(
  issues: readonly Issue[],
  document: unknown,
  base: Path = [],
): Problem[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path]
    if (issue.code === 'invalid_union') return unionProblems(issue, document, path)
    if (issue.code === 'unrecognized_keys') return unknownFields(issue, path)
    const found = problem(path, issue.code, sentence(issue, valueAt(document, path)))
    return [fixed(found, suggestIssueFix(issue, found.pointer))]
  })
}

function unknownFields(issue: z.core.$ZodIssueUnrecognizedKeys, path: Path): Problem[] {
  return issue.keys.map((key) => {
    const meant = nearest(key)
    const hint = meant === null ? 'Remove it.' : `Did you mean "${meant}"?`
    const found = problem(
      [...path, key],
      'unknown_field',
      `The field "${key}" is not known here. ${hint}`,
    )
    const { pointer } = found
    return fixed(
      found,
      meant === null ? { kind: 'remove', pointer } : { kind: 'rename', pointer, name: meant },
    )
  })
}

/** The first alternative is the known types. The second is a custom type, identified by its own "type". */
function unionProblems(
  issue: z.core.$ZodIssueInvalidUnion,
  document: unknown,
  path: Path,
): Problem[] {
  const value = valueAt(document, path)
  const { discriminator, errors } = issue
  if (discriminator !== undefined || errors.length === 0) return [unknownType(value, path)]
  const [known] = errors
  const untyped =
    known?.some((inner) => inner.code === 'invalid_union' && inner.path.length <= 1) ?? false
  if (untyped && hasType(value)) return toProblems(errors[1] ?? [], document, path)
  return toProblems(known ?? [], document, path)
}

function hasType(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    typeof value.type === 'string' &&
    value.type !== ''
  )
}

function unknownType(value: unknown, path: Path): Problem {
  const last = String(path.at(-1) ?? '')
  const at = last === 'type' ? path : [...path, 'type']
  const given = typeof value === 'object' && value !== null && 'type' in value ? value.type : value
  const message =
    typeof given === 'string' ? `The type "${given}" cannot be used.` : 'A rule needs a "type".'
  return problem(at, 'unknown_type', message)
}

const NOUNS: { readonly [expected: string]: string } = {
  string: 'text in quotes',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list, for example ["a", "b"]',
  object: 'an object, for example {"a": 1}',
  record: 'an object, for example {"a": ["b"]}',
}

function sentence(issue: Issue, value: unknown): string {
  // Our own messages end with a period; those of Zod do not.
  if (/[.?]$/.test(issue.message)) return issue.message
  return describeIssue(issue, value) ?? `${issue.message}.`
}

/** Undefined: Zod has the message. */
function describeIssue(issue: Issue | z.core.$ZodRawIssue, value: unknown): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return value === undefined
        ? 'This field is required.'
        : `Give ${NOUNS[issue.expected] ?? issue.expected} here.`
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1
        ? 'This text is empty. Fill it in.'
        : `Use ${issue.inclusive === false ? 'more than' : 'at least'} ${amount(issue.minimum, issue.origin)}.`
    case 'too_big':
      return `Use at most ${amount(issue.maximum, issue.origin)}.`
    case 'invalid_value':
      return `Use ${issue.values.map((allowed) => JSON.stringify(allowed)).join(' or ')}.`
    case 'invalid_key':
      return `This name cannot be used. ${issue.issues.map((inner) => sentence(inner, '')).join(' ')}`
    default:
      return undefined
  }
}

function describeForm(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_format') return 'This text does not have the required form.'
  if (issue.code === 'invalid_union') return 'This value has none of the accepted forms.'
  return describeIssue(issue, issue.input)
}

interface FormProblem {
  readonly path: Path
  /** One sentence, which does not name the field. A message of the schema stays as it is. */
  readonly message: string
}

type ParsedForm<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly [FormProblem, ...FormProblem[]] }

const INVALID: FormProblem = { path: [], message: 'This value is not valid.' }

/** Parses what a person or a program sent, other than configs and events. */
export function parseForm<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): ParsedForm<z.output<Schema>> {
  const parsed = schema.safeParse(value, { error: describeForm })
  if (parsed.success) return { ok: true, value: parsed.data }
  const [first = INVALID, ...more] = parsed.error.issues.flatMap(({ path, message, ...issue }) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          path: [...path, key],
          message: `"${key}" is not known here. Remove it.`,
        }))
      : [{ path, message }],
  )
  return { ok: false, problems: [first, ...more] }
}

function amount(count: number | bigint, origin: string): string {
  const isOne = Number(count) === 1
  if (origin === 'string') return `${count} ${isOne ? 'character' : 'characters'}`
  if (origin === 'array' || origin === 'set') return `${count} ${isOne ? 'entry' : 'entries'}`
  return count.toLocaleString('en')
}
