import { expect, test } from 'vitest'
import {
  DELIVERY_GRAMMAR,
  DENIAL_GRAMMAR,
  hasField,
  readFilterText,
  SESSION_GRAMMAR,
  STOP_GRAMMAR,
} from './filter-fields.ts'

test('accepts status as a field with one of its values', () => {
  const read = readFilterText('-status:ended status:(running OR lost) coder', SESSION_GRAMMAR)
  expect(read).toEqual({
    problem: null,
    terms: [
      { kind: 'text', field: 'status', words: ['ended'], isNegated: true },
      { kind: 'text', field: 'status', words: ['running', 'lost'], isNegated: false },
      { kind: 'text', field: null, words: ['coder'], isNegated: false },
    ],
  })
  expect(hasField(read, 'status')).toBe(true)
  expect(hasField(read, 'ended')).toBe(false)
})

test('compares numbers, percentages, versions and times, and accepts closed ranges', () => {
  const { terms } = readFilterText(
    'time-used:70..79 ended:2026-11-20T10:00:00.000Z..2026-11-20T10:59:59.999Z version:>v3',
    SESSION_GRAMMAR,
  )
  const from = Date.UTC(2026, 10, 20, 10)
  expect(terms).toMatchObject([
    { field: 'time-used', compare: '=', value: 70, to: 79 },
    { field: 'ended', compare: '=', value: from, to: from + 3_599_999 },
    { field: 'version', compare: '>', value: 3 },
  ])
})

test.each([
  ['status:asleep', SESSION_GRAMMAR, '“asleep” is not a value of status. Use running,'],
  ['status:', SESSION_GRAMMAR, 'Write a value after status:.'],
  ['colour:red', STOP_GRAMMAR, '“colour” is not a field. Use prompt,'],
  ['attempts:>1..3', STOP_GRAMMAR, '“>1..3” is not a value of attempts.'],
  ['attempts:many', STOP_GRAMMAR, '“many” is not a value of attempts.'],
  ['tool:>3', DENIAL_GRAMMAR, '“tool” is text and cannot be compared.'],
  ['followed:perhaps', DELIVERY_GRAMMAR, '“perhaps” is not a value of followed. Use yes,'],
  ['a OR b', DENIAL_GRAMMAR, '“OR” stands alone.'],
  ['a '.repeat(21), DENIAL_GRAMMAR, 'A filter has at most 20 terms'],
])('refuses “%s” with a message', (text, grammar, sentence) => {
  const { terms, problem } = readFilterText(text, grammar)
  expect(terms).toEqual([])
  expect(problem).toContain(sentence)
})
