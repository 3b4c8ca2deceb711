import { expect, test } from 'vitest'
import { findRulePointer } from './json-values.ts'

const rule = (id: string, more: object = {}) => ({ id, type: 'plan', ...more })

test('a rule is found by its id in sections and composite checkers, and never a section', () => {
  const config = {
    sections: [{ id: 'done', policies: [rule('reads')] }],
    task_completion_checker: rule('all', { checkers: [rule('plan'), rule('done')] }),
  }
  expect(findRulePointer(config, 'reads')).toBe('/sections/0/policies/0')
  expect(findRulePointer(config, 'done')).toBe('/task_completion_checker/checkers/1')
  expect(findRulePointer(config, 'gone')).toBeNull()
})
