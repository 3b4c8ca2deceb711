import { expect, test } from 'vitest'
import { mayReleaseTo } from './permissions.ts'
import { describeNeed } from './place-rights.ts'

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
  [['Jo'], 'You need the publisher role in production. Jo has it.'],
  [['Marta', 'Jo'], 'You need the publisher role in production. Marta and Jo have it.'],
  [[], 'You need the publisher role in production.'],
  [
    ['A', 'B', 'C', 'D', 'E'],
    'You need the publisher role in production. A, B, C and 2 more have it.',
  ],
])('a missing role is described with the members who have it (%#)', (holders, expected) => {
  expect(describeNeed('publisher role in production', holders)).toBe(expected)
})
