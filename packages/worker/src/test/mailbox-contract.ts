import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Diagnostic } from '@signalbox/runtime/base'
import { GuardrailError } from '@signalbox/runtime/base'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import * as z from 'zod/v4'
import { ReceiptHandleExpiredError } from '../lease/receipt-handle-expired-error.ts'
import type { Mailbox, MailboxOptions, Message, ReceiveOptions } from '../mailbox/mailbox.ts'

export interface MailboxBackend {
  readonly leaseSeconds: number
  readonly runs: number
  create<Body, Reply>(options: MailboxOptions<Body>): Promise<Mailbox<Body, Reply>>
  /** Clock of `leaseUntil`, in epoch milliseconds. */
  now(): number
  elapse(seconds: number, mailbox: Mailbox): Promise<void>
  runOut(seconds: number): Promise<void>
}

type TestMailbox = Mailbox<unknown, unknown>

/** Call at the top level of a test file. */
export function describeMailbox(title: string, backend: MailboxBackend): void {
  const { leaseSeconds } = backend
  const create = (options: Partial<MailboxOptions<unknown>> = {}): Promise<TestMailbox> =>
    backend.create({ name: freshName(), visibilitySeconds: leaseSeconds, ...options })

  describe(title, () => {
    describe('leases', () => describeLeases(backend, create))
    describe('replies', () => describeReplies(create))
    describe('dead letters', () => describeDeadLetters(create))
    describe('bodies', () => describeBodies(backend, create))
    describe('waiting', () => describeWaiting(create))
    describe('laws', () => describeLaws(backend, create))
  })
}

type Create = (options?: Partial<MailboxOptions<unknown>>) => Promise<TestMailbox>

const freshName = () => `box-${randomBytes(6).toString('hex')}`

/** Waits a little, because an implementation may need a moment to notice a due message. */
async function receiveOne(
  mailbox: TestMailbox,
  options: ReceiveOptions = {},
): Promise<Message<unknown, unknown>> {
  const [message, ...more] = await mailbox.receive({ waitSeconds: 20, ...options })
  expect(more).toEqual([])
  if (message === undefined) throw new Error('no message came')
  return message
}

const isExpired = (error: unknown) => ReceiptHandleExpiredError.is(error)
const hasCode = (code: string) => (error: unknown) =>
  GuardrailError.is(error) && error.code === code

async function expectExpired(message: Message<unknown, unknown>): Promise<void> {
  for (const use of [
    () => message.acknowledge(),
    () => message.nack(),
    () => message.nack(1),
    () => message.extendVisibility(1),
    () => (message.canReply ? message.reply('late') : message.nack()),
    () => message.deadLetter('late'),
  ]) {
    await expect(use()).rejects.toSatisfy(isExpired)
  }
}

function describeLeases(
  { leaseSeconds, elapse, runOut, now }: MailboxBackend,
  create: Create,
): void {
  test('a message is received once, with its first delivery counted, and is then hidden', async () => {
    const mailbox = await create()
    const id = await mailbox.send({ task: 1 })
    const message = await receiveOne(mailbox)
    expect(message).toMatchObject({ id, body: { task: 1 }, deliveryCount: 1, inReplyTo: null })
    expect(await mailbox.receive({ max: 10 })).toEqual([])
    expect(await mailbox.count()).toBe(1)
  })

  test('the messages that have waited longest are received first, up to max', async () => {
    const mailbox = await create()
    for (const task of [1, 2, 3]) await mailbox.send(task)
    const first = await mailbox.receive({ max: 2, waitSeconds: 20 })
    const rest = await mailbox.receive({ max: 2, waitSeconds: 20 })
    expect([...first, ...rest].map(({ body }) => body)).toEqual([1, 2, 3])
    expect(first).toHaveLength(2)
  })

  test('an acknowledged message is removed, and its receipt expires', async () => {
    const mailbox = await create()
    await mailbox.send('x')
    const message = await receiveOne(mailbox)
    await message.acknowledge()
    expect(await mailbox.count()).toBe(0)
    await expectExpired(message)
  })

  test('a returned message is redelivered immediately and counted, and its old receipt expires', async () => {
    const mailbox = await create()
    await mailbox.send('x')
    const message = await receiveOne(mailbox)
    await message.nack()
    await expectExpired(message)
    const again = await receiveOne(mailbox)
    expect(again).toMatchObject({ id: message.id, deliveryCount: 2 })
    await again.acknowledge()
  })

  test('a message that is returned with a delay is hidden for that time', async () => {
    const mailbox = await create()
    await mailbox.send('x')
    const message = await receiveOne(mailbox)
    await message.nack(leaseSeconds)
    await expectExpired(message)
    expect(await mailbox.receive()).toEqual([])
    await elapse(leaseSeconds / 2, mailbox)
    expect(await mailbox.receive()).toEqual([])
    await runOut(leaseSeconds / 2)
    expect(await receiveOne(mailbox)).toMatchObject({ deliveryCount: 2 })
  })

  test('a message is redelivered when its lease ends, and not before', async () => {
    const mailbox = await create()
    await mailbox.send('x')
    const message = await receiveOne(mailbox)
    await elapse(leaseSeconds / 2, mailbox)
    expect(await mailbox.receive()).toEqual([])
    await runOut(leaseSeconds / 2)
    const again = await receiveOne(mailbox)
    expect(again).toMatchObject({ id: message.id, deliveryCount: 2 })
    expect(again.leaseUntil).toBeGreaterThanOrEqual(message.leaseUntil)
  })

  test('the receipt of an ended lease has expired, and its use does not affect the next receiver', async () => {
    const mailbox = await create()
    const replies = await create()
    await mailbox.send('x', { replyTo: replies })
    const stale = await receiveOne(mailbox)
    await runOut(leaseSeconds)
    const holder = await receiveOne(mailbox)
    await expectExpired(stale)
    expect(await mailbox.receive()).toEqual([])
    await holder.acknowledge()
    expect([await mailbox.count(), await replies.count()]).toEqual([0, 0])
    expect(await mailbox.deadLetters()).toEqual([])
  })

  test('the receipt of an ended lease has expired even while no one else has the message', async () => {
    const mailbox = await create()
    await mailbox.send('x')
    const message = await receiveOne(mailbox)
    await runOut(leaseSeconds)
    await vi.waitFor(() => expect(now()).toBeGreaterThanOrEqual(message.leaseUntil), {
      timeout: 20_000,
    })
    await expectExpired(message)
    expect(await receiveOne(mailbox)).toMatchObject({ deliveryCount: 2 })
  })

  test('an extended lease lasts for the requested time from the extension on', async () => {
    const mailbox = await create()
    await mailbox.send('x')
    const message = await receiveOne(mailbox)
    const before = message.leaseUntil
    await elapse(leaseSeconds / 2, mailbox)
    await message.extendVisibility(leaseSeconds)
    expect(message.leaseUntil).toBeGreaterThan(before)
    await elapse(leaseSeconds * 0.75, mailbox)
    expect(await mailbox.receive()).toEqual([])
    await message.acknowledge()
    expect(await mailbox.count()).toBe(0)
  })

  test('an extension never shortens a lease', async () => {
    const mailbox = await create()
    await mailbox.send('x')
    const message = await receiveOne(mailbox)
    const before = message.leaseUntil
    await message.extendVisibility(leaseSeconds / 10)
    expect(message.leaseUntil).toBeGreaterThanOrEqual(before)
    await elapse(leaseSeconds / 2, mailbox)
    expect(await mailbox.receive()).toEqual([])
    await message.acknowledge()
  })

  test('purge removes waiting and leased messages and returns their number', async () => {
    const mailbox = await create()
    for (const task of [1, 2, 3]) await mailbox.send(task)
    await receiveOne(mailbox)
    expect(await mailbox.purge()).toBe(3)
    expect(await mailbox.count()).toBe(0)
    await mailbox.send(4)
    expect(await receiveOne(mailbox)).toMatchObject({ body: 4 })
  })

  test('mailboxes with different names share no messages', async () => {
    const [mailbox, other] = [await create(), await create()]
    await mailbox.send('x')
    expect([await other.count(), await other.receive()]).toEqual([0, []])
  })

  test.each(['', 'a b', 'a.b', 'x'.repeat(65)])('the name %j is refused', async (name) => {
    await expect(create({ name })).rejects.toSatisfy(hasCode('bad_options'))
  })

  test('invalid times and numbers are refused', async () => {
    const mailbox = await create()
    await mailbox.send('x')
    const message = await receiveOne(mailbox)
    for (const use of [
      () => mailbox.receive({ max: 0 }),
      () => mailbox.receive({ waitSeconds: -1 }),
      () => mailbox.receive({ visibilitySeconds: 0 }),
      () => message.nack(Number.NaN),
      () => message.extendVisibility(-1),
    ]) {
      await expect(use()).rejects.toSatisfy(hasCode('bad_options'))
    }
    await message.acknowledge()
  })
}

function describeReplies(create: Create): void {
  test('a reply arrives in the mailbox that the sender gave, with the id of the original message', async () => {
    const [mailbox, replies] = [await create(), await create()]
    const id = await mailbox.send('question', { replyTo: replies })
    const message = await receiveOne(mailbox)
    expect(message.canReply).toBe(true)
    const replyId = await message.reply({ answer: 42 })
    await message.acknowledge()
    expect(await receiveOne(replies)).toMatchObject({
      id: replyId,
      body: { answer: 42 },
      inReplyTo: id,
      canReply: false,
    })
  })

  test('a reply to a message without a reply address is refused', async () => {
    const mailbox = await create()
    await mailbox.send('statement')
    const message = await receiveOne(mailbox)
    expect(message.canReply).toBe(false)
    await expect(message.reply('?')).rejects.toSatisfy(hasCode('no_reply_address'))
    await message.acknowledge()
  })
}

function describeDeadLetters(create: Create): void {
  test('a dead letter keeps body, error and delivery count, and is not received', async () => {
    const mailbox = await create()
    const id = await mailbox.send({ task: 1 })
    await (await receiveOne(mailbox)).nack()
    const message = await receiveOne(mailbox)
    await message.deadLetter('no such tool')
    expect([await mailbox.count(), await mailbox.receive()]).toEqual([0, []])
    expect(await mailbox.deadLetters()).toEqual([
      {
        id,
        body: { task: 1 },
        error: 'no such tool',
        deliveryCount: 2,
        deadAt: expect.any(Number),
      },
    ])
    await expectExpired(message)
  })

  test('dead letters are listed oldest first, up to the limit, and survive a purge', async () => {
    const mailbox = await create()
    for (const task of [1, 2, 3]) await mailbox.send(task)
    const held = new Map<unknown, Message<unknown, unknown>>()
    for (let i = 0; i < 3; i++) {
      const message = await receiveOne(mailbox)
      held.set(message.body, message)
    }
    for (const task of [3, 1, 2]) await held.get(task)?.deadLetter(`error ${task}`)
    await mailbox.purge()
    const all = await mailbox.deadLetters()
    expect(all.map(({ body, error }) => [body, error])).toEqual([
      [3, 'error 3'],
      [1, 'error 1'],
      [2, 'error 2'],
    ])
    expect((await mailbox.deadLetters({ limit: 2 })).map(({ body }) => body)).toEqual([3, 1])
  })

  test('a redriven dead letter is received as a first delivery, and can still be replied to', async () => {
    const [mailbox, replies] = [await create(), await create()]
    const id = await mailbox.send('x', { replyTo: replies })
    await (await receiveOne(mailbox)).deadLetter('once')
    expect(await mailbox.redrive(id)).toBe(true)
    expect(await mailbox.deadLetters()).toEqual([])
    expect(await mailbox.redrive(id)).toBe(false)
    const message = await receiveOne(mailbox)
    expect(message).toMatchObject({ id, body: 'x', deliveryCount: 1 })
    await message.reply('done')
    expect(await receiveOne(replies)).toMatchObject({ inReplyTo: id })
    await message.deadLetter('twice')
    expect(await mailbox.deadLetters()).toMatchObject([{ id, error: 'twice', deliveryCount: 1 }])
  })

  test.each(['nobody', '00000000-0000-4000-8000-000000000000'])(
    'redrive returns false for the unknown id %s',
    async (id) => {
      expect(await (await create()).redrive(id)).toBe(false)
    },
  )
}

function describeBodies({ runs }: MailboxBackend, create: Create): void {
  test('every JSON value arrives as it was sent', async () => {
    const mailbox = await create()
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (body) => {
        await mailbox.send(body)
        const message = await receiveOne(mailbox)
        await message.acknowledge()
        expect(JSON.stringify(message.body)).toBe(JSON.stringify(body))
      }),
      { numRuns: runs, examples: [['\u0000"\\\ud83d\ude00'], [1e21], [{ ['__proto__']: [null] }]] },
    )
  })

  test.each([[undefined], [() => 1], [1n]])('%s has no JSON form and is refused', async (body) => {
    const mailbox = await create()
    await expect(mailbox.send(body)).rejects.toSatisfy(hasCode('body_invalid'))
    expect(await mailbox.count()).toBe(0)
  })

  test('a body that the schema refuses becomes a dead letter, and others arrive as the schema parsed them', async () => {
    const reported: Diagnostic[] = []
    const name = freshName()
    const schema = z.object({ at: z.string().transform((text) => text.length) })
    const report = (diagnostic: Diagnostic) => void reported.push(diagnostic)
    const mailbox = await create({ name, schema, report })
    const bad = await mailbox.send({ at: 7 })
    await mailbox.send({ at: 'four' })
    expect(await receiveOne(mailbox, { max: 2 })).toMatchObject({ body: { at: 4 } })
    expect(await mailbox.deadLetters()).toMatchObject([
      { id: bad, body: { at: 7 }, error: expect.stringContaining('at: ') },
    ])
    expect(reported).toMatchObject([{ level: 'error', code: 'body_invalid' }])
  })
}

function describeWaiting(create: Create): void {
  test('a waiting receive gets a message as soon as it is sent', async () => {
    const mailbox = await create()
    const waiting = receiveOne(mailbox)
    await setImmediate()
    await mailbox.send('x')
    expect(await waiting).toMatchObject({ body: 'x', deliveryCount: 1 })
  })

  test('a waiting receive gets a message as soon as it is returned', async () => {
    const mailbox = await create()
    await mailbox.send('x')
    const message = await receiveOne(mailbox)
    const waiting = receiveOne(mailbox)
    await setImmediate()
    await message.nack()
    expect(await waiting).toMatchObject({ deliveryCount: 2 })
  })

  test('a waiting receive that its abort signal ends returns nothing and takes no message', async () => {
    const mailbox = await create()
    const stop = new AbortController()
    const waiting = mailbox.receive({ waitSeconds: 600, signal: stop.signal })
    await setImmediate()
    stop.abort()
    expect(await waiting).toEqual([])
    await mailbox.send('x')
    expect(await receiveOne(mailbox)).toMatchObject({ deliveryCount: 1 })
    expect(await mailbox.receive({ signal: stop.signal })).toEqual([])
  })

  test('several waiting receives share the messages, and each message goes to one of them', async () => {
    const mailbox = await create()
    const waiting = Array.from({ length: 8 }, () => receiveOne(mailbox))
    for (let task = 0; task < 8; task++) await mailbox.send(task)
    const bodies = (await Promise.all(waiting)).map(({ body }) => body)
    expect(bodies.sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })
}

type Operation = 'send' | 'receive' | 'acknowledge' | 'nack' | 'deadLetter' | 'redrive'

function describeLaws({ runs }: MailboxBackend, create: Create): void {
  const operations = fc.array(
    fc.constantFrom<Operation>('send', 'receive', 'acknowledge', 'nack', 'deadLetter', 'redrive'),
    { maxLength: 40 },
  )
  test('every message is waiting, leased, dead or acknowledged after any operations', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (done) => {
        const mailbox = await create()
        const held: Message<unknown, unknown>[] = []
        const tally = { sent: 0, acknowledged: 0 }
        for (const operation of done) await apply(operation, { mailbox, held, tally })
        const kept = (await mailbox.count()) + (await mailbox.deadLetters()).length
        expect(kept + tally.acknowledged).toBe(tally.sent)
      }),
      { numRuns: Math.ceil(runs / 5) },
    )
  })
}

interface World {
  readonly mailbox: TestMailbox
  readonly held: Message<unknown, unknown>[]
  readonly tally: { sent: number; acknowledged: number }
}

async function apply(operation: Operation, { mailbox, held, tally }: World): Promise<void> {
  switch (operation) {
    case 'send':
      await mailbox.send(tally.sent)
      tally.sent += 1
      return
    case 'receive':
      held.push(...(await mailbox.receive({ max: 2 })))
      return
    case 'redrive': {
      const [dead] = await mailbox.deadLetters()
      if (dead !== undefined) await mailbox.redrive(dead.id)
      return
    }
    case 'acknowledge':
    case 'nack':
    case 'deadLetter': {
      const message = held.shift()
      if (message === undefined) return
      if (operation === 'acknowledge') tally.acknowledged += 1
      await (operation === 'deadLetter' ? message.deadLetter('x') : message[operation]())
      return
    }
    default:
      operation satisfies never
  }
}
