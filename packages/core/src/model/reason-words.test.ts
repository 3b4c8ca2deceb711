import { expect, test } from 'vitest'
import { POLICY_WORDS } from '../kinds/policies.ts'
import { reasonWords } from './reason-words.ts'

test('every reason code of a built-in policy is worded, and an unknown code names itself', () => {
  const codes = Object.values(POLICY_WORDS).flatMap(({ reasons }) => Object.keys(reasons))
  expect(codes).toContain('file.not_read')
  for (const code of codes) expect(reasonWords(code), code).not.toContain('(')
  expect(reasonWords('approval.timed_out')).toBe('No approval from a reviewer')
  expect(reasonWords('tool.outdated')).toBe('A tool did not run again after a change')
  expect(reasonWords('acme.new')).toBe('Other reason (acme.new)')
})
