import { learnSessions, type WrittenCall, writeSession } from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import type { ConfigDocument } from '../kinds/config.ts'
import type { SessionEvent } from '../model/event.ts'
import type { JsonValue } from '../model/json.ts'
import { type Proposal, propose } from './index.ts'

type Log = readonly SessionEvent[]

const NONE: ConfigDocument = { schema_version: 1, ns: 'a', key: 'b' }

const ship = (value: JsonValue, name = 'to'): WrittenCall => ({
  tool: 'ship',
  args: { [name]: value },
})

/** Sessions that call `ship` once with each of the values of `pick`. */
function tell(count: number, pick: (i: number) => readonly JsonValue[], name?: string) {
  return Array.from({ length: count }, (_, i) =>
    writeSession(pick(i).map((value) => ship(value, name))),
  )
}

function find(kind: string, good: readonly Log[], bad: readonly Log[] = []): readonly Proposal[] {
  const counts = { good: learnSessions(good), bad: learnSessions(bad) }
  return propose(counts, NONE).filter((one) => one.kind === kind)
}

const conditions = (proposals: readonly Proposal[]) =>
  proposals.map(({ rule }) => ('require' in rule ? rule.require : null))

describe('a list of values', () => {
  const good = tell(25, () => ['staging', 'preview'])

  test('is offered with what it rests on', () => {
    const bad = [...tell(4, () => ['preview', 'live']), ...tell(1, () => ['preview'])]
    expect(find('values', good, bad)).toEqual([
      {
        id: expect.any(String),
        kind: 'values',
        sentence: '`to` of `ship` was one of "preview", "staging"',
        group: 'guard',
        sessions: 25,
        broken: 0,
        confidence: expect.closeTo(0.8668, 4),
        chance: null,
        // The exact test by Fisher: 4 of 5 against 0 of 25.
        surprise: expect.closeTo(Math.log10(27405 / 5), 6),
        badSessions: 5,
        brokenByBad: 4,
        unknownEffects: [],
        youngTools: [],
        pointer: '/policies/-',
        rule: {
          id: 'ship-to',
          type: 'expression',
          tools: ['ship'],
          require: '!has(args.to) || args.to in ["preview", "staging"]',
          mode: 'shadow',
        },
      },
    ])
  })

  test('needs 50 calls in 20 sessions', () => {
    expect(find('values', [...good.slice(1), ...tell(1, () => ['staging'])])).toEqual([])
    const three = (count: number) => tell(count, () => ['staging', 'preview', 'staging'])
    expect(find('values', three(19))).toEqual([])
    expect(find('values', three(20))).toHaveLength(1)
  })

  test('has at most six values', () => {
    const offer = (values: number) =>
      find(
        'values',
        tell(50, (i) => [i % values, i % values]),
      )
    expect(conditions(offer(6))).toEqual(['!has(args.to) || args.to in [0, 1, 2, 3, 4, 5]'])
    expect(offer(7)).toEqual([])
  })

  test('is not offered when more than 1% of the sightings are of a value that one session used', () => {
    const offer = (rare: readonly string[]) =>
      find('values', [...tell(50, () => ['staging', 'preview']), ...tell(1, () => rare)])
    expect(conditions(offer(['live']))).toEqual([
      '!has(args.to) || args.to in ["live", "preview", "staging"]',
    ])
    expect(offer(['live', 'test'])).toEqual([])
  })

  test('has values of one type that could be others', () => {
    const offer = (...values: readonly JsonValue[]) =>
      conditions(
        find(
          'values',
          tell(50, (i) => [values[i % values.length] ?? null]),
        ),
      )
    expect(offer(1, 2)).toEqual(['!has(args.to) || args.to in [1, 2]'])
    expect(offer(true)).toEqual(['!has(args.to) || args.to in [true]'])
    expect(offer(true, false)).toEqual([])
    expect(offer(1, 'one')).toEqual([])
    expect(offer(null)).toEqual([])
    expect(offer('x'.repeat(40))).toHaveLength(1)
    expect(offer('x'.repeat(41))).toEqual([])
    expect(offer(['a'])).toEqual([])
    expect(offer({ name: 'a' })).toEqual([])
  })

  test('names an argument in the way that its name allows', () => {
    const offer = (name: string) =>
      conditions(
        find(
          'values',
          tell(50, () => ['a'], name),
        ),
      )
    expect(offer('_to2')).toEqual(['!has(args._to2) || args._to2 in ["a"]'])
    expect(offer('2to')).toEqual(['!("2to" in args) || args["2to"] in ["a"]'])
    expect(offer('to-where')).toEqual(['!("to-where" in args) || args["to-where"] in ["a"]'])
    expect(offer('a "b"')).toEqual(['!("a \\"b\\"" in args) || args["a \\"b\\""] in ["a"]'])
  })

  test('is not offered when the arguments of a call were removed as a whole', () => {
    const removed = writeSession([{ tool: 'ship', args: { $removed: 'old' } }])
    expect(find('values', [...good, removed])).toEqual([])
    expect(find('values', good, [removed])).toEqual([])
    const truncated = writeSession([ship({ $truncated: 9 })])
    expect(find('values', [...good, truncated])).toEqual([])
  })

  test('is broken by every bad session if they use more than 24 values', () => {
    const bad = tell(25, (i) => [`value ${i}`, 'staging'])
    expect(find('values', good, bad)).toMatchObject([{ badSessions: 25, brokenByBad: 25 }])
    expect(find('values', bad)).toEqual([])
  })

  describe('leaves out a value', () => {
    const offer = (rare: number, bad: readonly Log[]) =>
      conditions(
        find(
          'values',
          [...tell(60 - rare, () => ['a', 'b']), ...tell(rare, () => ['a', 'z'])],
          bad,
        ),
      )
    const without = ['!has(args.to) || args.to in ["a", "b"]']
    const all = ['!has(args.to) || args.to in ["a", "b", "z"]']
    const bad = (rare: number, other = 0) => [
      ...tell(rare, () => ['a', 'z']),
      ...tell(other, () => ['a', 'b']),
    ]

    test('that at most 5% of the good sessions used, and bad ones far more', () => {
      expect(offer(3, bad(4))).toEqual(without)
      expect(offer(4, bad(4))).toEqual(all)
    })

    test('that two bad sessions used, and of which chance makes no such difference', () => {
      expect(offer(2, bad(2))).toEqual(without)
      expect(offer(2, bad(1))).toEqual(all)
      // Fisher's exact test: 0.046 and 0.066.
      expect(offer(2, bad(2, 8))).toEqual(all)
    })
  })
})

describe('a bound of a number', () => {
  /** Many values, so that they make no list. */
  const good = (count = 40) => tell(count, (i) => [123 + i, 987 - i])

  test('is what good sessions stay below or above, outwards to two digits', () => {
    const large = tell(4, () => [200, 991])
    expect(find('bound', good(), large)).toMatchObject([
      {
        sentence: '`to` of `ship` was at most 990',
        group: 'guard',
        sessions: 40,
        broken: 0,
        badSessions: 4,
        brokenByBad: 4,
        chance: null,
        surprise: expect.closeTo(Math.log10(135751), 6),
        rule: {
          id: 'ship-to-most',
          tools: ['ship'],
          require: '!has(args.to) || args.to <= 990.0',
        },
      },
    ])
    const small = tell(4, () => [200, 119])
    expect(find('bound', good(), small)).toMatchObject([
      {
        sentence: '`to` of `ship` was at least 120',
        brokenByBad: 4,
        rule: { id: 'ship-to-least', require: '!has(args.to) || args.to >= 120.0' },
      },
    ])
    expect(find('bound', good(), [...large, ...small])).toHaveLength(2)
  })

  test('is not passed by a value on it', () => {
    expect(
      find(
        'bound',
        good(),
        tell(4, () => [120, 990]),
      ),
    ).toEqual([])
  })

  test('needs three bad sessions, and one of a thousand chances', () => {
    const bad = (count: number, other = 0) => [
      ...tell(count, () => [5000]),
      ...tell(other, () => [500]),
    ]
    expect(find('bound', good(100), bad(3))).toHaveLength(1)
    expect(find('bound', good(100), bad(2))).toEqual([])
    expect(find('bound', good(40), bad(3, 5))).toEqual([])
    const texts = tell(100, (i) => [`to ${i}`])
    expect(find('bound', texts, bad(3))).toEqual([])
  })

  test.each([
    [-0.0123, -5, '>= -0.013'],
    [0, -5, '>= 0.0'],
    [0, 5, '<= 0.0'],
    [0.25, 5, '<= 0.25'],
    [1_000_001, 5e6, '<= 1100000.0'],
    [-129, 5, '<= -120.0'],
  ])('of %d is written with two digits', (value, other, condition) => {
    const [good, bad] = [tell(20, () => [value]), tell(4, () => [other])]
    expect(conditions(find('bound', good, bad))).toEqual([`!has(args.to) || args.to ${condition}`])
  })
})

describe('the beginning of a text', () => {
  const folder = tell(40, (i) => [`src/${i}.ts`, `src/lib/${i}.ts`])

  test('is the first folder of a path', () => {
    const bad = [...tell(4, () => ['src/a.ts', '/etc/passwd']), ...tell(1, () => ['src/a.ts'])]
    expect(find('prefix', folder, bad)).toMatchObject([
      {
        sentence: '`to` of `ship` began with "src/"',
        group: 'guard',
        sessions: 40,
        broken: 0,
        badSessions: 5,
        brokenByBad: 4,
        chance: null,
        rule: {
          tools: ['ship'],
          require: '!has(args.to) || (args.to.startsWith("src/") && !args.to.contains(".."))',
        },
      },
    ])
    const [found] = find('prefix', folder, bad)
    expect(found?.rule.id).toMatch(/^ship-to-below-src--[0-9a-f]+$/)
  })

  test('is the origin of an address', () => {
    const good = tell(40, (i) => [`HTTPS://api.example.com/v1/${i}`])
    const bad = tell(4, () => ['https://other.example.com/v1/'])
    const [condition] = conditions(find('prefix', good, bad))
    expect(condition).toContain('args.to.startsWith("HTTPS://api.example.com/")')
    const odd = tell(40, (i) => [`git+ssh://host/${i}`])
    expect(conditions(find('prefix', odd, bad))[0]).toContain('startsWith("git+ssh://host/")')
  })

  test('is offered while 95% of the sessions have it, and broken by those that have not', () => {
    const bad = tell(6, () => ['lib/a.ts'])
    const offer = (others: number) =>
      find('prefix', [...folder.slice(others), ...tell(others, () => ['doc/a.md'])], bad)
    expect(offer(2)).toMatchObject([{ sessions: 40, broken: 2, brokenByBad: 6 }])
    expect(offer(3)).toEqual([])
  })

  test('needs three bad sessions, and one of a thousand chances', () => {
    const bad = (count: number, other = 0) => [
      ...tell(count, () => ['lib/a.ts']),
      ...tell(other, () => ['src/a.ts']),
    ]
    expect(find('prefix', folder, bad(3))).toHaveLength(1)
    expect(find('prefix', [...folder, ...folder, ...folder], bad(2))).toEqual([])
    expect(find('prefix', folder, bad(3, 5))).toEqual([])
  })

  test.each([
    ['an absolute path', (i: number) => [`/src/${i}.ts`]],
    ['a path that begins with a point', (i: number) => [`./src/${i}.ts`]],
    ['a name without a folder', (i: number) => [`src-${i}`]],
    ['two folders in a session', (i: number) => [`src/${i}.ts`, `lib/${i}.ts`]],
    ['a number in a session', (i: number) => [`src/${i}.ts`, i]],
  ])('is not offered for %s', (_, pick) => {
    expect(
      find(
        'prefix',
        tell(40, pick),
        tell(6, () => ['doc/a.md']),
      ),
    ).toEqual([])
  })
})
