import { expect, test } from 'vitest'
import { bundleText, versionsText } from './runtime-words.ts'

const config = { prompt: 'team/coder', behind: 0 }

test.each([
  [14, 14, 'v14'],
  [2, 1, 'v2, expected v1'],
  [null, 1, 'none, expected v1'],
  [2, null, 'v2, expected none'],
  [null, null, '–'],
])('applied version %s and expected version %s are shown as %s', (applied, expected, text) => {
  expect(versionsText({ ...config, applied, expected })).toBe(text)
})

test('the revision of a bundle is stated once if it is the expected one', () => {
  expect(bundleText({ appliedRevision: 35, expectedRevision: 35 })).toBe('revision 35')
  expect(bundleText({ appliedRevision: 14, expectedRevision: 35 })).toBe('revision 14, expected 35')
  expect(bundleText({ appliedRevision: null, expectedRevision: 1 })).toBe('none, expected 1')
})
