import { expect, test } from 'vitest'
import { omitUndefined } from './json.ts'

test('omitUndefined leaves out undefined and keeps every other value in order', () => {
  const fields = omitUndefined({ b: 1, a: undefined, none: null, no: false, text: '' })
  expect(Object.entries(fields)).toEqual([
    ['b', 1],
    ['none', null],
    ['no', false],
    ['text', ''],
  ])
})
