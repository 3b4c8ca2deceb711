import { expect, test } from 'vitest'
import { FairQueue, FairShares, type Sender } from './turns.ts'

const sender = (projectId: string, callerId: string): Sender => ({ projectId, callerId })

function takeAll(shares: FairShares, who: Sender): number {
  let taken = 0
  while (shares.take(who, 1)) taken += 1
  return taken
}

test('a caller gets at most its share of ingest slots, and another caller or project still gets a slot', () => {
  const shares = new FairShares(96)
  expect(takeAll(shares, sender('p1', 'a'))).toBe(32)
  expect(takeAll(shares, sender('p1', 'b'))).toBe(16)
  expect(takeAll(shares, sender('p2', 'c'))).toBe(16)
  expect(shares.take(sender('p3', 'd'), 1)).toBe(true)
})

test('a project with many keys gets at most half of the ingest slots', () => {
  const shares = new FairShares(96)
  const taken = Array.from({ length: 40 }, (_, key) => takeAll(shares, sender('p1', `k${key}`)))
  expect(taken.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(48)
  expect(takeAll(shares, sender('p2', 'other'))).toBeGreaterThanOrEqual(16)
})

test('returned ingest slots are available to other callers', () => {
  const shares = new FairShares(9)
  expect(takeAll(shares, sender('p1', 'a'))).toBe(3)
  shares.giveBack(sender('p1', 'a'), 3)
  expect(takeAll(shares, sender('p2', 'b'))).toBe(3)
})

test('waiting projects take turns, then the callers of a project, then batches in order', () => {
  const queue = new FairQueue()
  const waiting = (who: Sender) => ({ sender: who, start: () => undefined })
  for (const one of ['a', 'a', 'a', 'b', 'c'])
    queue.add(waiting(sender(one === 'c' ? 'p2' : 'p1', one)))
  const order = Array.from({ length: 5 }, () => queue.next()?.sender.callerId)
  expect(order).toEqual(['a', 'c', 'b', 'a', 'a'])
  expect(queue.next()).toBeNull()
})
