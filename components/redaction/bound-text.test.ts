import { expect, test } from 'vitest'
import { boundText } from './bound-text.ts'

test.each([
  [200, 1_412, 'Shows 200 of 1,412 configs, sorted by name.'],
  [12, 12, null],
  [0, null, null],
])('a choice states that it shows %s of %s, unless it shows all', (shown, total, text) => {
  expect(boundText(shown, total)).toBe(text)
})
