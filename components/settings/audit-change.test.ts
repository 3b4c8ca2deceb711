import { expect, test } from 'vitest'
import { changeText } from './audit-change.ts'

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
