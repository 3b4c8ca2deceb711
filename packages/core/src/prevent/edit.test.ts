import { expect, test } from 'vitest'
import type { CheckerDocument } from '../kinds/checkers.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { PolicyDocument } from '../kinds/policies.ts'
import { applyEdit, type Edit, findEdited, leaveAlone, mayApply } from './edit.ts'

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

test('a change of a check applies if the check is as it was', () => {
  const done = (tool: string): CheckerDocument => ({ id: 'done', type: 'tool_succeeded', tool })
  const withCheck = (checker: CheckerDocument): ConfigDocument => ({
    ...RAN,
    task_completion_checker: checker,
  })
  const change: Edit = { kind: 'change_checker', checker: done('b') }
  expect(mayApply(change, withCheck(done('a')), withCheck(done('a')))).toBe(true)
  expect(mayApply(change, withCheck(done('a')), withCheck(done('c')))).toBe(false)
  expect(mayApply(change, withCheck(done('a')), RAN)).toBe(false)
})

test('the id of an added rule begins with a letter, has at most 64 characters, and is free', () => {
  const list = (id: string) => {
    const edit: Edit = { kind: 'add_policy', policy: { ...order([]), id } }
    return applyEdit(withPolicies(order([])), edit).policies?.at(-1)?.id
  }
  expect(list('a b--c')).toBe('a-b--c')
  expect(list('._-a.b_c')).toBe('a.b_c')
  expect(list('A'.repeat(70))).toBe('a'.repeat(64))
  expect(list('order')).toBe('order-2')
  const checker: CheckerDocument = { id: 'order', type: 'tool_succeeded', tool: 'a' }
  const added = applyEdit(RAN, { kind: 'add_checker', checker })
  expect(added.task_completion_checker?.id).toBe('order-2')
})

test('the changed rule is found by its id in the document with the change', () => {
  const policy = order(['a'])
  const checker: CheckerDocument = { id: 'order', type: 'tool_succeeded', tool: 'a' }
  const list = (edit: Edit) => findEdited(edit, RAN)
  expect(list({ kind: 'enforce', rule: 'ask' })).toBe('ask')
  expect(list({ kind: 'change_policy', policy })).toBe('order')
  expect(list({ kind: 'change_checker', checker })).toBe('order')
  expect(list({ kind: 'add_policy', policy })).toBe('order-2')
  expect(list({ kind: 'add_checker', checker })).toBe('order-2')
})

test('alone, a changed rule stands without the others, except those that are named', () => {
  const ask: PolicyDocument = { id: 'ask', type: 'approval', tools: ['mail'] }
  const no: PolicyDocument = { id: 'no', type: 'expression', deny_when: 'true' }
  const checker: CheckerDocument = { id: 'done', type: 'tool_succeeded', tool: 'a' }
  const before = { ...withPolicies(ask, no, order([])), task_completion_checker: checker }
  const changed = leaveAlone(before, CHANGE, ['ask'])
  expect(changed.policies).toEqual([ask, order(['run_tests', 'review'])])
  expect(changed.task_completion_checker).toBe(undefined)
  for (const kind of ['add_checker', 'change_checker'] as const)
    expect(leaveAlone(before, { kind, checker }, [])).toMatchObject({
      ...{ policies: [], task_completion_checker: checker },
    })
})

test('an added rule and a rule that is enforced apply to every document', () => {
  const add: Edit = { kind: 'add_policy', policy: order(['review']) }
  expect(mayApply(add, RAN, withPolicies())).toBe(true)
  expect(mayApply({ kind: 'enforce', rule: 'order' }, RAN, withPolicies())).toBe(true)
})
