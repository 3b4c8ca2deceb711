import { expect, test } from 'vitest'
import { changeText, fieldChanges } from './audit-change.ts'

test('shows both values of a changed field and omits an unchanged one', () => {
  expect(changeText({ role: 'viewer', name: 'Ana' }, { role: 'admin', name: 'Ana' })).toBe(
    'role viewer → admin',
  )
})

test('lists the values of a new object, lists and numbers as JSON, nothing as a dash', () => {
  const after = { base_version: 3, scopes: ['read', 'ingest'], note: null }
  expect(changeText(null, after)).toBe('base version 3 · scopes ["read","ingest"] · note –')
})

test('shows a removed field ending in a dash', () => {
  expect(changeText({ role: 'viewer' }, null)).toBe('role viewer → –')
})

test('renders an entry without details as no text', () => {
  expect(changeText(null, null)).toBe('')
})

test('formats a time in UTC', () => {
  expect(changeText(null, { expires_at: 0 })).toBe('expires at 1970-01-01T00:00:00.000Z')
})

test('lists each field of either side with whether it changed', () => {
  expect(fieldChanges({ role: 'viewer', name: 'Ana' }, { role: 'admin', name: 'Ana' })).toEqual([
    { name: 'role', before: 'viewer', after: 'admin', isChanged: true },
    { name: 'name', before: 'Ana', after: 'Ana', isChanged: false },
  ])
})
