import { expect, test } from 'vitest'
import { waitingText } from './waiting-words.ts'

const MINE = { isCurrent: true, mayDecide: true }
const OTHER = { isCurrent: true, mayDecide: false }
const EDITED = { isCurrent: false, mayDecide: false }

test.each([
  [[MINE], '1 waits for you'],
  [[MINE, MINE, OTHER], '2 wait for you'],
  [[OTHER], '1 waits for another user'],
  [[OTHER, OTHER, EDITED], '2 wait for another user'],
  [[EDITED], undefined],
])('the heading of the release approvals names who must decide: %j', (waiting, text) => {
  expect(waitingText(waiting)).toBe(text)
})
