import { expect, test } from 'vitest'
import { nameGroup } from './name-group.ts'

test.each([
  ['blocked', 'plan.open_steps', 'Plan steps are not done'],
  ['bypassed', 'stop.max_blocks', 'The limit on blocked stops was reached'],
  ['bypassed', 'stop.deadline', 'The deadline had passed'],
  ['no_checker', 'stop.no_checker', 'No completion checker is configured'],
  ['allowed', 'composite.all_passed', 'All checks passed'],
  ['allowed', 'expression.holds', 'A condition is met'],
  ['allowed', 'custom.passed', 'The checks passed'],
])('a group of %s stops with the code %s has a name without figures', (verdict, code, name) => {
  expect(nameGroup({ verdict, code })).toBe(name)
})
