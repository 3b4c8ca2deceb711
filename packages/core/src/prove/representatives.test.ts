import { expect, test } from 'vitest'
import { atomReader } from '../expression/condition-atoms.ts'
import { celExpressions } from '../expression/index.ts'
import type { JsonObject } from '../model/json.ts'
import { representer } from './representatives.ts'

const readAtoms = atomReader()

function represent(source: string) {
  const atoms = readAtoms(source, ['args'])
  if (atoms === null) throw new Error(`This is no condition: ${source}`)
  return representer()(atoms)
}

/** How often a condition is true, false, and cannot be evaluated, among the arguments that stand for all others. */
function count(condition: string, source = condition): readonly number[] {
  const compiled = celExpressions().compile(condition, ['args'])
  if (!compiled.ok) throw new Error(condition)
  const judge = (args: JsonObject): 0 | 1 | 2 => {
    try {
      return compiled.program.evaluate({ args }) === true ? 0 : 1
    } catch {
      return 2
    }
  }
  const found = represent(source).kinds.map(judge)
  return [0, 1, 2].map((one) => found.filter((other) => other === one).length)
}

test('without conditions one call stands for all', () => {
  expect(representer()([])).toEqual({ kinds: [{}], isComplete: true })
})

test.each<[string, readonly number[]]>([
  ['args.k == "a"', [1, 1, 1]],
  ['args.k == 1', [1, 1, 1]],
  ['args.k > 5', [1, 1, 1]],
  ['args.k.startsWith("a")', [1, 1, 1]],
  ['has(args.k)', [1, 1, 0]],
  ['args.a.b == 1', [1, 1, 1]],
  ['size(args.k) > 2', [1, 1, 1]],
])('%s has one call for each way in which it can come out: %j', (condition, counts) => {
  expect(count(condition)).toEqual(counts)
  expect(represent(condition).isComplete).toBe(true)
})

test('numbers are the constants, their neighbors, and what is between two of them', () => {
  const kinds = represent('args.n < 1 || args.n > 4').kinds.map(({ n }) => n)
  expect(kinds).toEqual(expect.arrayContaining([undefined, 0, 1, 5]))
  expect(represent('args.n > 1 && args.n < 2').kinds).toContainEqual({ n: 1.5 })
  // Whatever the order in which they are named.
  expect(count('args.n > 5 && args.n != 9 && args.n < 5.5')[0]).toBe(1)
})

test('arguments of several names come in every combination, up to 64', () => {
  const source = (names: number) =>
    Array.from({ length: names }, (_, i) => `has(args.k${i})`).join(' && ')
  const some = expect.anything()
  expect(represent(source(2)).kinds).toEqual([
    {},
    { k1: some },
    { k0: some },
    { k0: some, k1: some },
  ])
  expect(represent(source(6)).isComplete).toBe(true)
  expect(represent(source(6)).kinds).toHaveLength(64)
  expect(represent(source(7)).isComplete).toBe(false)
  expect(represent(source(7)).kinds).toHaveLength(64)
})

test('nested arguments stand beside each other', () => {
  const { kinds } = represent('args.a.b == 1 && args.a.c == 2')
  expect(kinds).toContainEqual({ a: { b: 1, c: 2 } })
})

test('a size is tried up to 10,000, and together with other tests of the text up to 1,000', () => {
  const isComplete = (source: string) => represent(source).isComplete
  expect(isComplete('size(args.t) < 9999')).toBe(true)
  expect(isComplete('size(args.t) < 10000')).toBe(false)
  expect(count('size(args.t) == 9999')[0]).toBe(1)
  expect(isComplete('size(args.t) < 100 && args.t.startsWith("a")')).toBe(true)
  expect(isComplete('size(args.t) < 1002 && args.t.startsWith("a")')).toBe(false)
})

test('the size of an argument of which a part is read, too, may be any', () => {
  expect(represent('size(args.m) == 2 && args.m.b == 1').isComplete).toBe(false)
  expect(represent('size(args.m) == 2 && args.m != "x" && args.m.b == 1').isComplete).toBe(false)
  expect(represent('size(args.m) == 2 && args.mb == 1').isComplete).toBe(true)
  expect(represent('size(args.m.a) == 2 && args.m.b == 1').isComplete).toBe(true)
})

test('a size below 0 is none, and one that is tried alone is that of a text', () => {
  expect(count('size(args.t) < 0 && args.t.startsWith("a")')[0]).toBe(0)
  expect(represent('size(args.t) > 3').kinds).toContainEqual({ t: 'qqqq' })
})

test('a size between two numbers has a text and a list', () => {
  const found = represent('size(args.k) == 3 && args.k != "abc"').kinds.map(({ k }) => k)
  expect(found.some((k) => typeof k === 'string' && k.length === 3)).toBe(true)
  expect(count('size(args.l) > 2.5 && size(args.l) < 3.5')[0]).toBe(1)
  expect(count('size(args.l) >= 0')[1]).toBe(0)
})

test('texts that satisfy several tests at once are found', () => {
  expect(count('args.t.startsWith("ab") && args.t.endsWith("ba") && args.t.contains("x")')[0]).toBe(
    1,
  )
  expect(count('args.t == "a" || args.t.startsWith("a")')[0]).toBe(2)
  expect(count('args.t.matches("^[a-c]{2}$") && args.t != "aa"')[0]).toBe(1)
})

test('a value that is no text, number or list stands for others', () => {
  const kinds = (source: string) => represent(source).kinds
  expect(kinds('args.k == null')).toContainEqual({ k: null })
  expect(kinds('args.k == true')).toContainEqual({ k: true })
  expect(kinds('args.k == false')).toContainEqual({ k: false })
  expect(kinds('"zq" in args.k').length).toBeGreaterThan(1)
})

test('a representer remembers what it found for the same conditions', () => {
  const remember = representer()
  const atoms = readAtoms('args.k == 1 && args.l == 2', ['args']) ?? []
  expect(remember(atoms)).toBe(remember([...atoms]))
  expect(remember(atoms.slice(1))).not.toBe(remember(atoms))
  expect(remember(atoms.slice(0, 1)).kinds).not.toEqual(remember(atoms.slice(1)).kinds)
})
