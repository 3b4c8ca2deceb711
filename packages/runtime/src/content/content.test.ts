import type { ContentRuleDocument, JsonValue } from '@signalbox/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inspect, replaceFound } from './index.ts'

const RULE = { on: 'result', action: 'mask' } as const
const key = new Uint8Array(32)

async function mask(value: unknown, ...rules: readonly ContentRuleDocument[]): Promise<JsonValue> {
  const onFailure = (_: string, error: unknown) => {
    throw error
  }
  const inspected = await inspect(value, { rules, key, answerMs: 60_000, onFailure })
  return replaceFound(inspected, new Set(rules.map(({ id }) => id)))
}

const pii: ContentRuleDocument = { id: 'pii', kind: 'pii', ...RULE }

test.each([
  ['jane.doe+x@mail.example.com.', '[pii].'],
  ['call +49 (0)30 1234567', 'call [pii]'],
  ['4111-1111-1111-1111', '[pii]'],
  ['4111-1111-1111-1112', '4111-1111-1111-1112'],
  ['DE89 3704 0044 0532 0130 00', '[pii]'],
  ['GB82 WEST 1234 5698 7654 31', 'GB82 WEST 1234 5698 7654 31'],
  ['123-45-6789', '[pii]'],
  ['000-45-6789', '000-45-6789'],
  ['version 1.2.3, 2026-11-27, 1790000000000', 'version 1.2.3, 2026-11-27, 1790000000000'],
])('personal data in %s is masked as %s', async (text, masked) => {
  expect(await mask(text, pii)).toBe(masked)
})

test('a card as a number, and names of properties with findings, are masked, and no value is lost', async () => {
  expect(await mask({ card: 4111111111111111, n: 12 }, pii)).toEqual({ card: '[pii]', n: 12 })
  expect(await mask({ 'a@b.example': 1, 'c@d.example': 2 }, pii)).toEqual({
    '[pii]': 1,
    '[pii] 2': 2,
  })
})

test('a finding that spans two strings is masked in both', async () => {
  const rule: ContentRuleDocument = { id: 'p', kind: 'pattern', matches: 'a\\nb', ...RULE }
  expect(await mask(['x a', 'b y'], rule)).toEqual(['x [pattern]', '[pattern] y'])
})

test('pointers and tags do not contain what was found', async () => {
  const value = { 'a@b.example': { note: 'x c@d.example' } }
  const { facts } = await inspect(value, {
    rules: [pii],
    key,
    answerMs: 60_000,
    onFailure: () => undefined,
  })
  expect(facts.found.map(({ pointer }) => pointer)).toEqual(['', '/[pii]/note'])
  expect(JSON.stringify(facts)).not.toContain('.example')
})

test('a value is unchanged where no rule finds anything, and only texts change where one does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as JsonValue
      const never: ContentRuleDocument = { id: 'p', kind: 'pattern', matches: 'a^', ...RULE }
      expect(await mask(plain, never)).toEqual(plain)
      const all: ContentRuleDocument = { id: 'p', kind: 'pattern', matches: '[0-9a-f]+', ...RULE }
      const masked = await mask(plain, all)
      expect(shape(masked)).toEqual(shape(plain))
    }),
  )
})

/** Lists keep their length and objects their number of properties. */
function shape(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(shape)
  if (typeof value === 'object' && value !== null) return Object.values(value).map(shape)
  return 0
}

test('a rule whose detector needs too long is not checked', async () => {
  const failed: string[] = []
  const { facts } = await inspect('a@b.example', {
    rules: [pii],
    key,
    answerMs: -1,
    onFailure: (rule) => failed.push(rule),
  })
  expect([facts.checked, failed]).toEqual([[], ['pii']])
})
