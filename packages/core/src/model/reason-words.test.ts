import { expect, test } from 'vitest'
import { POLICY_WORDS } from '../kinds/policies.ts'
import { COULD_NOT_EVALUATE, reasonWords } from './reason-words.ts'

/** Reasons of rules that allowed, which no chart counts. */
const ALLOWING = [
  'sequential.satisfied',
  'file.new',
  'file.was_read',
  'expression.allows',
  'rate.within_limit',
]

test('every reason of a built-in policy that denies is worded, and an unknown code names itself', () => {
  const codes = Object.values(POLICY_WORDS).flatMap(({ reasons }) => Object.keys(reasons))
  expect(codes).toContain('file.not_read')
  expect(codes.filter((code) => reasonWords(code).includes('('))).toEqual(ALLOWING)
  expect(reasonWords('approval.timed_out')).toBe('No approval from a reviewer')
  expect(reasonWords('tool.outdated')).toBe('A tool did not run again after a change')
  expect(reasonWords('acme.new')).toBe('Other reason (acme.new)')
})

test('a denial without a reason, and counts from before reasons were counted, are worded', () => {
  expect(reasonWords('')).toBe('No rule decided')
  expect(reasonWords('denied')).toBe('Denied before reasons were counted')
  expect(reasonWords('error')).toBe(reasonWords(COULD_NOT_EVALUATE))
})
