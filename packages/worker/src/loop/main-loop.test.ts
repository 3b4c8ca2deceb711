import type { Diagnostic } from '@signalbox/runtime/base'
import { GuardrailError } from '@signalbox/runtime/base'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { InMemoryMailbox } from '../mailbox/in-memory-mailbox.ts'
import type { Mailbox } from '../mailbox/mailbox.ts'
import { MainLoop, type MainLoopOptions } from './main-loop.ts'
import type { HandleContext, LoopReply } from './supervise.ts'
import { Watchdog } from './watchdog.ts'

type TestLoop = MainLoop<string, string>

let mailbox: InMemoryMailbox<string, LoopReply<string>>
let reported: Diagnostic[]
let loops: { readonly loop: TestLoop; readonly running: Promise<void> }[]
let startedAt: number

beforeEach(() => {
  vi.useFakeTimers()
  startedAt = Date.now()
  mailbox = new InMemoryMailbox({ name: 'tasks' })
  reported = []
  loops = []
})

afterEach(async () => {
  for (const { loop, running } of loops) {
    await Promise.all([loop.stop({ graceSeconds: 0 }), vi.advanceTimersByTimeAsync(1)])
    await running
  }
  vi.useRealTimers()
})

function start(options: Partial<MainLoopOptions<string, string>>): TestLoop {
  const handle = async (body: string) => body.toUpperCase()
  const report = (diagnostic: Diagnostic) => void reported.push(diagnostic)
  const loop = new MainLoop({ mailbox, handle, report, ...options })
  loops.push({ loop, running: loop.run() })
  return loop
}

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000)
const elapsed = () => (Date.now() - startedAt) / 1000
const codes = () => reported.map(({ level, code }) => `${level} ${code}`)

const hang = (context: HandleContext) =>
  new Promise<string>((resolve) => {
    context.signal.addEventListener('abort', () => resolve('too late'))
  })

describe('a message handled by a main loop', () => {
  test('a message handled by a main loop is replied to and acknowledged', async () => {
    const replies = new InMemoryMailbox<LoopReply<string>>({ name: 'replies' })
    start({})
    const id = await mailbox.send('hello', { replyTo: replies })
    await seconds(1)
    expect(await mailbox.count()).toBe(0)
    const [reply] = await replies.receive()
    expect(reply).toMatchObject({ inReplyTo: id, body: { kind: 'completed', output: 'HELLO' } })
    expect(reported).toEqual([])
  })

  test('a message handled by a main loop is acknowledged without a reply when none is requested', async () => {
    start({})
    await mailbox.send('hello')
    await seconds(1)
    expect([await mailbox.count(), await mailbox.deadLetters()]).toEqual([0, []])
  })

  test('leaves nothing running except the wait for the next message', async () => {
    start({})
    await mailbox.send('hello')
    await seconds(1)
    expect(vi.getTimerCount()).toBe(1)
  })

  test('a message handled by a main loop is leased for the visibility timeout, and longer only with beats', async () => {
    const lease = {
      visibilityTimeout: 100,
      watchdogThreshold: 60,
      maxProcessingTime: 30,
      extension: 40,
      interval: 10,
    }
    const ends: number[] = []
    const handle = async (_: string, { heartbeat, message }: HandleContext) => {
      for (let i = 0; i < 20; i++) {
        ends.push((message.leaseUntil - startedAt) / 1000)
        await new Promise((resolve) => setTimeout(resolve, 10_000))
        heartbeat.beat()
      }
      return 'done'
    }
    start({ lease, handle })
    await mailbox.send('long')
    await seconds(250)
    // The lease is unchanged while it ends later than 40 s from now; then each beat extends it to 40 s from the beat.
    expect(ends).toEqual([
      100,
      100,
      100,
      100,
      100,
      100,
      ...Array.from({ length: 14 }, (_, i) => 100 + i * 10),
    ])
    expect([await mailbox.count(), reported]).toEqual([0, []])
  })

  test("reports its lease to the handler's logs", async () => {
    const lease = {
      visibilityTimeout: 100,
      watchdogThreshold: 60,
      maxProcessingTime: 30,
      extension: 99,
      interval: 10,
    }
    const told: (number | string)[] = []
    const log = {
      extended: (s: number) => void told.push(s),
      expired: (m: string) => void told.push(m),
    }
    const failing = {
      extended: () => Promise.reject(new Error('closed')),
      expired: () => undefined,
    }
    start({
      lease,
      handle: async (_, { heartbeat, recordLease }) => {
        recordLease(failing)
        recordLease(log)
        await new Promise((resolve) => setTimeout(resolve, 2000))
        heartbeat.beat()
        return 'done'
      },
    })
    await mailbox.send('x')
    await seconds(3)
    expect(told).toEqual([99])
    expect(codes()).toEqual(['error lease_log_failed'])
  })
})

describe('a failing handler of a main loop', () => {
  test('a failing handler of a main loop is retried after 60, 120, 180 and 240 s, then the message is a dead letter and the sender is notified', async () => {
    const replies = new InMemoryMailbox<LoopReply<string>>({ name: 'replies' })
    const tries: number[] = []
    start({
      handle: async () => {
        tries.push(elapsed())
        throw new Error('no such tool')
      },
    })
    const id = await mailbox.send('x', { replyTo: replies })
    await seconds(3600)
    expect(tries).toEqual([0, 60, 180, 360, 600])
    expect(await mailbox.count()).toBe(0)
    expect(await mailbox.deadLetters()).toMatchObject([
      { id, body: 'x', error: 'no such tool', deliveryCount: 5 },
    ])
    const received = await replies.receive({ max: 10 })
    expect(received.map(({ body, inReplyTo }) => [inReplyTo, body])).toEqual([
      [id, { kind: 'failed', error: 'no such tool' }],
    ])
    expect(codes()).toEqual([
      ...Array.from({ length: 4 }, () => 'warning handler_failed'),
      'error dead_lettered',
    ])
  })

  test('produces a dead letter after the configured number of deliveries', async () => {
    start({ deadLetters: { deliveries: 2 }, handle: () => Promise.reject(new Error('no')) })
    await mailbox.send('x')
    await seconds(3600)
    expect(await mailbox.deadLetters()).toMatchObject([{ error: 'no', deliveryCount: 2 }])
    expect(() => start({ deadLetters: { deliveries: 0 } })).toThrow('deadLetters.deliveries is 0')
  })

  test('produces a dead letter immediately for an included error, and never for an excluded error', async () => {
    class Hopeless extends TypeError {}
    class Outage extends Error {}
    let tries = 0
    start({
      deadLetters: { deliveries: 2, include: [TypeError, Outage], exclude: [Outage] },
      handle: async (body) => {
        if (body === 'hopeless') throw new Hopeless('no such field')
        tries += 1
        if (tries < 6) throw new Outage('away')
        return body
      },
    })
    await mailbox.send('hopeless')
    await mailbox.send('later')
    await seconds(3600)
    expect(tries).toBe(6)
    expect(await mailbox.count()).toBe(0)
    expect(await mailbox.deadLetters()).toMatchObject([{ body: 'hopeless', deliveryCount: 1 }])
  })

  test('a failing handler of a main loop does not block other messages', async () => {
    const handled: string[] = []
    start({
      handle: async (body) => {
        if (body === 'bad') throw new Error('bad')
        handled.push(body)
        return body
      },
    })
    for (const body of ['bad', 'a', 'b']) await mailbox.send(body)
    await seconds(1)
    expect(handled).toEqual(['a', 'b'])
  })

  test('a failing handler of a main loop may succeed at a later delivery', async () => {
    const counts: number[] = []
    start({
      handle: async (body, { message }) => {
        counts.push(message.deliveryCount)
        if (message.deliveryCount < 3) throw new Error('not yet')
        return body
      },
    })
    await mailbox.send('x')
    await seconds(200)
    expect([counts, await mailbox.count(), await mailbox.deadLetters()]).toEqual([[1, 2, 3], 0, []])
  })

  test('a failing handler of a main loop has its message retried and finally dead-lettered when its reply cannot be sent', async () => {
    const replyTo = { name: 'broken', send: () => Promise.reject(new Error('no stream')) }
    start({})
    await mailbox.send('x', { replyTo })
    await seconds(3600)
    expect(await mailbox.deadLetters()).toMatchObject([
      { error: 'The reply could not be sent: no stream', deliveryCount: 5 },
    ])
    expect(codes().slice(-2)).toEqual(['error reply_failed', 'error dead_lettered'])
  })

  test('a failing handler of a main loop is not called again for a message that crashed five workers', async () => {
    await mailbox.send('poison')
    for (let i = 0; i < 5; i++) await (await mailbox.receive())[0]?.nack()
    const handle = vi.fn(async () => 'x')
    start({ handle })
    await seconds(1)
    expect(handle).not.toHaveBeenCalled()
    expect(await mailbox.deadLetters()).toMatchObject([
      {
        body: 'poison',
        error: 'It was delivered 5 times and no worker finished it.',
        deliveryCount: 6,
      },
    ])
  })
})

describe('a handler of a main loop without beats', () => {
  test('a handler of a main loop without beats is aborted after the threshold; its lease expires, and its later results are discarded', async () => {
    const late: string[] = []
    const handle = async (_: string, context: HandleContext) => {
      if (context.message.deliveryCount === 2) return 'second'
      context.heartbeat.beat()
      const answer = await hang(context)
      late.push(`${answer} at ${elapsed()}`)
      context.heartbeat.beat()
      return answer
    }
    const replies = new InMemoryMailbox<LoopReply<string>>({ name: 'replies' })
    start({ handle })
    await mailbox.send('x', { replyTo: replies })
    await seconds(719)
    expect(late).toEqual([])
    await seconds(1)
    expect(late).toEqual(['too late at 720'])
    expect(codes()).toEqual(['error handler_stuck'])
    await seconds(1079)
    expect(await mailbox.count()).toBe(1)
    await seconds(1)
    expect(elapsed()).toBe(1800)
    expect(await mailbox.count()).toBe(0)
    const received = await replies.receive({ max: 10 })
    expect(received.map(({ body }) => body)).toEqual([{ kind: 'completed', output: 'second' }])
  })

  test('a handler of a main loop without beats does not block other messages even when it ignores its abort signal', async () => {
    const handled: string[] = []
    start({
      handle: (body) => {
        handled.push(body)
        return body === 'stuck' ? new Promise(() => undefined) : Promise.resolve(body)
      },
    })
    await mailbox.send('stuck')
    await mailbox.send('next')
    await seconds(720)
    expect(handled).toEqual(['stuck', 'next'])
  })
})

describe('a lease that ends before the handler of a main loop', () => {
  test('sends no reply, and leaves the message to its new owner', async () => {
    const replies = new InMemoryMailbox<LoopReply<string>>({ name: 'replies' })
    const told: string[] = []
    start({
      extendLeases: false,
      handle: async (body, { heartbeat, recordLease, message }) => {
        if (message.deliveryCount > 1) return new Promise(() => undefined)
        recordLease({ extended: () => undefined, expired: (text) => void told.push(text) })
        for (let i = 0; i < 4; i++) {
          await new Promise((resolve) => setTimeout(resolve, 600_000))
          heartbeat.beat()
        }
        return body
      },
    })
    const id = await mailbox.send('x', { replyTo: replies })
    await seconds(2400)
    expect(await replies.count()).toBe(0)
    expect(await mailbox.count()).toBe(1)
    const sentence = `The lease of message ${id} has expired, so another worker may have the message. Leave it to that worker.`
    expect([codes(), told]).toEqual([['warning lease_expired'], [sentence]])
  })

  test('a lease that ends before the handler of a main loop is recorded once in the lease log', async () => {
    const told: string[] = []
    start({
      lease: {
        visibilityTimeout: 100,
        watchdogThreshold: 60,
        maxProcessingTime: 30,
        extension: 40,
        interval: 10,
      },
      handle: async (body, { heartbeat, recordLease, message }) => {
        if (message.deliveryCount > 1) return body
        recordLease({ extended: () => undefined, expired: (text) => void told.push(text) })
        // A beat every 59 s is enough for the watchdog and too rare for a lease of 40 s.
        for (let i = 0; i < 3; i++) {
          await new Promise((resolve) => setTimeout(resolve, 59_000))
          heartbeat.beat()
        }
        throw new Error('failed after all')
      },
    })
    await mailbox.send('x')
    await seconds(300)
    expect(told).toHaveLength(1)
    expect(codes()).toEqual(['warning lease_expired', 'warning lease_expired'])
  })
})

describe('stopping a main loop', () => {
  test('finishes the current message and takes no further message', async () => {
    const handled: string[] = []
    const loop = start({
      handle: async (body) => {
        await new Promise((resolve) => setTimeout(resolve, 10_000))
        handled.push(body)
        return body
      },
    })
    await mailbox.send('a')
    await mailbox.send('b')
    await seconds(5)
    const stopped = loop.stop().then(elapsed)
    await seconds(60)
    expect([handled, await stopped, await mailbox.count()]).toEqual([['a'], 10, 1])
  })

  test('returns the current message at the end of the grace period, even when its handler never ends', async () => {
    const loop = start({ handle: () => new Promise(() => undefined) })
    await mailbox.send('a')
    await seconds(5)
    const stopped = loop.stop({ graceSeconds: 7 }).then(elapsed)
    await seconds(60)
    expect(await stopped).toBe(12)
    const [message] = await mailbox.receive()
    expect(message).toMatchObject({ body: 'a', deliveryCount: 2 })
  })

  test('aborts the handler at the end of the grace period', async () => {
    let aborted = false
    const loop = start({
      handle: async (_, context) => {
        await hang(context)
        aborted = true
        return 'x'
      },
    })
    await mailbox.send('a')
    await seconds(5)
    const stopped = loop.stop({ graceSeconds: 7 })
    await seconds(6)
    expect(aborted).toBe(false)
    await seconds(2)
    await stopped
    expect(aborted).toBe(true)
  })

  test('ends a wait for messages immediately', async () => {
    const loop = start({})
    await seconds(5)
    await loop.stop()
    expect(elapsed()).toBe(5)
  })

  test('returns a message that arrived during the stop', async () => {
    const handle = vi.fn(async () => 'x')
    const loop = start({ handle })
    await seconds(1)
    await mailbox.send('a')
    const stopped = loop.stop()
    await seconds(1)
    await stopped
    expect(handle).not.toHaveBeenCalled()
    expect(await mailbox.count()).toBe(1)
  })

  test('a second run() of a main loop rejects', async () => {
    const loop = start({})
    await expect(loop.run()).rejects.toThrow('MainLoop already running')
  })
})

describe('a main loop and its mailbox', () => {
  test('throws for inconsistent times and names them', () => {
    const build = () =>
      new MainLoop({
        mailbox,
        handle: async (body: string) => body,
        lease: { visibilityTimeout: 300, interval: 150 },
      })
    expect(build).toThrow(
      'visibility_timeout (300 s) must be greater than watchdog_threshold + max_processing_time (720 s + 600 s = 1320 s), or a message is delivered again while its worker still works.\nextension (300 s) must be less than visibility_timeout (300 s), or a stuck worker holds its message longer after a beat than without one.\ninterval (150 s) must be less than half of extension (300 s / 2 = 150 s), or one late beat lets the lease run out.',
    )
    expect(build).toThrow(expect.objectContaining({ code: 'bad_options' }))
  })

  const failing = (errors: Error[]): Mailbox<string, LoopReply<string>> =>
    Object.assign(Object.create(mailbox), {
      receive: (options: object) => {
        const error = errors.shift()
        return error === undefined ? mailbox.receive(options) : Promise.reject(error)
      },
    })

  test('retries a failing mailbox', async () => {
    start({ mailbox: failing([new Error('connection refused'), new Error('still')]) })
    await mailbox.send('x')
    await seconds(10)
    expect(await mailbox.count()).toBe(0)
    expect(codes()).toEqual(['error receive_failed', 'error receive_failed'])
  })

  test('retries less and less often while the mailbox fails', async () => {
    const errors = Array.from({ length: 1000 }, () => new Error('connection refused'))
    start({ mailbox: failing(errors) })
    await seconds(120)
    // Pauses grow from at most 250 ms to at least 15 s: 10 to 14 requests in two minutes.
    expect(errors.length).toBeGreaterThanOrEqual(986)
    expect(errors.length).toBeLessThanOrEqual(990)
  })

  test('ends when the mailbox cannot provide leases of that length', async () => {
    const refusal = new GuardrailError('bad_options', 'This mailbox leases for 30 s.')
    const loop = new MainLoop({ mailbox: failing([refusal]), handle: async (body) => body })
    await expect(loop.run()).rejects.toBe(refusal)
    await loop.stop()
  })
})

test('a watchdog reports each loop without a beat once, until it beats again', async () => {
  const alive = start({})
  const others = new InMemoryMailbox<string, LoopReply<string>>({ name: 'others' })
  let release = () => {}
  const stuck = start({
    lease: {
      visibilityTimeout: 9000,
      watchdogThreshold: 7000,
      maxProcessingTime: 1000,
      extension: 300,
      interval: 60,
    },
    mailbox: others,
    handle: () => new Promise((resolve) => (release = () => resolve('done'))),
  })
  const ended = new AbortController()
  const watchdog = new Watchdog({
    loops: [
      { name: 'alive', heartbeat: alive.heartbeat },
      { name: 'stuck', heartbeat: stuck.heartbeat, thresholdSeconds: 60 },
    ],
    report: (diagnostic) => void reported.push(diagnostic),
  })
  const watching = watchdog.run(ended.signal)
  await seconds(600)
  expect(codes()).toEqual([])
  await others.send('x')
  await seconds(600)
  expect(reported).toEqual([
    { level: 'error', code: 'loop_quiet', message: 'The loop "stuck" has sent no beat for 60 s.' },
  ])
  release()
  await seconds(600)
  await others.send('y')
  await seconds(600)
  expect(codes()).toEqual(['error loop_quiet', 'error loop_quiet'])
  release()
  ended.abort()
  await watching
})
