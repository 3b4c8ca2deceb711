import { describe, expect, it } from 'vitest'
import type { ExpressionValue, ValueSource } from '../model/expression-engine.ts'
import { ExpressionError } from './expression-error.ts'
import { celExpressions } from './index.ts'

const engine = celExpressions()
const VARIABLES = ['tool', 'args', 'calls']

interface Source extends ValueSource {
  readonly asked: string[]
}

function createTallySource(tallies: Readonly<Record<string, ExpressionValue>>): Source {
  const asked: string[] = []
  return {
    asked,
    get: (key) => {
      asked.push(key)
      return tallies[key] ?? { calls: 0, succeeded: 0 }
    },
  }
}

function outcome(source: string, args: string = '{}', calls = createTallySource({})): unknown {
  const compiled = engine.compile(source, VARIABLES)
  if (!compiled.ok) return compiled.message
  try {
    return compiled.program.evaluate({ tool: 'deploy', args: JSON.parse(args), calls })
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return error.message
  }
}

describe('expressions with numbers from JSON', () => {
  it.each([
    ['args.count > 5', true],
    ['args.count == 6', true],
    ['args.count == 6.0', true],
    ['args.count + 1 == 7', true],
    ['10 - args.count == 4', true],
    ['args.count * 2 == 12', true],
    ['args.count / 4 == 1.5', true],
    ['args.count % 2 == 0', true],
    ['args.price * 2 == 3', true],
    ['-args.count < 0', true],
    ['size(args.list) > 2', true],
    ['args.list[1] == 20', true],
    ['args.list[args.index] == 20', true],
    ['args.count in [1, 6]', true],
    ['int(args.count) == 6', true],
    ['type(args.count) == double', true],
    ['string(args.count) == "6"', true],
    ['args.count > 9007199254740993', false],
    ['args.count % 0 == 0', 'Line 1, column 12: modulus by zero.'],
    ['1 / 0 == 1', 'Line 1, column 3: int divide by zero.'],
    ['1 / 2 == 0', true],
  ])('%s gives %s', (source, expected) => {
    expect(outcome(source, '{"count":6,"price":1.5,"list":[10,20,30],"index":1}')).toBe(expected)
  })
})

describe('expressions with missing keys', () => {
  it.each([
    ['has(args.a)', true],
    ['has(args.b)', false],
    ['has(args.nothing)', true],
    ['"nothing" in args', true],
    ['args.nothing == null', true],
    ['"b" in args', false],
    ['args.b == 1', 'Line 1, column 5: field not found: b.'],
    ['has(args.b) && args.b == 1', false],
    ['args.b == 1 || args.a == 1', true],
    ['args.a', 'The expression gave double, not true or false.'],
    ['args.nothing', 'The expression gave null_type, not true or false.'],
    ['args.a.b == 1', 'Line 1, column 7: field not found: b.'],
    ['args["a"] == 1', true],
    ['args["x-y"] == 2', true],
    ['args.exists(key, key == "x-y")', true],
    ['size(args) == 6', true],
    ['args.constructor == null', true],
    ['args["__proto__"] == 3', true],
    ['has(args.toString)', false],
    ['tool.constructor == 1', 'Line 1, column 5: field not found: constructor.'],
    ['args.list.map(x, x.id) == [1, 2]', true],
    ['args.list.filter(x, x.id > 1).map(x, x.id) == [2]', true],
    ['args.list.map(x, x.id > 1, x.id) == [2]', true],
    ['args.list.all(x, x.id > 0)', true],
    ['args.list.exists_one(x, x.id == 2)', true],
    ['args.list == [{"id": 1}, {"id": 2}]', true],
    ['args.list + [3] == [{"id": 1}, {"id": 2}, 3]', true],
  ])('%s gives %s', (source, expected) => {
    const args =
      '{"a":1,"nothing":null,"x-y":2,"constructor":null,"__proto__":3,"list":[{"id":1},{"id":2}]}'
    expect(outcome(source, args)).toBe(expected)
  })
})

describe('expressions with text functions', () => {
  it.each([
    ['args.path.startsWith("/etc/")', true],
    ['args.path.endsWith(".conf") && args.path.contains("tc")', true],
    ['args.path.matches("^/etc/[a-z]+[.]conf$")', true],
    ['args.path.matches("(?i)ETC")', true],
    ['args.path.matches("^etc")', false],
    ['size("\\U0001F600") == 1', true],
    [String.raw`"\uffff" < "\U00010000"`, true],
    ['"a" < "ab" && "ab" <= "ab" && "b" > "ab" && "b" >= "a"', true],
    ['int("") == 0', 'Line 1, column 1: the text cannot be read as int.'],
    ['int(" 5") == 5', 'Line 1, column 1: the text cannot be read as int.'],
    ['int("0x10") == 16', 'Line 1, column 1: the text cannot be read as int.'],
    ['int("-12") == -12', true],
    ['uint("12") == 12u', true],
    ['double("1e3") == 1000.0', true],
    ['double("") == 0.0', 'Line 1, column 1: the text cannot be read as double.'],
    ['double("0x10") == 16.0', 'Line 1, column 1: the text cannot be read as double.'],
  ])('%s gives %s', (source, expected) => {
    expect(outcome(source, '{"path":"/etc/app.conf"}')).toBe(expected)
  })
})

describe('expressions with redacted and truncated values', () => {
  const hidden = 'the value was redacted or truncated'
  it.each([
    ['args.key == "x"', `Line 1, column 10: ${hidden}.`],
    ['args.key != "x"', `Line 1, column 10: ${hidden}.`],
    ['"x" == args.key', `Line 1, column 5: ${hidden}.`],
    ['args.key in ["x"]', `Line 1, column 10: ${hidden}.`],
    ['"x" in args.key', `Line 1, column 5: ${hidden}.`],
    ['has(args.key.x)', `Line 1, column 1: ${hidden}.`],
    ['[args.key] == ["x"]', `Line 1, column 12: ${hidden}.`],
    ['args == {}', `Line 1, column 6: ${hidden}.`],
    ['size(args.key) > 0', `Line 1, column 1: ${hidden}.`],
    ['args.key.x == 1', 'Line 1, column 9: field not found: x.'],
    ['args.list.exists(x, x == "b")', `Line 1, column 23: ${hidden}.`],
    ['args.list.exists(x, x == "a")', true],
    ['has(args.key)', true],
    ['tool == "deploy" || args.key == "x"', true],
    ['args.key == "x" || tool == "deploy"', true],
  ])('%s gives %s', (source, expected) => {
    const args = '{"key":{"$redacted":"r"},"list":["a",{"$truncated":{"bytes":9}}]}'
    expect(outcome(source, args)).toBe(expected)
  })

  it('find no key in arguments that were removed as a whole', () => {
    const args = '{"$truncated":{"bytes":9}}'
    expect(outcome('has(args.path)', args)).toContain(hidden)
    expect(outcome('args.path == "x"', args)).toContain('field not found')
    expect(outcome('tool == "deploy" || args.path == "x"', args)).toBe(true)
  })
})

describe('maps that an expression reads by key', () => {
  it('read only the keys that the condition names', () => {
    const calls = createTallySource({ deploy: { calls: 3, succeeded: 2 } })
    expect(outcome('calls.deploy.succeeded == 2 && calls[tool].calls == 3', '{}', calls)).toBe(true)
    expect(new Set(calls.asked)).toEqual(new Set(['deploy']))
  })

  it.each(['size(calls) > 0', 'calls == calls', 'calls.exists(c, true)', '{"a": 1} == calls'])(
    'are never listed in full: %s',
    (source) => {
      expect(outcome(source)).toContain('this map can be asked for one key at a time, not listed')
    },
  )
})

describe('refused expressions', () => {
  it.each([
    ['argz.x == 1', "Line 1, column 1: 'argz' is not a known name; use one of tool, args, calls."],
    [
      'tool ==\n  nam',
      "Line 2, column 3: 'nam' is not a known name; use one of tool, args, calls.",
    ],
    [
      'args.list.exists(x, x == y)',
      "Line 1, column 26: 'y' is not a known name; use one of tool, args, calls.",
    ],
    [
      'args.list.exists(x, true) && x',
      "Line 1, column 30: 'x' is not a known name; use one of tool, args, calls.",
    ],
    [
      'x.exists(x, true)',
      "Line 1, column 1: 'x' is not a known name; use one of tool, args, calls.",
    ],
    [
      'google.protobuf.Timestamp == 1',
      "Line 1, column 1: 'google' is not a known name; use one of tool, args, calls.",
    ],
    ['a.b.C{x: 1} == 1', "Line 1, column 1: 'a.b.C' is a message, and messages are not supported."],
    [
      'args.list.exists(x.y, true)',
      "Line 1, column 10: 'exists' must be written as list.exists(name, condition).",
    ],
    ['has(args)', "Line 1, column 1: 'has' must be written as has(map.key)."],
    ['size(args, args) == 1', "Line 1, column 1: 'size' takes 1 argument here, not 2."],
    ['args.size(1) == 1', "Line 1, column 5: 'size' takes no argument here, not 1."],
    [
      'args.path.matches("a(")',
      'Line 1, column 10: error parsing regexp: missing closing ): `a(`.',
    ],
    [
      'args.path.matches("(?=a)")',
      'Line 1, column 10: error parsing regexp: invalid or unsupported Perl syntax: `(?=`.',
    ],
    [
      String.raw`args.path.matches("(a)\\1")`,
      String.raw`Line 1, column 10: error parsing regexp: invalid escape sequence: ${'`'}\1${'`'}.`,
    ],
    [
      'args.path.matches(tool)',
      'Line 1, column 10: the pattern of matches() must be a string literal.',
    ],
    [
      'args.path.matches("(abc){500}")',
      'Line 1, column 10: the pattern of matches() is too large; use fewer repetitions.',
    ],
    ['tool == ', 'Line 1, column 6: the expression cannot be read from here on.'],
    ['tool = "x"', 'Line 1, column 6: write == to compare.'],
    ['args.command.contains(', 'Line 1, column 22: this bracket is not closed.'],
    ['tool == "(" && (tool\n  == ["x"', 'Line 2, column 6: this bracket is not closed.'],
    ['tool == "x")', 'Line 1, column 12: the expression cannot be read from here on.'],
    ['', 'Line 1, column 1: found end of input.'],
    ['"x"', 'Line 1, column 1: the expression can never be true or false.'],
    ['args.count + 1', 'Line 1, column 1: the expression can never be true or false.'],
    ['true ? "a" : "b"', 'Line 1, column 1: the expression can never be true or false.'],
    ['args.list.map(x, x)', 'Line 1, column 1: the expression can never be true or false.'],
    [`tool == "${'x'.repeat(4000)}"`, 'The expression is longer than 4000 characters.'],
    [
      `${'('.repeat(65)}true${')'.repeat(65)}`,
      'The expression has more than 64 brackets within brackets.',
    ],
    [
      `${'tool + '.repeat(129)} tool == tool`,
      'Line 1, column 13: more than 128 levels; split it into several rules.',
    ],
    [
      `tool in [${'1,'.repeat(1000)}1]`,
      'Line 1, column 2004: more than 1000 parts; split it into several rules.',
    ],
  ])('have a message with the cause: %s', (source, message) => {
    expect(outcome(source)).toBe(message)
  })

  it.each([
    'timestamp("x") == tool',
    'duration("1s") == tool',
    'cel.bind(x, 1, x == 1)',
    'math.abs(1) == 1',
    'tool.lowerAscii() == "a"',
    'now() == 1',
    'random() > 0.5',
  ])('include calls of functions that are not in the list: %s', (source) => {
    expect(outcome(source)).toMatch(/is not a known (function|name); use one of/)
  })

  it('are not caused by brackets in strings', () => {
    const open = '('.repeat(70)
    expect(
      outcome(`tool == "${open}" || // ${open}\n tool == r'${open}' || tool == '''${open}'''`),
    ).toBe(false)
    const closing = '[")", '.repeat(64)
    expect(outcome(`${closing}[1]${']'.repeat(64)} == []`)).toBe(
      'The expression has more than 64 brackets within brackets.',
    )
  })
})

describe('comments in an expression', () => {
  it.each([
    'args.count == 6 // the last line',
    'args.count == 6 //',
    '// one line\n// another line\nargs.count == 6',
    'args.count // between\r\n// all\r== // parts\n 6',
    'args.count == 6 && "https://a" == \'https:/\' + r"/a" // "',
  ])('are ignored: %j', (source) => {
    expect(outcome(source, '{ "count": 6 }')).toBe(true)
  })

  it('do not move the position of what follows', () => {
    expect(outcome('// one line\n// another line\n args.count +')).toMatch(/^Line 3, column 13: /)
    expect(outcome('tool == "x" // the rest\n || nowhere')).toMatch(/^Line 2, column 5: 'nowhere'/)
  })
})

describe('the work limit of an expression', () => {
  const list = (length: number) =>
    JSON.stringify({ list: Array.from({ length }, (_, i) => `f${i}`) })

  it('stops two nested loops over two thousand entries, and their error never counts as an answer', () => {
    const source = 'args.list.exists(a, args.list.exists(b, a + b == "no"))'
    const expected = 'The expression needs more than 1000000 steps on these values.'
    expect(outcome(source, list(2000))).toBe(expected)
    expect(outcome(`${source} || true`, list(2000))).toBe(expected)
    expect(outcome(`true || ${source}`, list(2000))).toBe(true)
  })

  it('allows single loops over two thousand entries and a search in 16 KiB of text', () => {
    expect(
      outcome('args.list.map(x, x).filter(x, x.matches("^f1")).size() == 1111', list(2000)),
    ).toBe(true)
    expect(outcome('args.list.all(a, ["f", "g"].exists(b, a.startsWith(b)))', list(2000))).toBe(
      true,
    )
    expect(outcome('args.list.all(a, size(args.list) == 2000)', list(2000))).toBe(true)
    const text = JSON.stringify({ text: 'x'.repeat(16_384) })
    expect(outcome('args.text.matches("(?i)api[_-]?key|secret")', text)).toBe(false)
  })

  it('reads a list once, however often the condition mentions it', () => {
    let reads = 0
    const counted = new Proxy([1, 2, 3], {
      get: (target, key, self) => {
        if (key === '0') reads += 1
        return Reflect.get(target, key, self)
      },
    })
    const compiled = engine.compile('args.list.all(a, a in args.list)', VARIABLES)
    if (!compiled.ok) throw new Error(compiled.message)
    const input = { tool: 'x', args: { list: counted }, calls: {} }
    expect(compiled.program.evaluate(input)).toBe(true)
    expect(reads).toBe(1)
  })

  it('never reads more than the limit allows', () => {
    const calls = createTallySource({})
    outcome('args.list.all(a, args.list.all(b, calls.x.calls == 0))', list(2000), calls)
    expect(calls.asked.length).toBeLessThan(1_000_000)
  })
})

it('the expression engine keeps no state between evaluations, programs or nested evaluations', () => {
  const source = 'calls.inner && args.list.map(x, x + 1) == [2, 3]'
  const inner = () => outcome('args.list.map(x, x).size() == 1', '{"list":[9]}') === true
  const compiled = engine.compile(source, VARIABLES)
  if (!compiled.ok) throw new Error(compiled.message)
  const input = { tool: 'x', args: { list: [1, 2] }, calls: { get: inner } as never }
  const results = [1, 2, 3].map(() => compiled.program.evaluate(input))
  expect(results).toEqual([true, true, true])
})
