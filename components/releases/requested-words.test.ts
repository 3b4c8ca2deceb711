import { expect, test } from 'vitest'
import { requestsText } from './requested-words.ts'

const MINE = { state: 'waiting', isCurrent: true, isYourTurn: true } as const
const OTHER = { ...MINE, isYourTurn: false }
const EDITED = { ...OTHER, isCurrent: false }
const APPROVED = { ...MINE, state: 'approved' } as const
const REFUSED = { ...MINE, state: 'refused' } as const

test.each([
  [[MINE], '1 waits for you'],
  [[MINE, MINE, OTHER], '2 wait for you'],
  [[OTHER], '1 waits for another user'],
  [[OTHER, OTHER, EDITED], '2 wait for another user'],
  [[OTHER, APPROVED, REFUSED], '1 waits for another user · 1 approved · 1 refused'],
  [[APPROVED, { ...REFUSED, isYourTurn: false }], '1 approved · 1 refused'],
  [[EDITED], undefined],
])(
  'the heading of the release approvals names who must decide and what was decided: %j',
  (requests, text) => {
    expect(requestsText(requests)).toBe(text)
  },
)
