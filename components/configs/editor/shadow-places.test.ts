import { expect, test } from 'vitest'
import { applyEdit } from '@/components/kit/diff/json-edit.ts'
import {
  describeEnforced,
  describeEnforcing,
  enforceAll,
  findShadowPlaces,
  hasShadow,
  nameEnforcing,
} from './shadow-places.ts'

const SHADOW = {
  policies: [{ id: 'a', mode: 'shadow' }, { id: 'b' }, { id: 'c', mode: 'off' }],
  sections: [{ id: 's', content: [{ mode: 'shadow', id: 'd' }] }],
  feedback_providers: [{ id: 'e', mode: 'shadow' }],
  task_completion_checker: { id: 'f', type: 'plan' },
  limits: { max_stop_blocks: 0 },
}

test('one edit enforces every shadow rule and the stop check, and leaves rules that are off', () => {
  const text = JSON.stringify(SHADOW, null, 2)
  const edit = enforceAll(text, SHADOW)
  expect(edit).not.toBeNull()
  const enforced = JSON.parse(edit === null ? text : applyEdit(text, edit))
  expect(enforced).toEqual({
    policies: [{ id: 'a' }, { id: 'b' }, { id: 'c', mode: 'off' }],
    sections: [{ id: 's', content: [{ id: 'd' }] }],
    feedback_providers: [{ id: 'e' }],
    task_completion_checker: { id: 'f', type: 'plan' },
  })
  expect(hasShadow(findShadowPlaces(enforced))).toBe(false)
})

test('the offer to enforce names the number of rules, the stop check, and what each does', () => {
  const places = findShadowPlaces(SHADOW)
  expect(nameEnforcing(places)).toBe('Enforce all 3 shadow rules and the stop check')
  expect(describeEnforcing(places)).toBe(
    '1 rule denies calls; 1 masks or denies content; 1 gives feedback; incomplete stops are blocked, up to 10 times',
  )
  expect(nameEnforcing({ ...places, rules: [], providers: [] })).toBe('Enforce the stop check')
  expect(nameEnforcing({ ...places, providers: [], rules: [[]], isStopCheckOff: false })).toBe(
    'Enforce the shadow rule',
  )
})

test('a release is described by the rules of the new text that the text before only recorded', () => {
  const after = {
    policies: [{ id: 'a' }, { id: 'new' }],
    sections: [{ id: 's', content: [{ id: 'd', mode: 'off' }] }],
    task_completion_checker: SHADOW.task_completion_checker,
    limits: { max_stop_blocks: 3 },
  }
  expect(describeEnforced(SHADOW, after)).toBe(
    '1 rule denies calls; incomplete stops are blocked, up to 3 times',
  )
  const { task_completion_checker: _, ...unchecked } = after
  expect(describeEnforced(SHADOW, { ...unchecked, policies: [] })).toBe('')
  expect(describeEnforced(SHADOW, { ...after, content: [{ id: 'g', mode: 'shadow' }] })).toBe('')
  expect(describeEnforced(after, after)).toBe('')
})

test('other limits stay, and a limit without a check is left alone', () => {
  const two = { ...SHADOW, limits: { max_stop_blocks: 0, other: 1 } }
  const text = JSON.stringify(two)
  const edit = enforceAll(text, two)
  expect(JSON.parse(edit === null ? text : applyEdit(text, edit))).toMatchObject({
    limits: { other: 1 },
  })
  expect(hasShadow(findShadowPlaces({ limits: { max_stop_blocks: 0 } }))).toBe(false)
  expect(enforceAll('{', SHADOW)).toBeNull()
})
