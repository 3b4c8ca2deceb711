import { expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../model/json.ts'
import {
  isEverHidden,
  listArgumentAtoms,
  listArguments,
  listGoodValues,
  listSessionAtoms,
} from './atoms.ts'
import type { Row } from './row.ts'
import { numberTools } from './tool-names.ts'

function makeRow(args: JsonObject, more: Partial<Row> = {}): Row {
  return {
    ...{ seq: 1, args, isHidden: false, isOpaque: false, environment: 'dev' },
    ...{ successes: [], runs: [], failures: [], earlier: [], files: [], unseen: [] },
    ...more,
  }
}

/** Conditions on the argument `k` that hold for the value, with how special each is. */
function list(k: JsonValue, rows: readonly Row[] = []): readonly (readonly [string, number])[] {
  return listArguments({ k }).flatMap((one) =>
    listArgumentAtoms(one, rows).map(({ text, speciality }) => [text, speciality] as const),
  )
}
const listTexts = (...asked: Parameters<typeof list>) => list(...asked).map(([text]) => text)

test('arguments are read one level deep, by names as CEL writes them', () => {
  const args = { a: 1, 'b-c': 2, in: 3, d: { e: 4, f: { g: 5 }, 'h i': 6 }, i: { $redacted: 'x' } }
  expect(listArguments(args).map(({ place, value }) => [place.text, place.has, value])).toEqual([
    ['args.a', 'has(args.a)', 1],
    ['args["b-c"]', '"b-c" in args', 2],
    ['args["in"]', '"in" in args', 3],
    ['args.d.e', 'has(args.d) && has(args.d.e)', 4],
    ['args.d["h i"]', 'has(args.d) && "h i" in args.d', 6],
  ])
  expect(
    listArguments(args)
      .map(({ place }) => place.path)
      .slice(3),
  ).toEqual([
    ['d', 'e'],
    ['d', 'h i'],
  ])
})

test('a text of words has each word, each two next to each other, its beginning, and itself', () => {
  expect(list('rm  -rf a /')).toEqual([
    ['(" " + args.k + " ").contains(" rm ")', 2],
    ['(" " + args.k + " ").contains(" -rf ")', 2],
    ['args.k.contains("-rf a")', 3],
    ['args.k.contains("a /")', 3],
    ['args.k.startsWith("rm ")', 1.5],
    ['args.k == "rm  -rf a /"', 5],
  ])
  // A word is named once; a line break is no space.
  expect(listTexts('go go\nto')).toEqual([
    '(" " + args.k + " ").contains(" go ")',
    'args.k.contains("go go")',
    'args.k.startsWith("go ")',
    'args.k == "go go\\nto"',
  ])
  expect(listTexts(' a\tb ')).toEqual(['args.k == " a\\tb "'])
})

test('a text of one word has the origin of its URL, its folders, and its domain', () => {
  expect(list('HTTPS://a.example/b/c')).toEqual([
    ['args.k.startsWith("HTTPS://a.example/")', 2],
    ['args.k == "HTTPS://a.example/b/c"', 5],
  ])
  expect(list('src/a/b.ts')).toEqual([
    ['args.k.startsWith("src/")', 2],
    ['args.k.startsWith("src/a/")', 2.05],
    ['args.k == "src/a/b.ts"', 5],
  ])
  expect(list('x@y.example')).toEqual([
    ['args.k.endsWith("@y.example")', 2],
    ['args.k == "x@y.example"', 5],
  ])
  expect(listTexts('a@b/c')).toEqual(['args.k.startsWith("a@b/")', 'args.k == "a@b/c"'])
  expect(listTexts('x://a')).toEqual([
    'args.k.startsWith("x:/")',
    'args.k.startsWith("x://")',
    'args.k == "x://a"',
  ])
  // No folder is more special than that of 16 others.
  const deep = list('/'.repeat(20)).map(([, speciality]) => speciality)
  expect(deep.slice(14, 19)).toEqual([2.7, 2.75, 2.8, 2.8, 2.8])
})

test('texts that are contents, and words that are one letter, are left out', () => {
  const long = 'x'.repeat(201)
  expect(listTexts(long)).toEqual([])
  expect(listTexts(long.slice(1))).toHaveLength(1)
  expect(listTexts(`${long} aa`)).toEqual([
    '(" " + args.k + " ").contains(" aa ")',
    `args.k.startsWith("${long} ")`,
  ])
  // Two next to each other are named once.
  expect(listTexts('w w w')).toEqual([
    'args.k.contains("w w")',
    'args.k.startsWith("w ")',
    'args.k == "w w w"',
  ])
  // The first 24 words.
  const words = Array.from({ length: 30 }, (_, i) => `w${i}`).join(' ')
  expect(listTexts(words).filter((one) => one.includes('w23'))).toHaveLength(3)
  expect(listTexts(words).filter((one) => one.includes('w24'))).toHaveLength(1)
})

test('a number is compared with those of at least ten good calls, and is never between them', () => {
  const rows = (count: number) => [
    ...Array.from({ length: count }, (_, i) => makeRow({ k: i + 1 })),
    makeRow({ k: '99' }),
    makeRow({}),
  ]
  expect(list(20, rows(10))).toEqual([
    ['args.k > 10', 1],
    ['args.k == 20', 4],
  ])
  expect(list(-1, rows(10))).toEqual([
    ['args.k < 1', 1],
    ['args.k == -1', 4],
  ])
  for (const [k, count] of [
    [20, 9],
    [-1, 9],
    [10, 10],
    [1, 10],
  ] as const)
    expect(listTexts(k, rows(count))).toEqual([`args.k == ${k}`])
})

test('a list has its first 16 texts, and other values are not compared', () => {
  expect(list(['a', 1, 'x'.repeat(201), null, 'b'])).toEqual([
    ['"a" in args.k', 2],
    ['"b" in args.k', 2],
  ])
  const many = Array.from({ length: 17 }, (_, i) => `i${i}`)
  expect(list(many)).toHaveLength(16)
  expect(list(null)).toEqual([])
  expect(list(true)).toEqual([['args.k == true', 2]])
})

test.each<[string, readonly [incident: JsonValue, other: JsonValue], boolean]>([
  ['args.k.startsWith("a ")', ['a b', 'a c'], true],
  ['args.k.startsWith("a ")', ['a b', 'b a c'], false],
  // A method of texts cannot be evaluated for a number, so the engine refuses.
  ['args.k.startsWith("a ")', ['a b', 1], true],
  ['(" " + args.k + " ").contains(" aa ")', ['aa bb', 'bb aa'], true],
  ['(" " + args.k + " ").contains(" aa ")', ['aa bb', 'aab'], false],
  ['args.k.contains("aa bb")', ['aa bb', 'xaa bbx'], true],
  ['args.k.contains("aa bb")', ['aa bb', 'aa  bb'], false],
  ['args.k.endsWith("@y")', ['x@y', 'z@y'], true],
  ['args.k.endsWith("@y")', ['x@y', 'z@yy'], false],
  ['args.k == "x"', ['x', 1], false],
  ['args.k == true', [true, false], false],
  ['"a" in args.k', [['a'], ['b', 'a']], true],
  ['"a" in args.k', [['a'], ['b']], false],
  ['"a" in args.k', [['a'], { a: 1 }], true],
  ['"a" in args.k', [['a'], { b: 1 }], false],
  ['"a" in args.k', [['a'], 'a'], true],
])(
  'the condition %s, of the first of %j, holds for the second: %j',
  (text, [value, other], holds) => {
    const atom = listArguments({ k: value })
      .flatMap((one) => listArgumentAtoms(one, []))
      .find((one) => one.text === text)
    expect(atom?.test(makeRow({ k: other }))).toBe(holds)
  },
)

test('a number holds for larger ones, and for what cannot be compared', () => {
  const rows = Array.from({ length: 10 }, (_, i) => makeRow({ k: i + 1 }))
  const judge = (k: number, other: JsonValue) =>
    listArguments({ k })
      .flatMap((one) => listArgumentAtoms(one, rows))
      .map(({ test: holds }) => holds(makeRow({ k: other })))
  expect(judge(20, 11)).toEqual([true, false])
  expect(judge(20, 10)).toEqual([false, false])
  expect(judge(20, '1')).toEqual([true, false])
  expect(judge(0, 0)).toEqual([true, true])
  expect(judge(0, 1)).toEqual([false, false])
  expect(judge(0, '1')).toEqual([true, false])
})

test('a condition on an argument that is absent does not hold, and one that is removed is not known', () => {
  const [atom] = listArguments({ k: { v: 1 } }).flatMap((one) => listArgumentAtoms(one, []))
  const judge = (args: JsonObject, more: Partial<Row> = {}) => atom?.test(makeRow(args, more))
  const isHidden = true
  expect(judge({ k: { v: 1 } })).toBe(true)
  expect(judge({ k: { v: 1 } }, { isHidden })).toBe(true)
  expect(judge({ k: {} })).toBe(false)
  expect(judge({})).toBe(false)
  expect(judge({}, { isHidden })).toBe(null)
  expect(judge({ k: { v: { $redacted: 'x' } } }, { isHidden })).toBe(null)
  // The engine cannot evaluate it, and refuses.
  expect(judge({ k: 1 })).toBe(true)
  expect(judge({ $value: 1 }, { isOpaque: true })).toBe(true)
})

test('nothing is proposed about an argument that was removed once', () => {
  const [k] = listArguments({ k: 1 })
  const isHidden = (args: JsonObject) =>
    k && isEverHidden(k, [makeRow({ k: 1 }), makeRow(args, { isHidden: true })])
  expect(isHidden({ k: { $redacted: 'x' } })).toBe(true)
  expect(isHidden({ k: 2, other: { $redacted: 'x' } })).toBe(false)
})

test('a session has its environment, tools that failed twice or more, and tools that never succeeded', () => {
  const names = numberTools()
  for (const tool of ['go', 'test', 'run-x', 'done']) names.number(tool)
  const incident = makeRow({}, { successes: [0, 0, 0, 5], failures: [0, 1, 3] })
  const atoms = listSessionAtoms(incident, { target: 'go', names })
  expect(atoms.map(({ text, speciality, tool }) => [text, speciality, tool])).toEqual([
    ['session.environment == "dev"', 1, null],
    ['calls["run-x"].failed >= 3', 4, 'run-x'],
    ['calls["run-x"].succeeded == 0', 3, 'run-x'],
    ['calls.test.succeeded == 0', 3, 'test'],
  ])
  const judge = (more: Partial<Row>) => atoms.map(({ test: holds }) => holds(makeRow({}, more)))
  expect(judge({ failures: [0, 0, 3] })).toEqual([true, true, true, true])
  expect(judge({ failures: [0, 0, 2], successes: [0, 1] })).toEqual([true, false, true, false])
  expect(judge({ environment: 'prod', successes: [0, 0, 1] })).toEqual([false, false, false, true])
  expect(judge({ environment: null })[0]).toBe(true)
  const nowhere = listSessionAtoms({ ...incident, environment: null }, { target: 'go', names })
  expect(nowhere.map(({ text }) => text)).not.toContain('session.environment == "dev"')
})

function listValues(value: JsonValue, others: readonly JsonObject[]) {
  const [k] = listArguments({ k: value })
  return k === undefined
    ? null
    : listGoodValues(
        k,
        others.map((args) => makeRow(args)),
      )
}

test('the values of good calls are known only if all of them are short texts', () => {
  const good = Array.from({ length: 20 }, (_, i) => ({ k: i % 2 === 0 ? 'b' : 'a' }))
  expect(listValues('x', good)?.text).toBe('!(has(args.k)) || args.k in ["a", "b"]')
  expect(listValues('x', [...good, {}])).not.toBe(null)
  expect(listValues('x', [...good, { k: 1 }])).toBe(null)
  expect(listValues(1, good)).toBe(null)
  const long = (size: number) => Array.from({ length: 20 }, () => ({ k: 'x'.repeat(size) }))
  expect(listValues('x', long(200))).not.toBe(null)
  expect(listValues('x', long(201))).toBe(null)
  const judge = (k: JsonValue) => listValues('x', good)?.test(makeRow({ k }))
  expect([judge('a'), judge('x'), judge(1)]).toEqual([false, true, true])
})
