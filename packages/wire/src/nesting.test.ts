import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isTooDeep, MAX_DEPTH } from './nesting.ts'

const nested = (depth: number, inside = '') => '['.repeat(depth) + inside + ']'.repeat(depth)

it.each([
  ['lists of the maximum depth', nested(MAX_DEPTH), false],
  ['lists one level deeper', nested(MAX_DEPTH + 1), true],
  ['objects one level deeper', '{"a":'.repeat(MAX_DEPTH + 1), true],
  ['lists far deeper', nested(100_000), true],
  ['many brackets side by side', `[${Array(500).fill('{}').join(',')}]`, false],
  ['many brackets in a string', `["${'['.repeat(500)}"]`, false],
  ['a quote in a string', `["\\"${'['.repeat(500)}"]`, false],
  ['a backslash before a quote', `["\\\\",${nested(MAX_DEPTH)}]`, true],
  ['a string that never ends', `"${'['.repeat(500)}`, false],
])('isTooDeep measures the depth of %s', (_, text, tooDeep) => {
  expect(isTooDeep(text)).toBe(tooDeep)
})

it('isTooDeep agrees with the depth of the parsed value for any text', () => {
  fc.assert(
    fc.property(fc.integer({ min: 90, max: 110 }), fc.json({ maxDepth: 5 }), (depth, json) => {
      const text = nested(depth, json)
      expect(isTooDeep(text)).toBe(depth + measureValueDepth(JSON.parse(json)) > MAX_DEPTH)
    }),
  )
})

function measureValueDepth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(measureValueDepth))
}
