import { expect, test } from 'vitest'
import { Wakeup, waitForMessages } from './wait-for-messages.ts'

test('waitForMessages polls again after a notification during a poll', async () => {
  const wakeup = new Wakeup()
  const waiting: string[] = []
  let looks = 0
  const take = async () => {
    looks += 1
    const found = waiting.splice(0)
    if (looks === 1) {
      waiting.push('came too late for this look')
      wakeup.wake()
    }
    return found
  }
  const taken = await waitForMessages(
    { wakeup, now: Date.now, take, pauseMs: async () => 2 ** 31 - 1 },
    { waitSeconds: 600, signal: undefined },
  )
  expect([taken, looks]).toEqual([['came too late for this look'], 2])
})

test('waitForMessages polls once for a wait of zero seconds', async () => {
  let looks = 0
  const take = async () => {
    looks += 1
    return []
  }
  await waitForMessages(
    { wakeup: new Wakeup(), now: Date.now, take, pauseMs: async () => 0 },
    { waitSeconds: 0, signal: undefined },
  )
  expect(looks).toBe(1)
})
