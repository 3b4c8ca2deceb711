import { expect, test } from 'vitest'
import { formatRowPlace, parseRowPlace } from './keyset.ts'

const KINDS = ['number', 'text', 'text'] as const

test('a cursor over several columns is formatted and parsed without loss, for any text', () => {
  const values = [3, 'a~b %7E/ß', 'rt_1']
  expect(parseRowPlace(formatRowPlace(values), KINDS)).toEqual(['3', 'a~b %7E/ß', 'rt_1'])
})

test.each([
  ['too few columns', '3~a'],
  ['too many columns', '3~a~b~c'],
  ['a text in place of a number', 'x~a~b'],
  ['a number beyond 15 digits', `${'9'.repeat(16)}~a~b`],
  ['a broken encoding', '3~%E0%A4~b'],
  ['a NUL', '3~%00~b'],
])('a cursor with %s is invalid', (_what, cursor) => {
  expect(parseRowPlace(cursor, KINDS)).toBeNull()
})
