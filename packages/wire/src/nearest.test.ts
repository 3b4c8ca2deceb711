import { expect, it } from 'vitest'
import { nearest } from './nearest.ts'

it.each([
  ['polices', 'policies'],
  ['Feedback-Provider', 'feedback_providers'],
  ['max_stop_block', 'max_stop_blocks'],
  ['zzzzzzzz', null],
  // Correct names in a place where they are unknown.
  ['tools', null],
  ['max_stop_blocks', null],
  ['x', null],
  ['', null],
])('nearest(%j) suggests %j', (name, field) => {
  expect(nearest(name)).toBe(field)
})

// Comparing this name with every field would take longer than the time limit of a test.
it('nearest returns null for a name of a megabyte within the time limit', () => {
  expect(nearest('policies'.repeat(125_000))).toBeNull()
})
