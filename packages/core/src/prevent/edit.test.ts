import { expect, test } from 'vitest'
import type { ConfigDocument } from '../kinds/config.ts'
import type { PolicyDocument } from '../kinds/policies.ts'
import { applyEdit, type Edit, mayApply } from './edit.ts'

const order = (needs: readonly string[], mode?: 'shadow'): PolicyDocument => ({
  id: 'order',
  type: 'sequential_dependency',
  dependencies: { deploy: needs },
  ...(mode && { mode }),
})
const withPolicies = (...policies: readonly PolicyDocument[]): ConfigDocument => ({
  ...{ schema_version: 1, ns: 'lab', key: 'agent' },
  policies,
})

const RAN = withPolicies(order(['run_tests']))
const CHANGE: Edit = { kind: 'change_policy', policy: order(['run_tests', 'review']) }

test('a change applies to a document whose rule is as it was, whatever else changed', () => {
  const other: PolicyDocument = { id: 'ask', type: 'approval', tools: ['mail'] }
  const now = withPolicies(other, order(['run_tests']))
  expect(mayApply(CHANGE, RAN, now)).toBe(true)
  expect(applyEdit(now, CHANGE).policies).toEqual([other, order(['run_tests', 'review'])])
})

test.each([
  ['stricter', withPolicies(order(['run_tests', 'scan']))],
  ['in another mode', withPolicies(order(['run_tests'], 'shadow'))],
  ['gone', withPolicies()],
])('a change does not apply when the rule is %s now', (_, now) => {
  expect(mayApply(CHANGE, RAN, now)).toBe(false)
})

test('an added rule and a rule that is enforced apply to every document', () => {
  const add: Edit = { kind: 'add_policy', policy: order(['review']) }
  expect(mayApply(add, RAN, withPolicies())).toBe(true)
  expect(mayApply({ kind: 'enforce', rule: 'order' }, RAN, withPolicies())).toBe(true)
})
