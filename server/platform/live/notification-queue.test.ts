import { expect, test } from 'vitest'
import { createNotificationQueue } from './notification-queue.ts'

const session = (id: string, seq: number) => ({ project: 'p', kind: 'session' as const, id, seq })

test('the first notification about an object is sent immediately, and the next after 100 ms with the newest number', () => {
  const queue = createNotificationQueue()
  queue.put(session('a', 1))
  expect(queue.take(1_000)).toEqual([session('a', 1)])
  queue.put(session('a', 2))
  queue.put(session('a', 3))
  expect(queue.take(1_050)).toEqual([])
  expect(queue.nextAt()).toBe(1_100)
  expect(queue.take(1_100)).toEqual([session('a', 3)])
  expect(queue.nextAt()).toBeNull()
})

test('a busy session does not delay notifications about other sessions', () => {
  const queue = createNotificationQueue()
  queue.put(session('a', 1))
  queue.take(1_000)
  queue.put(session('a', 2))
  queue.put(session('b', 1))
  expect(queue.take(1_001)).toEqual([session('b', 1)])
})

test('a notification that arrives after a newer one about the same session does not replace it', () => {
  const queue = createNotificationQueue()
  queue.put(session('a', 40))
  queue.put(session('a', 20))
  expect(queue.take(1_000)).toEqual([session('a', 40)])
})
