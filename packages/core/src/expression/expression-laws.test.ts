import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import type { ExpressionValue } from '../model/expression-engine.ts'
import { isJsonObject, type JsonValue } from '../model/json.ts'
import { ExpressionError } from './expression-error.ts'
import { celExpressions } from './index.ts'
import { MAX_COST } from './limits.ts'
import { programMaker } from './program.ts'
import { readSource } from './read-source.ts'

const RUNS = IS_SOAK ? 1000 : 300

// Other work on the machine must not fail a law.
vi.setConfig({ testTimeout: 60_000 })

const VARIABLES = ['tool', 'args', 'calls']
const KEYS = ['a', 'b', 'list', 'x']

/** Values with the keys that the sources use, so that most lookups find something. */
const jsonValue: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>(null, true, false, 0, 1, 2.5, -1, '', 'a', 'ab', '\u{1F600}'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 4 }),
    fc.constant({ $redacted: 'r' }),
  ),
})).value

const args = fc.dictionary(fc.constantFrom(...KEYS), jsonValue, { minKeys: 2, maxKeys: 4 })

const part: fc.Arbitrary<string> = fc.letrec<{ expr: string }>((tie) => {
  const expr = tie('expr')
  return {
    expr: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom('args', 'args.a', 'args.list', 'calls', 'calls.a', 'calls.b', 'tool', 'x'),
      fc.constantFrom('1', '0', '2.5', '"a"', '"ab"', 'true', 'null', '[]', '{}', '1u', "b'a'"),
      fc
        .tuple(
          expr,
          fc.constantFrom('+', '-', '*', '/', '%', '==', '!=', '<', '>=', 'in', '&&', '||'),
          expr,
        )
        .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
      fc
        .tuple(fc.constantFrom('exists', 'all', 'exists_one', 'map', 'filter'), expr, expr)
        .map(([macro, list, body]) => `${list}.${macro}(x, ${body})`),
      fc
        .tuple(fc.constantFrom('size', 'int', 'string', 'type', 'dyn', 'double', 'bool'), expr)
        .map(([name, argument]) => `${name}(${argument})`),
      fc
        .tuple(fc.constantFrom('contains', 'startsWith', 'endsWith'), expr, expr)
        .map(([name, target, argument]) => `${target}.${name}(${argument})`),
      expr.map((inner) => `has(${inner}.a)`),
      expr.map((inner) => `${inner}.matches("^(a|b)+$")`),
      fc.tuple(expr, expr).map(([list, index]) => `${list}[${index}]`),
      fc.tuple(expr, expr, expr).map(([c, t, f]) => `(${c} ? ${t} : ${f})`),
      fc.array(expr, { maxLength: 3 }).map((entries) => `[${entries.join(', ')}]`),
      expr.map((inner) => `!(${inner})`),
    ),
  }
}).expr

const source = fc.oneof(
  part,
  fc
    .tuple(part, fc.constantFrom('==', '!=', '<', 'in', '&&', '||'), part)
    .map(([left, operator, right]) => `args.list.exists(x, ${left} ${operator} ${right})`),
)

const question: fc.Arbitrary<string> = fc.letrec<{ bool: string }>((tie) => {
  const key = fc.constantFrom(...KEYS)
  const value = fc.oneof(
    key.map((name) => `calls.${name}`),
    fc.tuple(key, key).map(([outer, inner]) => `calls.${outer}.${inner}`),
    fc.constantFrom('1', '0', '"a"', 'null', 'true', '[]', 'args.a', 'tool'),
  )
  return {
    bool: fc.oneof(
      { maxDepth: 3 },
      fc.tuple(value, fc.constantFrom('==', '!='), value).map((parts) => parts.join(' ')),
      key.map((name) => `has(calls.${name})`),
      key.map((name) => `"${name}" in calls`),
      value.map((inner) => `type(${inner}) == map`),
      fc
        .tuple(tie('bool'), fc.constantFrom('&&', '||'), tie('bool'))
        .map((parts) => `(${parts.join(' ')})`),
      tie('bool').map((inner) => `!(${inner})`),
      tie('bool').map((inner) => `["a", "b"].exists(k, calls[k] == 1 || ${inner})`),
    ),
  }
}).bool

const engine = celExpressions()

type Outcome =
  | { readonly refused: string }
  | { readonly error: string }
  | { readonly value: unknown }

function run(condition: string, input: Readonly<Record<string, ExpressionValue>>): Outcome {
  const compiled = engine.compile(condition, VARIABLES)
  if (!compiled.ok) return { refused: compiled.message }
  try {
    return { value: compiled.program.evaluate(input) }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return { error: error.message }
  }
}

function asSource(value: JsonValue): ExpressionValue {
  if (!isJsonObject(value) || '$redacted' in value) return value
  return {
    get: (key) => {
      const found = Object.hasOwn(value, key) ? value[key] : undefined
      return found === undefined ? undefined : asSource(found)
    },
  }
}

describe('the text of any expression', () => {
  it('the text of any expression is refused with a message or compiles, with the same result each time', () => {
    const pieces = [
      ...'()[]{}.,:?!-+"\'\\ \n/%<=>&|r',
      'args',
      'x',
      'exists',
      'in',
      '1e9',
      '"""',
      '0x',
      'u',
    ]
    const text = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(text, (condition) => {
        const compiled = engine.compile(condition, VARIABLES)
        if (compiled.ok) return
        expect(compiled.message).toMatch(/^[\s\S]+\.$/)
        expect(engine.compile(condition, VARIABLES)).toEqual(compiled)
      }),
      { numRuns: RUNS },
    )
  })
})

describe('any condition', () => {
  it('ends with a value or the declared error, the same each time, and compiles alike on every engine', () => {
    const other = celExpressions()
    fc.assert(
      fc.property(source, args, (condition, values) => {
        const input = { tool: 'deploy', args: values, calls: values }
        const first = run(condition, input)
        expect(run(condition, input)).toEqual(first)
        const elsewhere = other.compile(condition, VARIABLES)
        expect(elsewhere.ok).toBe(!('refused' in first))
      }),
      { numRuns: RUNS },
    )
  })

  it('any condition does not change its input', () => {
    fc.assert(
      fc.property(source, args, (condition, values) => {
        const before = JSON.stringify(values)
        run(condition, { tool: 'deploy', args: values, calls: values })
        expect(JSON.stringify(values)).toBe(before)
      }),
      { numRuns: RUNS / 2 },
    )
  })

  it('gives the same value for a map read by key as for the written-out map, or an error', () => {
    let compared = 0
    fc.assert(
      fc.property(question, args, (condition, values) => {
        const listed = run(condition, { tool: 'deploy', args: values, calls: values })
        const asked = run(condition, { tool: 'deploy', args: values, calls: asSource(values) })
        if (!('value' in asked)) return
        expect(listed).toEqual(asked)
        compared += 1
      }),
      { numRuns: RUNS },
    )
    expect(compared).toBeGreaterThan(0.3 * RUNS)
  })
})

describe('the work of a condition', () => {
  it('the work of a condition is bounded for any nesting of loops', () => {
    const body = fc.constantFrom('x.calls == 0', 'calls.a.calls == 0', 'calls.a.calls in [1, 2]')
    const macro = fc.constantFrom('all', 'exists', 'exists_one', 'filter', 'map')
    const nested = fc
      .tuple(fc.array(macro, { minLength: 1, maxLength: 4 }), body)
      .map(([macros, inner]) =>
        macros.reduceRight(
          (within, name, i) => `args.list.${name}(x${i}, ${within} == true)`,
          `(calls.a.calls == 0 && ${inner.replace('x.', 'calls.b.')})`,
        ),
      )
    fc.assert(
      fc.property(nested, fc.integer({ min: 0, max: 300 }), (condition, length) => {
        let asked = 0
        const calls = {
          get: () => {
            asked += 1
            return { calls: 0 }
          },
        }
        run(`${condition} == true`, { tool: 't', args: { list: Array(length).fill(0) }, calls })
        expect(asked).toBeLessThanOrEqual(MAX_COST)
      }),
      { numRuns: 8 },
    )
  })
})

describe('matches()', () => {
  const pattern: fc.Arbitrary<string> = fc.letrec<{ re: string }>((tie) => ({
    re: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('a', 'b', '.', '[ab]', '^', '$', '(?i)a', String.raw`\b`, 'ab'),
      fc.tuple(tie('re'), tie('re')).map(([a, b]) => `${a}${b}`),
      fc.tuple(tie('re'), tie('re')).map(([a, b]) => `(${a}|${b})`),
      tie('re').map((a) => `(${a})*`),
      tie('re').map((a) => `(${a})+`),
      tie('re').map((a) => `(${a}){2,3}`),
    ),
  })).re

  /** Number of instructions that the matcher executes: the only part of its work that could grow faster than the text. */
  function countMatcherSteps(
    re: string,
    text: string,
  ): { readonly steps: number; readonly size: number } | null {
    const result = readSource(`tool.matches(${JSON.stringify(re)})`, VARIABLES)
    if (!result.ok) return null
    const [compiled] = result.read.patterns.values()
    if (compiled === undefined) return null
    const { prog } = compiled.re2()
    const getInst = prog.getInst.bind(prog)
    let steps = 0
    prog.getInst = (pc) => {
      steps += 1
      return getInst(pc)
    }
    programMaker()(result.read).evaluate({ tool: text })
    return { steps, size: prog.inst.length }
  }

  it('takes steps in proportion to the text, for any pattern', () => {
    let all = 0
    fc.assert(
      fc.property(
        pattern,
        fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: 200 }),
        (re, text) => {
          const counted = countMatcherSteps(re, text)
          if (counted === null) return
          all += counted.steps
          expect(counted.steps).toBeLessThanOrEqual(12 * counted.size * (text.length + 2))
        },
      ),
      { numRuns: RUNS },
    )
    expect(all).toBeGreaterThan(0)
  })

  it.each([
    '(a+)+$',
    '(a|a)*b',
    '(a*)*b',
    '(.*)*=(.*)*=$',
    '^(a|b)*a(a|b){12}$',
    String.raw`(\b|a)*(a|\b)*c$`,
  ])('takes twice the steps for twice the text: %s', (re) => {
    const once = countMatcherSteps(re, `${'ab'.repeat(2000)}!`)
    const twice = countMatcherSteps(re, `${'ab'.repeat(4000)}!`)
    if (once === null || twice === null) throw new Error('the pattern was refused')
    expect(twice.steps).toBeLessThanOrEqual(2.2 * once.steps + 1000)
  })

  it('agrees with JavaScript on patterns that both support', () => {
    fc.assert(
      fc.property(
        pattern,
        fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 }),
        (re, text) => {
          if (re.includes('(?i)')) return
          const outcome = run(`tool.matches(${JSON.stringify(re)})`, {
            tool: text,
            args: {},
            calls: {},
          })
          if ('refused' in outcome) return
          expect(outcome).toEqual({ value: new RegExp(re).test(text) })
        },
      ),
      { numRuns: RUNS },
    )
  })
})
