import { expect, test } from 'vitest'
import { mayReleaseTo } from './permissions.ts'
import { describeMissingRight } from './place-rights.ts'

const everybody = [
  { name: 'Ana', role: 'publisher', publishIn: ['dev'] },
  { name: 'Marta', role: 'publisher', publishIn: null },
  { name: 'Jo', role: 'admin', publishIn: null },
  { name: 'Vic', role: 'viewer', publishIn: null },
] as const
const me = { role: 'publisher', publishIn: ['dev', 'staging'] } as const

test('a publisher may release to the named environments, an admin to all, a viewer to none', () => {
  const places = (at: number) =>
    ['dev', 'production'].map((place) => mayReleaseTo(everybody[at] ?? me, place))
  expect([places(0), places(1), places(2), places(3)]).toEqual([
    [true, false],
    [true, true],
    [true, true],
    [false, false],
  ])
})

test.each([
  [
    me,
    ['Marta', 'Jo'],
    'You may release to dev and staging. Who may release to production: Marta and Jo.',
  ],
  [
    { ...me, publishIn: [] },
    ['Marta', 'Jo'],
    'You may release to no environment. Who may release to production: Marta and Jo.',
  ],
  [
    { role: 'editor', publishIn: null } as const,
    ['Marta', 'Jo'],
    'Your role editor does not include releases. Who may release to production: Marta and Jo.',
  ],
  [me, [], 'You may release to dev and staging. Who may release to production: no one.'],
  [
    me,
    ['A', 'B', 'C', 'D', 'E'],
    'You may release to dev and staging. Who may release to production: A, B, C and 2 more.',
  ],
])(
  'a missing release right is described with the environments of the member and the holders of the right (%#)',
  (member, holders, expected) => {
    const asked = { permission: 'release.publish', environment: 'production', holders } as const
    expect(describeMissingRight(member, asked)).toBe(expected)
  },
)

test('a missing right to approve calls is described with the environments of the member and its holders', () => {
  const asked = { permission: 'call.approve', environment: 'production', holders: ['Jo'] } as const
  expect(describeMissingRight(me, asked)).toBe(
    'You may approve calls in dev and staging. Who may approve calls in production: Jo.',
  )
})
