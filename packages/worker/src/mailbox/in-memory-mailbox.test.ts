import { fakeClock } from '@signalbox/testkit'
import { afterEach, expect, test, vi } from 'vitest'
import { describeMailbox } from '../test/mailbox-contract.ts'
import { InMemoryMailbox } from './in-memory-mailbox.ts'

const clock = fakeClock()

describeMailbox('an in-memory mailbox', {
  leaseSeconds: 30,
  runs: 200,
  create: async (options) => new InMemoryMailbox({ now: clock.now, ...options }),
  now: clock.now,
  elapse: async (seconds) => clock.advance(seconds * 1000),
  runOut: async (seconds) => clock.advance(seconds * 1000),
})

afterEach(() => {
  vi.useRealTimers()
})

test('a waiting receive gets a message of an in-memory mailbox exactly when its lease ends', async () => {
  vi.useFakeTimers()
  const mailbox = new InMemoryMailbox({ name: 'tasks', visibilitySeconds: 30 })
  await mailbox.send('x')
  const [message] = await mailbox.receive()
  const waiting = mailbox.receive({ waitSeconds: 600 }).then(([again]) => ({
    at: Date.now(),
    deliveryCount: again?.deliveryCount,
  }))
  await vi.advanceTimersByTimeAsync(10_000)
  await message?.extendVisibility(300)
  await vi.advanceTimersByTimeAsync(590_000)
  expect(await waiting).toEqual({ at: message?.leaseUntil, deliveryCount: 2 })
})

test('a wait for messages of an in-memory mailbox ends at its time limit', async () => {
  vi.useFakeTimers()
  const mailbox = new InMemoryMailbox({ name: 'tasks' })
  const startedAt = Date.now()
  const waiting = mailbox.receive({ waitSeconds: 20 }).then((messages) => [messages, Date.now()])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await waiting).toEqual([[], startedAt + 20_000])
})

test('a message returned to an in-memory mailbox queues behind those that have waited longer', async () => {
  const mailbox = new InMemoryMailbox({ name: 'tasks', now: clock.now })
  for (const task of [1, 2]) await mailbox.send(task)
  clock.advance(1)
  const [first] = await mailbox.receive()
  await first?.nack()
  expect((await mailbox.receive({ max: 2 })).map(({ body }) => body)).toEqual([2, 1])
})

test('a message received from an in-memory mailbox does not change with the sent object', async () => {
  const mailbox = new InMemoryMailbox<{ steps: string[] }>({ name: 'tasks' })
  const body = { steps: ['a'] }
  await mailbox.send(body)
  body.steps.push('b')
  const [message] = await mailbox.receive()
  expect(message?.body).toEqual({ steps: ['a'] })
})
