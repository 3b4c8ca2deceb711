import { RE2JS } from '@bufbuild/re2'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listTextKinds, type TextTest } from './text-kinds.ts'

function evaluate({ form, text }: TextTest, value: string): boolean {
  switch (form) {
    case 'equals':
      return value === text
    case 'matches':
      return RE2JS.compile(text).test(value)
    case 'startsWith':
    case 'endsWith':
      return value[form](text)
    case 'contains':
      return value.includes(text)
    default:
      return form satisfies never
  }
}

function listKinds(tests: readonly TextTest[], texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map((text) => tests.map((one) => evaluate(one, text)).join()))].sort()
}

const PATTERNS = [
  'a+b',
  '^a',
  'b$',
  '(?i)\\b(drop|delete)\\b',
  'git\\s+push\\b.*\\s(-f|--force)(\\s|$)',
  '^(main|release(/.*)?)$',
  '[^a-z]',
  '\\bab\\B',
  '(?m)^b',
  '(?s)a.b',
  'a.b',
]

const part = fc.constantFrom('', 'a', 'b', 'ab', 'ba', 'drop', '-f')
const textTest: fc.Arbitrary<TextTest> = fc.oneof(
  fc.record({ form: fc.constant('matches' as const), text: fc.constantFrom(...PATTERNS) }),
  fc.record({
    form: fc.constantFrom(
      'equals' as const,
      'startsWith' as const,
      'endsWith' as const,
      'contains' as const,
    ),
    text: part,
  }),
)
const words = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      'A',
      ' ',
      '\n',
      'drop',
      'DELETE',
      'git push',
      '-f',
      'main',
      '/',
      'ä',
      '1',
    ),
    {
      maxLength: 6,
    },
  )
  .map((all) => all.join(''))

test('no text has results that none of the found texts has', () => {
  fc.assert(
    fc.property(
      fc.array(textTest, { minLength: 1, maxLength: 4 }),
      fc.array(words, { minLength: 40, maxLength: 40 }),
      (tests, texts) => {
        const found = listTextKinds(tests)
        expect(found.isComplete).toBe(true)
        const kinds = listKinds(tests, found.texts)
        expect(kinds).toHaveLength(found.texts.length)
        for (const kind of listKinds(tests, texts)) expect(kinds).toContain(kind)
      },
    ),
    { numRuns: 150 },
  )
})

test('patterns that exclude each other have no text for both', () => {
  const tests = [
    { form: 'matches', text: '^https://' },
    { form: 'matches', text: '^https://(localhost|127\\.)' },
    { form: 'startsWith', text: 'http://' },
  ] as const
  const { texts, isComplete } = listTextKinds(tests)
  expect(isComplete).toBe(true)
  expect(listKinds(tests, texts)).toEqual([
    'false,false,false',
    'false,false,true',
    'true,false,false',
    'true,true,false',
  ])
})

test('too many kinds of letters are reported', () => {
  expect(listTextKinds([{ form: 'matches', text: '\\p{L}\\p{N}' }])).toEqual({
    texts: [],
    isComplete: false,
  })
})
