import { parse } from '@humanwhocodes/momoa'
import { expect, test } from 'vitest'
import { locateJsonError } from './json-error.ts'

test.each([
  ['{"a": []}}', 'line 1, unexpected }'],
  ['{\n  "a": x\n}', 'line 2, unexpected x'],
  ['{\n  "a": tru\n}', 'line 2, unexpected tru'],
  ['[1,\n,2]', 'line 2, unexpected ,'],
  ['{\n  "a": ', 'line 2, unexpected end'],
])('the error of %j names the line and the unexpected text', (text, expected) => {
  let found: unknown
  try {
    parse(text, { mode: 'jsonc', allowTrailingCommas: true })
  } catch (error) {
    found = error
  }
  const place = locateJsonError(text, found)
  expect(`line ${place?.line}, ${place?.found}`).toBe(expected)
})

test('an error of another parser has no place', () => {
  expect(locateJsonError('{', new Error('Broken.'))).toBeNull()
})
