import { expect, test } from 'vitest'
import { changeText, fieldChanges } from './audit-change.ts'

test('a changed field shows both values, an equal one is left out', () => {
  expect(changeText({ role: 'viewer', name: 'Ana' }, { role: 'admin', name: 'Ana' })).toBe(
    'role viewer → admin',
  )
})

test('what a new thing got is listed, lists and numbers as JSON, nothing as a dash', () => {
  const after = { base_version: 3, scopes: ['read', 'ingest'], note: null }
  expect(changeText(null, after)).toBe('base version 3 · scopes ["read","ingest"] · note –')
})

test('a removed field ends in a dash', () => {
  expect(changeText({ role: 'viewer' }, null)).toBe('role viewer → –')
})

test('an entry without details has no text', () => {
  expect(changeText(null, null)).toBe('')
})

test('an instant is told in UTC', () => {
  expect(changeText(null, { expires_at: 0 })).toBe('expires at 1970-01-01T00:00:00.000Z')
})

test('each field of either side is told with whether it changed', () => {
  expect(fieldChanges({ role: 'viewer', name: 'Ana' }, { role: 'admin', name: 'Ana' })).toEqual([
    { name: 'role', before: 'viewer', after: 'admin', isChanged: true },
    { name: 'name', before: 'Ana', after: 'Ana', isChanged: false },
  ])
})
