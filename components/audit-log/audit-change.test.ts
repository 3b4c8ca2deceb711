import { expect, test } from 'vitest'
import { changeText, fieldChanges } from './audit-change.ts'

test('an audit change shows both values of a changed field and omits an unchanged one', () => {
  expect(changeText({ role: 'viewer', name: 'Ana' }, { role: 'admin', name: 'Ana' })).toBe(
    'role viewer → admin',
  )
})

test('an audit change lists the values of a new object, with lists as JSON and an empty value as a dash', () => {
  const after = { base_version: 3, scopes: ['read', 'ingest'], note: null }
  expect(changeText(null, after)).toBe('base version 3 · scopes ["read","ingest"] · note –')
})

test('an audit change shows a removed field as its old value and a dash', () => {
  expect(changeText({ role: 'viewer' }, null)).toBe('role viewer → –')
})

test('an audit change without details is an empty text', () => {
  expect(changeText(null, null)).toBe('')
})

test('an audit change formats a time in UTC', () => {
  expect(changeText(null, { expires_at: 0 })).toBe('expires at 1970-01-01T00:00:00.000Z')
})

test('the fields of an audit change are those of both sides, each marked as changed or unchanged', () => {
  expect(fieldChanges({ role: 'viewer', name: 'Ana' }, { role: 'admin', name: 'Ana' })).toEqual([
    { name: 'role', before: 'viewer', after: 'admin', isChanged: true },
    { name: 'name', before: 'Ana', after: 'Ana', isChanged: false },
  ])
})
