import { expect, test } from 'vitest'
import { AckedSessions } from './acked-sessions.ts'

const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

test('events after a gap are not acknowledged, nor is the gap', () => {
  const acked = new AckedSessions()
  // 1 to 10 got 429.
  expect(acked.stored('k', new Map([['sess_1', from(11, 20)]]))).toEqual({})
  expect(acked.stored('k', new Map([['sess_1', from(1, 10)]]))).toEqual({ sess_1: 10 })
  expect(acked.stored('k', new Map([['sess_1', [...from(11, 20), 22]]]))).toEqual({ sess_1: 20 })
})

test('the acknowledged count starts with the events that the control plane stored, for the key that received them', () => {
  const acked = new AckedSessions()
  acked.told('k', { sess_1: 10, sess_2: 0 })
  const batch = new Map([
    ['sess_1', [12, 11]],
    ['sess_2', [4]],
  ])
  expect(acked.stored('k', batch)).toEqual({ sess_1: 12 })
  expect(acked.stored('other', batch)).toEqual({})
})

test('the least recently seen session is evicted', () => {
  const acked = new AckedSessions(2)
  for (const session of ['a', 'b', 'a', 'c']) acked.told('k', { [session]: 1 })
  const next = (session: string) => acked.stored('k', new Map([[session, [2]]]))
  expect([next('b'), next('a'), next('c')]).toEqual([{}, { a: 2 }, { c: 2 }])
})
