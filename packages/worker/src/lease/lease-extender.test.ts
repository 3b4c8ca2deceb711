import { setImmediate } from 'node:timers/promises'
import type { Diagnostic } from '@signalbox/runtime/base'
import { type FakeClock, fakeClock } from '@signalbox/testkit'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { Heartbeat } from './heartbeat.ts'
import { type LeasedMessage, LeaseExtender, type LeaseExtenderOptions } from './lease-extender.ts'
import { ReceiptHandleExpiredError } from './receipt-handle-expired-error.ts'

let clock: FakeClock
let reported: Diagnostic[]
let recorded: (readonly [string, number | string])[]

beforeEach(() => {
  clock = fakeClock(0)
  reported = []
  recorded = []
})

const extenderWith = (options: LeaseExtenderOptions = {}) =>
  new LeaseExtender({
    now: clock.now,
    report: (diagnostic) => reported.push(diagnostic),
    log: {
      extended: (seconds) => void recorded.push(['extended', seconds]),
      expired: (message) => void recorded.push(['expired', message]),
    },
    ...options,
  })

/** A lease that is set to exactly the requested time, like a queue whose extensions could shorten it. */
class ObedientMessage implements LeasedMessage {
  readonly id = 'm1'
  readonly asked: { readonly at: number; readonly seconds: number }[] = []
  leaseUntil: number
  answer: () => Promise<void> = async () => undefined

  constructor(leaseSeconds: number) {
    this.leaseUntil = clock.now() + leaseSeconds * 1000
  }

  async extendVisibility(seconds: number): Promise<void> {
    const at = clock.now()
    this.asked.push({ at: at / 1000, seconds })
    await this.answer()
    this.leaseUntil = at + seconds * 1000
  }
}

function hold(message: ObedientMessage): () => void {
  let release = () => undefined
  const released = new Promise<void>((resolve) => {
    release = () => void resolve()
  })
  message.answer = () => released
  return () => release()
}

const beat = async (heartbeat: Heartbeat) => {
  heartbeat.beat()
  await setImmediate()
}

describe('a lease extension by a beat', () => {
  test('happens at the first beat, and then at most once per interval', async () => {
    const message = new ObedientMessage(30)
    const heartbeat = new Heartbeat({ now: clock.now })
    const attachment = extenderWith().attach(message, heartbeat)
    for (let second = 0; second <= 125; second += 5) {
      await beat(heartbeat)
      clock.advance(5000)
    }
    expect(message.asked).toEqual([
      { at: 0, seconds: 300 },
      { at: 60, seconds: 300 },
      { at: 120, seconds: 300 },
    ])
    expect(recorded).toEqual([
      ['extended', 300],
      ['extended', 300],
      ['extended', 300],
    ])
    await attachment.detach()
  })

  test('a lease extension by a beat is skipped while the lease ends later than the extension would', async () => {
    const message = new ObedientMessage(1800)
    const heartbeat = new Heartbeat()
    extenderWith().attach(message, heartbeat)
    clock.advance(1_499_999)
    await beat(heartbeat)
    expect(message.asked).toEqual([])
    clock.advance(1)
    await beat(heartbeat)
    expect(message.asked).toEqual([{ at: 1500, seconds: 300 }])
  })

  test('a lease extension by a beat never happens without a beat', async () => {
    const message = new ObedientMessage(30)
    extenderWith().attach(message, new Heartbeat())
    clock.advance(60_000)
    await setImmediate()
    expect(message.asked).toEqual([])
  })

  test('a lease extension by a beat never happens when disabled', async () => {
    const message = new ObedientMessage(30)
    const heartbeat = new Heartbeat()
    extenderWith({ enabled: false }).attach(message, heartbeat)
    await beat(heartbeat)
    clock.advance(60_000)
    await beat(heartbeat)
    expect(message.asked).toEqual([])
  })

  test('happens once while an extension is running, for any number of beats', async () => {
    const message = new ObedientMessage(30)
    const heartbeat = new Heartbeat()
    const resolve = hold(message)
    const attachment = extenderWith({ interval: 1 }).attach(message, heartbeat)
    for (let i = 0; i < 5; i++) {
      await beat(heartbeat)
      clock.advance(2000)
    }
    expect(message.asked).toHaveLength(1)
    resolve()
    await attachment.detach()
  })

  test('happens again after the clock was set back', async () => {
    const message = new ObedientMessage(30)
    const heartbeat = new Heartbeat()
    extenderWith({ interval: 60, extension: 300 }).attach(message, heartbeat)
    clock.advance(1_000_000)
    await beat(heartbeat)
    clock.advance(-500_000)
    message.leaseUntil = clock.now()
    await beat(heartbeat)
    expect(message.asked).toHaveLength(2)
  })
})

test('a lease extension never shortens a lease, and never happens within the interval', async () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 200_000 }), { minLength: 1, maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(pauses, fc.integer({ min: 1, max: 2000 }), async (ms, leaseSeconds) => {
      clock = fakeClock(0)
      const message = new ObedientMessage(leaseSeconds)
      const heartbeat = new Heartbeat()
      const attachment = extenderWith().attach(message, heartbeat)
      for (const pause of ms) {
        clock.advance(pause)
        const before = message.leaseUntil
        await beat(heartbeat)
        expect(message.leaseUntil).toBeGreaterThanOrEqual(before)
      }
      await attachment.detach()
      const gaps = message.asked.slice(1).map(({ at }, i) => at - (message.asked[i]?.at ?? 0))
      expect(Math.min(60, ...gaps)).toBe(60)
    }),
  )
})

describe('a failure of a lease extension', () => {
  test('a failure of a lease extension is recorded as one warning for a lease that has ended, and is not retried', async () => {
    const message = new ObedientMessage(30)
    const heartbeat = new Heartbeat()
    message.answer = () => Promise.reject(new ReceiptHandleExpiredError('m1'))
    extenderWith().attach(message, heartbeat)
    await beat(heartbeat)
    await beat(heartbeat)
    const sentence =
      'The lease of message m1 has expired, so another worker may have the message. Leave it to that worker.'
    expect(message.asked).toHaveLength(1)
    expect(reported).toEqual([{ level: 'warning', code: 'lease_expired', message: sentence }])
    expect(recorded).toEqual([['expired', sentence]])
  })

  test('a failure of a lease extension is reported for any other error and retried by the next beat, even within the interval', async () => {
    const message = new ObedientMessage(30)
    const heartbeat = new Heartbeat()
    message.answer = () => Promise.reject(new Error('connection reset'))
    extenderWith().attach(message, heartbeat)
    await beat(heartbeat)
    message.answer = async () => undefined
    clock.advance(1000)
    await beat(heartbeat)
    expect(message.asked).toHaveLength(2)
    expect(reported).toEqual([
      { level: 'error', code: 'lease_extension_failed', message: 'connection reset' },
    ])
    expect(recorded).toEqual([['extended', 300]])
  })

  test('a failure of a lease extension in the lease log is reported, and the lease is still extended', async () => {
    const message = new ObedientMessage(30)
    const heartbeat = new Heartbeat()
    const log = {
      extended: () => {
        throw new Error('disk full')
      },
      expired: () => undefined,
    }
    extenderWith({ log }).attach(message, heartbeat)
    await beat(heartbeat)
    clock.advance(60_000)
    await beat(heartbeat)
    expect(message.asked).toHaveLength(2)
    expect(reported.map(({ message: text }) => text)).toEqual([
      'The lease log failed: disk full',
      'The lease log failed: disk full',
    ])
  })
})

describe('the attachment of a lease extender', () => {
  test('throws if another heartbeat is attached', async () => {
    const extender = extenderWith()
    const heartbeat = new Heartbeat()
    const attachment = extender.attach(new ObedientMessage(30), heartbeat)
    expect(() => extender.attach(new ObedientMessage(30), heartbeat)).toThrow(
      'LeaseExtender already attached',
    )
    await attachment.detach()
    const next = extender.attach(new ObedientMessage(30), heartbeat)
    // A second detach must not end the next attachment.
    await attachment.detach()
    expect(() => extender.attach(new ObedientMessage(30), heartbeat)).toThrow(
      'LeaseExtender already attached',
    )
    await next.detach()
  })

  test('ends at detach, and later beats do nothing', async () => {
    const message = new ObedientMessage(30)
    const heartbeat = new Heartbeat()
    await extenderWith().attach(message, heartbeat).detach()
    await beat(heartbeat)
    expect(message.asked).toEqual([])
  })

  test('ends with the scope of its using declaration', async () => {
    const message = new ObedientMessage(30)
    const heartbeat = new Heartbeat()
    const extender = extenderWith()
    {
      using _attachment = extender.attach(message, heartbeat)
      await beat(heartbeat)
    }
    clock.advance(60_000)
    await beat(heartbeat)
    expect(message.asked).toHaveLength(1)
    await extender.attach(message, heartbeat).detach()
  })

  test('the attachment of a lease extender by during() lasts as long as the given work, even when the work throws', async () => {
    const message = new ObedientMessage(30)
    const heartbeat = new Heartbeat()
    const extender = extenderWith()
    const answer = await extender.during(message, heartbeat, async () => {
      await beat(heartbeat)
      return 42
    })
    const failing = extender.during(message, heartbeat, () => Promise.reject(new Error('no')))
    await expect(failing).rejects.toThrow('no')
    clock.advance(60_000)
    await beat(heartbeat)
    expect([answer, message.asked.length]).toEqual([42, 1])
  })

  test('the attachment of a lease extender by during() does not end before a running extension has ended', async () => {
    const message = new ObedientMessage(30)
    const heartbeat = new Heartbeat()
    const resolve = hold(message)
    let ended = false
    const working = extenderWith()
      .during(message, heartbeat, async () => heartbeat.beat())
      .then(() => {
        ended = true
      })
    await setImmediate()
    expect(message.asked).toHaveLength(1)
    expect(ended).toBe(false)
    resolve()
    await working
    expect(message.leaseUntil).toBe(300_000)
  })
})
