import { describe, expect, test } from 'vitest'
import { describeKeys, describeProjects, describeUsers, isDemoKey } from './people-facts.ts'

const NOW = Date.UTC(2026, 10, 28)
const inDays = (days: number) => NOW + days * 86_400_000
const key = (dates: Partial<Parameters<typeof describeKeys>[0][number]> = {}) => ({
  revokedAt: null,
  expiresAt: null,
  lastUsedAt: NOW,
  ...dates,
})

describe('the sentence about keys', () => {
  test('counts active keys, and those that expire soon or were never used', () => {
    const keys = [
      key(),
      key({ expiresAt: inDays(30) }),
      key({ expiresAt: inDays(31) }),
      key({ lastUsedAt: null }),
      key({ lastUsedAt: null }),
    ]
    expect(describeKeys(keys, NOW)).toBe(
      '5 active keys; 1 expires within 30 days, 2 were never used.',
    )
  })
  test('leaves out revoked and expired keys', () => {
    const over = [key({ revokedAt: NOW }), key({ expiresAt: NOW })]
    expect(describeKeys([key(), ...over], NOW)).toBe('1 active key.')
    expect(describeKeys(over, NOW)).toBe('No active keys.')
  })
})

describe('the sentence about users', () => {
  test('counts users by role, and pending invitations', () => {
    const members = [{ role: 'viewer' }, { role: 'admin' }, { role: 'viewer' }] as const
    expect(describeUsers(members, 1)).toBe('3 users: 1 admin, 2 viewers; 1 invitation is pending.')
    expect(describeUsers([{ role: 'admin' }], 2)).toBe(
      '1 user: 1 admin; 2 invitations are pending.',
    )
    expect(describeUsers([{ role: 'admin' }], undefined)).toBe('1 user: 1 admin.')
  })
})

describe('the sentence about projects', () => {
  test('counts the projects of which the user is an admin', () => {
    const admin = { role: 'admin' } as const
    const viewer = { role: 'viewer' } as const
    expect(describeProjects([admin])).toBe('You belong to 1 project, as an admin.')
    expect(describeProjects([admin, admin])).toBe('You belong to 2 projects, as an admin of each.')
    expect(describeProjects([admin, viewer])).toBe(
      'You belong to 2 projects, and are an admin of 1.',
    )
    expect(describeProjects([viewer])).toBe('You belong to 1 project, and are an admin of none.')
  })
})

test('only the key that the installation made for the demo agent is a key of the demo', () => {
  expect(isDemoKey({ name: 'demo agent', createdBy: 'system' })).toBe(true)
  expect(isDemoKey({ name: 'demo agent', createdBy: 'usr_1' })).toBe(false)
  expect(isDemoKey({ name: 'ci', createdBy: 'system' })).toBe(false)
})
