import { learnSessions, writeSession } from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import {
  addCounts,
  COUNTS_VERSION,
  chooseTools,
  decodeCounts,
  encodeCounts,
  type LearnCounts,
  NO_COUNTS,
  subtractCounts,
} from './index.ts'
import { MOST_TOOLS } from './tool-table.ts'

type Groups = Readonly<Record<string, Readonly<Record<string, number>>>>

const make = (sessions: number, groups: Groups): LearnCounts => ({
  sessions,
  events: 10 * sessions,
  groups: new Map(
    Object.entries(groups).map(([name, group]) => [name, new Map(Object.entries(group))]),
  ),
})

describe('counts', () => {
  test('name at most 32 tools, and the calls of others that were not looked at', () => {
    const calls = Array.from({ length: 40 }, (_, i) => `t${i}`)
    const log = writeSession([...calls, { tool: 't39', outcome: 'failure' }])
    const { groups } = learnSessions([log])
    expect(groups.get('called')?.size).toBe(MOST_TOOLS + 1)
    expect(groups.get('before\n')?.size).toBe(MOST_TOOLS)
    expect(groups.get('skipped')?.size).toBe(8)
    const chosen = learnSessions([log], { tools: ['t39'] })
    expect([...(chosen.groups.get('called')?.keys() ?? [])].sort()).toEqual(['', 't39'])
  })

  test('are of the 32 busiest tools that a rule can name', () => {
    const calls = new Map(Array.from({ length: 40 }, (_, i) => [`t${i}`, i] as const))
    const busiest = Array.from({ length: MOST_TOOLS }, (_, i) => `t${39 - i}`)
    expect(chooseTools(calls)).toEqual(busiest)
    const some = { b: 1, 'My Tool': 9, a: 1, c: 1, [`${'x'.repeat(65)}`]: 9 }
    expect(chooseTools(new Map(Object.entries(some)))).toEqual(['a', 'b', 'c'])
  })

  test('add entry by entry, and can be taken out again', () => {
    const one = make(2, { called: { test: 2 }, repeats: { '1': 2 } })
    const two = make(3, { called: { test: 1, ship: 3 }, made: { 'a.txt': 1 } })
    const sum = make(5, {
      called: { test: 3, ship: 3 },
      repeats: { '1': 2 },
      made: { 'a.txt': 1 },
    })
    expect(addCounts(one, two)).toEqual(sum)
    expect(addCounts(two, one)).toEqual(sum)
    expect(subtractCounts(sum, two)).toEqual(one)
    expect(subtractCounts(sum, sum)).toEqual(NO_COUNTS)
  })

  /** Counts with so many values of an argument, each in one session. */
  const values = (from: number, to: number) =>
    make(1, {
      'value\nship\n"to"': Object.fromEntries(
        Array.from({ length: to - from }, (_, i) => [`"${from + i}"`, 1]),
      ),
    })

  test('keep 24 values of an argument, and none when there are more', () => {
    const [group] = addCounts(values(0, 12), values(12, 24)).groups.values()
    expect(group?.size).toBe(24)
    const dropped = make(2, { 'value\nship\n"to"': { '*': 1 } })
    expect(addCounts(values(0, 12), values(12, 25))).toEqual(dropped)
    // What was dropped stays dropped, whatever is added or taken out.
    const more = addCounts(dropped, values(0, 1))
    expect([...more.groups.values()]).toEqual([...dropped.groups.values()])
    expect(addCounts(values(0, 1), dropped)).toEqual(more)
    const less = subtractCounts(dropped, dropped)
    expect([...less.groups.values()]).toEqual([...dropped.groups.values()])
  })

  test('have no limit of entries that the config names', () => {
    const tools = Array.from({ length: 30 }, (_, i) => [`t${i}`, 1])
    const called = { called: Object.fromEntries(tools) }
    const sum = addCounts(make(1, called), make(1, called))
    expect(sum.groups.get('called')?.size).toBe(30)
  })
})

describe('bytes of counts', () => {
  const counts = make(300, {
    called: { ship: 1, test: 127 },
    'before\nship': { test: 128, 'ü\u{1f600}': 16_384 },
    rate: { '5': 2 ** 40 },
    made: { [`${'folder/'.repeat(400)}a.txt`]: 1 },
  })

  test('hold every text once, and small numbers in one byte', () => {
    const small = make(2, { 'before\nb': { a: 300 }, a: { b: 1 } })
    const text = (value: string) => [value.length, ...Buffer.from(value)]
    const head = [COUNTS_VERSION, 2, 20]
    const texts = [3, ...text('a'), ...text('b'), ...text('before')]
    // Groups: `a` with `b` once; `before` of `b` with `a` 300 times.
    const groups = [2, 1, 0, 1, 1, 1, 2, 2, 1, 1, 0, 172, 2]
    expect([...encodeCounts(small)]).toEqual([...head, ...texts, ...groups])
  })

  test('are read back as they were written', () => {
    expect(decodeCounts(encodeCounts(counts))).toEqual(counts)
    expect(decodeCounts(encodeCounts(NO_COUNTS))).toEqual(NO_COUNTS)
  })

  test('are the same for the same counts in another order', () => {
    const groups = [...counts.groups].reverse()
    const other = groups.map(([name, group]) => [name, new Map([...group].reverse())] as const)
    expect(encodeCounts({ ...counts, groups: new Map(other) })).toEqual(encodeCounts(counts))
  })

  test('of another version are not read', () => {
    const [, ...rest] = encodeCounts(counts)
    expect(decodeCounts(Uint8Array.from([COUNTS_VERSION + 1, ...rest]))).toBe(null)
    expect(decodeCounts(Uint8Array.from([COUNTS_VERSION - 1, ...rest]))).toBe(null)
  })

  test('that are damaged are refused', () => {
    const bytes = encodeCounts(make(1, { a: { b: 1 } }))
    for (const end of [0, 3, bytes.length - 1])
      expect(() => decodeCounts(bytes.subarray(0, end))).toThrow(
        'The counts are damaged: they end too early.',
      )
    expect(() => decodeCounts(Uint8Array.from([...bytes, 0]))).toThrow(
      'The counts are damaged: something follows them.',
    )
    // The last entry names the third of two texts.
    const missing = Uint8Array.from([...bytes.subarray(0, -2), 2, 1])
    expect(() => decodeCounts(missing)).toThrow(
      'The counts are damaged: they name a text that is missing.',
    )
  })
})
