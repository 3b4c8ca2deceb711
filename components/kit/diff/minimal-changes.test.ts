import { expect, test } from 'vitest'
import { minimalChanges } from './minimal-changes.ts'

const rule = (id: string, more: object = {}) => ({ id, type: 'plan', ...more })

test('a difference names only the places that differ, and matches rules by their id', () => {
  const before = { a: 1, gone: [1], policies: [rule('x', { n: 1 }), rule('y')] }
  const after = { a: 2, policies: [rule('new'), rule('x', { n: 2 })], more: { deep: true } }
  expect(minimalChanges(before, after)).toEqual([
    { op: 'replace', path: '/a', was: 1, value: 2 },
    { op: 'remove', path: '/gone', was: [1] },
    { op: 'replace', path: '/policies/1/n', was: 1, value: 2 },
    { op: 'remove', path: '/policies/1', was: rule('y') },
    { op: 'add', path: '/policies/0', value: rule('new') },
    { op: 'add', path: '/more', value: { deep: true } },
  ])
})

test('a difference reports a reordered list as one change', () => {
  const [x, y] = [rule('x'), rule('y')]
  expect(minimalChanges({ policies: [x, y] }, { policies: [y, x] })).toEqual([
    { op: 'order', path: '/policies', value: ['y', 'x'] },
  ])
})

test('a difference is empty for documents that differ only in field order', () => {
  expect(minimalChanges({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).toEqual([])
})
