import { expect, test } from 'vitest'
import { changeText, fieldChanges } from './audit-change.ts'

test('an audit change shows both values of a changed field and omits an unchanged one', () => {
  expect(changeText({ role: 'viewer', name: 'Ana' }, { role: 'admin', name: 'Ana' })).toBe(
    'role: viewer → admin',
  )
})

test('an audit change lists the values of a new object in words, without those that are unset', () => {
  const after = { base_version: 3, scopes: ['read', 'ingest'], note: null, environments: [] }
  expect(changeText(null, after)).toBe('base version: 3 · scopes: read, ingest')
  const guard = { ratio: 1.5, metric: 'denied_calls', note: null }
  expect(changeText(null, { share_per_mille: 250, guard, windowMinutes: 60, isOn: true })).toBe(
    'share: 25% · guard: ratio 1.5, metric denied calls · window: 1 hour · is on: yes',
  )
})

test('an audit change begins with the config and its environment, which did not change', () => {
  const place = { config: 'team/coder', environment: 'dev' }
  expect(changeText({ ...place, version: 1 }, { ...place, version: 2 })).toBe(
    'team/coder in dev · version: 1 → 2',
  )
  expect(changeText(null, { ...place, revision: 3 })).toBe('team/coder in dev · revision: 3')
  expect(changeText({ environment: 'dev' }, { environment: 'staging' })).toBe(
    'environment: dev → staging',
  )
})

test('an audit change shortens a digest, and states a share and a time before and after', () => {
  const digest = `sha256:${'0123456789abcdef'.repeat(4)}`
  expect(changeText(null, { digest })).toBe('digest: sha256:0123…cdef')
  expect(changeText(null, { seq: 5 })).toBe('event: 5')
  expect(changeText({ share_per_mille: 50 }, { share_per_mille: 75 })).toBe('share: 5% → 7.5%')
  expect(changeText({ until: '2027-02-25T15:13:22.427Z' }, { until: null })).toBe(
    'until: 2027-02-25 15:13:22 UTC → –',
  )
})

test('an audit change names the signal and the window of an alert rule as its form does', () => {
  expect(changeText(null, { signal: 'approval_lapsing', windowMinutes: 1 })).toBe(
    'signal: Approval lapsing · window: 1 minute',
  )
  expect(changeText(null, { signal: 'of_a_later_version' })).toBe('signal: of_a_later_version')
})

test('an audit change shows a removed field as its old value and a dash', () => {
  expect(changeText({ role: 'viewer' }, null)).toBe('role: viewer → –')
})

test('an audit change without details is an empty text', () => {
  expect(changeText(null, null)).toBe('')
})

test('an audit change formats a time in UTC', () => {
  expect(changeText(null, { expires_at: 0 })).toBe('expires at: 1970-01-01 00:00:00 UTC')
})

test('the fields of an audit change are those of both sides, each marked as changed or unchanged', () => {
  expect(fieldChanges({ role: 'viewer', name: 'Ana' }, { role: 'admin', name: 'Ana' })).toEqual([
    { name: 'role', before: 'viewer', after: 'admin', isChanged: true },
    { name: 'name', before: 'Ana', after: 'Ana', isChanged: false },
  ])
})
