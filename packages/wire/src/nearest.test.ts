// Finds the intended field for a misspelled name, at low cost for every name.
import { expect, it } from 'vitest'
import { nearest } from './nearest.ts'

it.each([
  ['polices', 'policies'],
  ['Feedback-Provider', 'feedback_providers'],
  ['max_stop_block', 'max_stop_blocks'],
  ['zzzzzzzz', null],
  // Written as it should be, in a place where it is not known.
  ['tools', null],
  ['max_stop_blocks', null],
  ['x', null],
  ['', null],
])('for %j, suggests %j', (name, field) => {
  expect(nearest(name)).toBe(field)
})

// Compared with every field, this name would outlast the time-out of a test.
it('compares no field with a name of a megabyte', () => {
  expect(nearest('policies'.repeat(125_000))).toBeNull()
})
