import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rulesIn } from '@/components/kit/diff/merge-values.ts'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { mergeTexts, type Side } from './merge-texts.ts'

const BASE = `{
  "name":   "notes",
  "policies": [
    { "id": "rate",  "max_calls": 10, "per_seconds": 60 },
    { "id": "order", "dependencies": {"deploy": ["test"]} }
  ]
}
`

function merged(mine: string, theirs: string, choices?: ReadonlyMap<string, Side>) {
  const merge = mergeTexts({ base: BASE, mine, theirs }, choices)
  if (merge === null) throw new Error('not merged')
  return merge
}

describe('merge of config texts with changes in different places', () => {
  test('keeps both changes and every other character of the own text', () => {
    const mine = BASE.replace('"notes"', '"release notes"')
    const theirs = BASE.replace('"max_calls": 10', '"max_calls": 20')
    expect(merged(mine, theirs)).toEqual({
      text: mine.replace('"max_calls": 10', '"max_calls": 20'),
      conflicts: [],
      taken: ['policies › rate › max_calls'],
    })
  })

  test('merges two changes in one rule, and removes a rule that the other side removed', () => {
    const mine = BASE.replace('"per_seconds": 60', '"per_seconds": 30')
    const theirs = BASE.replace('"max_calls": 10', '"max_calls": 20').replace(/,\n.*"order".*/, '')
    const { text, conflicts } = merged(mine, theirs)
    expect(conflicts).toEqual([])
    expect(JSON.parse(text)).toEqual({
      name: 'notes',
      policies: [{ id: 'rate', max_calls: 20, per_seconds: 30 }],
    })
  })

  test('keeps a change of order and a change of content', () => {
    const value: { policies: JsonValue[] } = JSON.parse(BASE)
    const theirs = JSON.stringify({ ...value, policies: value.policies.toReversed() })
    const mine = BASE.replace('"max_calls": 10', '"max_calls": 20')
    const { text, taken } = merged(mine, theirs)
    expect(taken).toEqual(['policies › order'])
    expect(text.indexOf('"order"')).toBeLessThan(text.indexOf('"rate",  "max_calls": 20'))
  })
})

describe('merge of config texts with changes of the same field', () => {
  const mine = BASE.replace('"max_calls": 10', '"max_calls": 5').replace('60', '61')
  const theirs = BASE.replace('"max_calls": 10', '"max_calls": 20').replace('notes', 'n')

  test('reports a conflict for that field only, and applies the choice', () => {
    const place = 'policies › rate › max_calls'
    const { conflicts, taken } = merged(mine, theirs)
    expect(conflicts).toEqual([{ place, base: 10, mine: 5, theirs: 20 }])
    expect(taken).toEqual(['name'])
    expect(merged(mine, theirs, new Map([[place, 'mine']])).text).toBe(mine.replace('notes', 'n'))
    expect(merged(mine, theirs, new Map([[place, 'theirs']])).text).toBe(
      mine.replace('notes', 'n').replace('"max_calls": 5', '"max_calls": 20'),
    )
  })

  test('reports a conflict when one side removed the rule that the other changed', () => {
    const without = BASE.replace(/,\n.*"order".*/, '')
    const changed = BASE.replace('["test"]', '["test", "build"]')
    const place = 'policies › order'
    const { conflicts } = merged(without, changed)
    expect(conflicts).toMatchObject([{ place, mine: undefined }])
    const back = merged(without, changed, new Map([[place, 'theirs']])).text
    expect(JSON.parse(back)).toEqual(JSON.parse(changed))
  })
})

test('config texts are not merged when one of them cannot be parsed exactly', () => {
  const other = BASE.replace('"notes"', '"x"')
  const mine = BASE.replace('10', '11')
  for (const broken of [
    '{',
    '[]',
    '{"a": 1, "a": 2}',
    '{"n": 12345678901234567890}',
    '{"n": 1e999}',
  ]) {
    expect(mergeTexts({ base: broken, mine, theirs: other })).toBeNull()
    expect(mergeTexts({ base: BASE, mine: broken, theirs: other })).toBeNull()
    expect(mergeTexts({ base: BASE, mine, theirs: broken })).toBeNull()
  }
  expect(mergeTexts({ base: BASE, mine: '{', theirs: BASE })?.text).toBe('{')
  expect(mergeTexts({ base: BASE, mine: BASE, theirs: '{' })?.text).toBe('{')
})

const FIELDS = ['a', 'b', 'c'] as const
const IDS = ['p', 'q', 'r', 's', 't'] as const
const leaf = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.boolean(),
  fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
)
const someFields = (value: fc.Arbitrary<JsonValue>) =>
  fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 3 })
const rules = (inner: fc.Arbitrary<JsonValue>) =>
  fc
    .tuple(
      fc.shuffledSubarray([...IDS]),
      fc.array(someFields(inner), { minLength: 5, maxLength: 5 }),
    )
    .map(([ids, fields]): JsonValue => ids.map((id, n) => ({ ...fields[n], id })))
const document: fc.Arbitrary<JsonObject> = fc
  .tuple(
    someFields(fc.oneof(leaf, someFields(leaf))),
    fc.option(rules(fc.oneof(leaf, rules(leaf)))),
  )
  .map(([fields, list]) => (list === null ? fields : { ...fields, policies: list }))

function flat(value: JsonValue | undefined, place = ''): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  if (value === undefined) return found
  const items = rulesIn(value)
  if (items === null && !isJsonObject(value)) return found.set(place, JSON.stringify(value))
  const members = items !== null ? [...items] : isJsonObject(value) ? Object.entries(value) : []
  for (const [name, member] of members) {
    for (const [at, text] of flat(member, `${place}/${name}`)) found.set(at, text)
  }
  return found
}

function diffFlat(before: JsonObject, after: JsonObject): ReadonlyMap<string, string | undefined> {
  const [old, now] = [flat(before), flat(after)]
  const places = new Set([...old.keys(), ...now.keys()])
  return new Map(
    [...places].filter((at) => old.get(at) !== now.get(at)).map((at) => [at, now.get(at)]),
  )
}

function mergeDocuments(base: JsonObject, mine: JsonObject, theirs: JsonObject) {
  const [before, own, other] = [base, mine, theirs].map((value) => JSON.stringify(value, null, 2))
  const texts = { base: before ?? '', mine: own ?? '', theirs: other ?? '' }
  return (side: Side) => {
    const asked = mergeTexts(texts)
    const choices = new Map(asked?.conflicts.map(({ place }) => [place, side]))
    const merge = mergeTexts(texts, choices)
    if (merge === null) throw new Error('not merged')
    const value: JsonObject = JSON.parse(merge.text)
    return { value, conflicts: merge.conflicts }
  }
}

const RUNS = { numRuns: IS_SOAK ? 500 : 125 }
/** Thousands of texts are merged; the duration is not part of the test. */
const PATIENCE = { timeout: 60_000 }

test(
  'merged config texts have every edit of the chosen side, and every edit of the other one without a conflict',
  PATIENCE,
  () => {
    fc.assert(
      fc.property(document, document, document, (base, mine, theirs) => {
        const merge = mergeDocuments(base, mine, theirs)
        for (const [side, chosen, other] of [
          ['mine', mine, theirs],
          ['theirs', theirs, mine],
        ] as const) {
          const { value, conflicts } = merge(side)
          const now = flat(value)
          for (const [at, text] of diffFlat(base, chosen))
            expect([at, now.get(at)]).toEqual([at, text])
          const asked = conflicts.map(({ place }) => `/${place.replaceAll(' › ', '/')}`)
          for (const [at, text] of diffFlat(base, other)) {
            const isAsked = asked.some((place) => at === place || at.startsWith(`${place}/`))
            if (!isAsked) expect([at, now.get(at)]).toEqual([at, text])
          }
        }
      }),
      RUNS,
    )
  },
)

function edited(base: JsonObject, wanted: JsonObject, own: ReadonlySet<string>): JsonObject {
  const names = [...new Set([...Object.keys(base), ...Object.keys(wanted)])]
  const members = names.flatMap((name): [string, JsonValue][] => {
    const from = name !== 'policies' && own.has(name) ? wanted : base
    const value = from[name]
    return value === undefined || name === 'policies' ? [] : [[name, value]]
  })
  const [before, after] = [rulesIn(base['policies']), rulesIn(wanted['policies'])]
  const kept = [...(before ?? [])].flatMap(([id, rule]) => {
    const now = own.has(id) ? after?.get(id) : rule
    return now === undefined ? [] : [now]
  })
  const added = [...(after ?? [])].flatMap(([id, rule]) =>
    own.has(id) && !before?.has(id) ? [rule] : [],
  )
  return { ...Object.fromEntries(members), policies: [...kept, ...added] }
}

test(
  'edits of different places merge without a conflict, as if applied in either order',
  PATIENCE,
  () => {
    const owned = fc.subarray([...FIELDS, ...IDS]).map((names) => new Set<string>(names))
    fc.assert(
      fc.property(document, document, owned, (start, wanted, mineOwns) => {
        const base = { policies: [], ...start }
        const theirsOwn = new Set([...FIELDS, ...IDS].filter((name) => !mineOwns.has(name)))
        const [mine, theirs] = [edited(base, wanted, mineOwns), edited(base, wanted, theirsOwn)]
        const { value, conflicts } = mergeDocuments(base, mine, theirs)('mine')
        expect(conflicts).toEqual([])
        const one = edited(mine, wanted, theirsOwn)
        const other = edited(theirs, wanted, mineOwns)
        const sorted = (found: ReadonlyMap<string, string>) => [...found].sort()
        expect(sorted(flat(value))).toEqual(sorted(flat(one)))
        expect(sorted(flat(value))).toEqual(sorted(flat(other)))
        expect(mergeDocuments(base, theirs, mine)('mine').value).toEqual(value)
      }),
      RUNS,
    )
  },
)
