import { expect, test } from 'vitest'
import { mayRelease, refusalText } from './release-right.ts'

const member = (
  name: string,
  role: 'viewer' | 'publisher' | 'admin',
  publishIn: string[] | null,
) => ({ userId: name, name, email: `${name}@x.test`, role, publishIn, createdAt: 0, signsInBy: [] })
const everybody = [
  member('Ana', 'publisher', ['dev']),
  member('Marta', 'publisher', null),
  member('Jo', 'admin', null),
  member('Vic', 'viewer', null),
]
const me = { role: 'publisher', publishIn: ['dev', 'staging'] } as const

test('lets a publisher release to the named environments, an admin to all, and a viewer to none', () => {
  const places = (at: number) =>
    ['dev', 'production'].map((place) => mayRelease(everybody[at] ?? me, place))
  expect([places(0), places(1), places(2), places(3)]).toEqual([
    [true, false],
    [true, true],
    [true, true],
    [false, false],
  ])
})

test.each([
  [me, everybody, 'You may publish to dev and staging. Production: Marta and Jo.'],
  [
    { ...me, publishIn: [] },
    everybody,
    'You may publish to no environment. Production: Marta and Jo.',
  ],
  [
    { role: 'editor', publishIn: null } as const,
    everybody,
    'Your role editor does not include publishing. Production: Marta and Jo.',
  ],
  [me, [], 'You may publish to dev and staging. Production: no one.'],
  [
    me,
    ['A', 'B', 'C', 'D', 'E'].map((name) => member(name, 'admin', null)),
    'You may publish to dev and staging. Production: A, B, C and 2 more.',
  ],
])(
  'states where a user may release, and who may release there (%#)',
  (...[grant, members, expected]) => {
    expect(refusalText(grant, 'production', members)).toBe(expected)
  },
)
