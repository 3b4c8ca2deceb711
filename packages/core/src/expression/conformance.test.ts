// Features that conditions may not use are left out for a named reason. The counts are pinned, so that newer cases cannot hide any.
import { isCelList, isCelMap, isCelType, isCelUint } from '@bufbuild/cel'
import { tests } from '@bufbuild/cel-spec/testdata/conformance.js'
import { describe, expect, it } from 'vitest'
import type { ExpressionValue } from '../model/expression-engine.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import { programMaker } from './program.ts'
import { readSource } from './read-source.ts'

interface Case {
  readonly path: string
  readonly source: string
  readonly original: JsonObject
}

const REFUSED = 'unknown names are refused when the rule is written, not when it runs'

const EQUAL_KEYS = 'a map literal may have equal keys of two number types'
const QUOTED = 'quoted field names: the parser has none, map["a-b"] says the same'

/** The first matching prefix applies. */
const LEFT_OUT: readonly (readonly [prefix: string, reason: string])[] = [
  ['proto', 'messages'],
  ['dynamic/', 'messages'],
  ['wrappers/', 'messages'],
  ['enums/', 'messages'],
  ['comparisons/eq_wrapper/', 'messages'],
  ['timestamps/', 'timestamps and durations'],
  ['namespace/', 'namespaces and names with dots'],
  ['bindings_ext/', 'extensions'],
  ['block_ext/', 'extensions'],
  ['encoders_ext/', 'extensions'],
  ['math_ext/', 'extensions'],
  ['string_ext/', 'extensions'],
  ['macros2/', 'macros with two variables'],
  ['optionals/', 'optional values'],
  ['type_deductions/', 'static types'],
  ['fields/quoted_map_fields/', QUOTED],
]

/** Intended differences, also listed in specs/expressions.md. */
const DIFFERENT: readonly (readonly [prefix: string, reason: string])[] = [
  ['basic/functions/unbound_is_runtime_error', REFUSED],
  ['basic/variables/unbound_is_runtime_error', REFUSED],
  ['parse/receiver_function_names/', REFUSED],
  ['fields/qualified_identifier_resolution/map_value_repeat_key_heterogeneous', EQUAL_KEYS],
]

const COUNTS = {
  run: 964,
  [REFUSED]: 19,
  [EQUAL_KEYS]: 1,
  [QUOTED]: 6,
  extensions: 454,
  'JSON has no uint and no bytes': 2,
  'macros with two variables': 46,
  messages: 646,
  'namespaces and names with dots': 8,
  'optional values': 70,
  'static types': 47,
  'timestamps and durations': 81,
}

function flattenCases(suite: typeof tests, path: readonly string[] = []): Case[] {
  const here = (suite.tests ?? []).map(({ original }) => ({
    path: [...path, original.name ?? original.expr].join('/'),
    source: original.expr,
    original,
  }))
  return [
    ...here,
    ...(suite.suites ?? []).flatMap((inner) => flattenCases(inner, [...path, inner.name])),
  ]
}

function reasonToLeaveOut({ path, source, original }: Case): string | null {
  const [, reason] = LEFT_OUT.find(([prefix]) => path.startsWith(prefix)) ?? []
  if (reason !== undefined) return reason
  const all = JSON.stringify(original)
  if (original['checkOnly'] === true || 'typedResult' in original) return 'static types'
  if (/TestAllTypes|google\.|[Mm]essage\{|objectValue/.test(`${source}${all}`)) return 'messages'
  if (/\b(timestamp|duration)\(/.test(source)) return 'timestamps and durations'
  if (/optional|\[\?|\.\?/.test(source)) return 'optional values'
  const names = Object.keys(asObject(original['bindings']))
  if (names.some((name) => name.includes('.'))) return 'namespaces and names with dots'
  if (/"(uint64Value|bytesValue)"/.test(JSON.stringify(original['bindings'] ?? null)))
    return 'JSON has no uint and no bytes'
  return DIFFERENT.find(([prefix]) => path.startsWith(prefix))?.[1] ?? null
}

const makeProgram = programMaker()

function evaluateCase({ source, original }: Case): unknown {
  const bindings = Object.entries(asObject(original['bindings'])).map(([name, bound]) => [
    name,
    toEventInput(asObject(asObject(bound)['value'])),
  ])
  const result = readSource(
    source,
    bindings.map(([name]) => String(name)),
  )
  if (!result.ok) return 'error'
  try {
    return shown(makeProgram(result.read).evaluate(Object.fromEntries(bindings)))
  } catch {
    return 'error'
  }
}

function formatExpected({ original }: Case): unknown {
  if ('evalError' in original || 'anyEvalErrors' in original) return 'error'
  return 'value' in original ? shown(toPlainValue(asObject(original['value']))) : shown(true)
}

function asObject(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {}
}

function toPlainValue(value: JsonObject): unknown {
  const [[kind, content] = ['nullValue', null]] = Object.entries(value)
  switch (kind) {
    case 'int64Value':
      return BigInt(String(content))
    case 'uint64Value':
      return { uint: String(content) }
    case 'doubleValue':
      return Number(content)
    case 'bytesValue':
      return { bytes: content }
    case 'typeValue':
      return { type: content }
    case 'listValue':
      return toObjectList(asObject(content)['values']).map(toPlainValue)
    case 'mapValue':
      return new Map(
        toObjectList(asObject(content)['entries']).map((entry) => [
          toPlainValue(asObject(entry['key'])),
          toPlainValue(asObject(entry['value'])),
        ]),
      )
    default:
      return content
  }
}

function toObjectList(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map(asObject) : []
}

/** Converts a value as for an event, except ints, which JSON lacks: they pass unchanged. */
function toEventInput(value: JsonObject): ExpressionValue {
  const converted = toPlainValue(value)
  return (converted instanceof Map ? Object.fromEntries(converted) : converted) as ExpressionValue
}

/** Texts are equal if and only if the values and their types are equal. */
function shown(value: unknown): string {
  if (typeof value === 'bigint') return `${value}`
  if (typeof value === 'number') return Object.is(value, -0) ? '-0.0' : `double ${value}`
  if (isCelUint(value)) return shown({ uint: value.value.toString() })
  if (value instanceof Uint8Array) return shown({ bytes: Buffer.from(value).toString('base64') })
  if (isCelType(value)) return shown({ type: value.name })
  if (Array.isArray(value) || isCelList(value)) return `[${[...value].map(shown).join()}]`
  if (value instanceof Map || isCelMap(value))
    return `{${[...value]
      .map(([key, entry]) => `${shown(key)}:${shown(entry)}`)
      .sort()
      .join()}}`
  return JSON.stringify(value)
}

const cases = flattenCases(tests)
const chosen = cases.filter((each) => reasonToLeaveOut(each) === null)

describe('CEL specification cases', () => {
  it.each(chosen)('$path: $source', (each) => {
    expect(evaluateCase(each)).toBe(formatExpected(each))
  })

  it('excludes cases only for a stated reason', () => {
    const counts: Record<string, number> = { run: chosen.length }
    for (const each of cases) {
      const reason = reasonToLeaveOut(each)
      if (reason !== null) counts[reason] = (counts[reason] ?? 0) + 1
    }
    expect(counts).toEqual(COUNTS)
  })
})
