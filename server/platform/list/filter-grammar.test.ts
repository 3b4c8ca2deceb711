import { expect, test } from 'vitest'
import { DENIALS } from '@/server/explanations/denials.list.ts'
import { STOPS } from '@/server/explanations/stops.list.ts'
import { DELIVERIES } from '@/server/feedback/deliveries.list.ts'
import { SESSIONS } from '@/server/sessions/sessions.list.ts'
import { hasField, readFilterText } from './filter-grammar.ts'

test('a status filter is a field with one or more of its values', () => {
  const read = readFilterText('-status:ended status:(running OR lost) coder', SESSIONS.grammar)
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

test('a filter compares numbers, percentages, versions and times, and accepts closed ranges', () => {
  const { terms } = readFilterText(
    'time-used:70..79 ended:2026-11-20T10:00:00.000Z..2026-11-20T10:59:59.999Z version:>v3',
    SESSIONS.grammar,
  )
  const from = Date.UTC(2026, 10, 20, 10)
  expect(terms).toMatchObject([
    { field: 'time-used', compare: '=', value: 70, to: 79 },
    { field: 'ended', compare: '=', value: from, to: from + 3_599_999 },
    { field: 'version', compare: '>', value: 3 },
  ])
})

test.each([
  ['status:asleep', SESSIONS.grammar, '“asleep” is not a value of status. Use running,'],
  ['status:', SESSIONS.grammar, 'Write a value after status:.'],
  ['color:red', STOPS.grammar, '“color” is not a field. Use prompt,'],
  ['attempts:>1..3', STOPS.grammar, '“>1..3” is not a value of attempts.'],
  ['attempts:many', STOPS.grammar, '“many” is not a value of attempts.'],
  ['tool:>3', DENIALS.grammar, '“tool” is text and cannot be compared.'],
  ['followed:perhaps', DELIVERIES.grammar, '“perhaps” is not a value of followed. Use yes,'],
  ['a OR b', DENIALS.grammar, '“OR” stands alone.'],
  ['a '.repeat(21), DENIALS.grammar, 'A filter has at most 20 terms'],
])('the filter “%s” is refused with a sentence', (text, grammar, sentence) => {
  const { terms, problem } = readFilterText(text, grammar)
  expect(terms).toEqual([])
  expect(problem).toContain(sentence)
})
