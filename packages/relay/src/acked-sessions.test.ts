import { expect, test } from 'vitest'
import { AckedSessions } from './acked-sessions.ts'

const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

test('a relay acknowledges no event after a gap in a session until the gap is filled', () => {
  const acked = new AckedSessions()
  // The relay answered events 1 to 10 with 429.
  expect(acked.stored('k', new Map([['sess_1', from(11, 20)]]))).toEqual({})
  expect(acked.stored('k', new Map([['sess_1', from(1, 10)]]))).toEqual({ sess_1: 10 })
  expect(acked.stored('k', new Map([['sess_1', [...from(11, 20), 22]]]))).toEqual({ sess_1: 20 })
})

test('acknowledgments continue from the count of the control plane, only for the API key that received it', () => {
  const acked = new AckedSessions()
  acked.acknowledged('k', { sess_1: 10, sess_2: 0 })
  const batch = new Map([
    ['sess_1', [12, 11]],
    ['sess_2', [4]],
  ])
  expect(acked.stored('k', batch)).toEqual({ sess_1: 12 })
  expect(acked.stored('other', batch)).toEqual({})
})

test('a full list of acknowledged sessions evicts the least recently seen session', () => {
  const acked = new AckedSessions(2)
  for (const session of ['a', 'b', 'a', 'c']) acked.acknowledged('k', { [session]: 1 })
  const next = (session: string) => acked.stored('k', new Map([[session, [2]]]))
  expect([next('b'), next('a'), next('c')]).toEqual([{}, { a: 2 }, { c: 2 }])
})
