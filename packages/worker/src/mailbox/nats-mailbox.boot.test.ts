import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { GuardrailError } from '@signalbox/runtime/base'
import { expect, onTestFinished, test, vi } from 'vitest'
import { describeMailbox } from '../test/mailbox-contract.ts'
import { describeWithNats } from '../test/nats-server.ts'
import { InMemoryMailbox } from './in-memory-mailbox.ts'
import { NatsMailbox } from './nats-mailbox.ts'

describeWithNats('the NATS mailbox', ({ connection, signal }) => {
  const mailboxFor = async (name: string, visibilitySeconds = 3) => {
    const mailbox = new NatsMailbox({ connection: connection(), name, visibilitySeconds })
    await mailbox.install()
    return mailbox
  }
  const isBadOptions = (error: unknown) => GuardrailError.is(error) && error.code === 'bad_options'

  describeMailbox('a mailbox on NATS JetStream', {
    leaseSeconds: 3,
    runs: 40,
    create: async (options) => {
      const mailbox = new NatsMailbox({ connection: connection(), ...options })
      await mailbox.install()
      return mailbox
    },
    now: Date.now,
    // Only real time ends leases here: the wait also checks that nothing arrives too early.
    elapse: async (waitSeconds, mailbox) =>
      expect(await mailbox.receive({ waitSeconds })).toEqual([]),
    runOut: async () => undefined,
  })

  test('installing twice, even concurrently, has the same result as installing once', async () => {
    const name = `box-${randomBytes(6).toString('hex')}`
    const [first] = await Promise.all([mailboxFor(name), mailboxFor(name), mailboxFor(name)])
    await first?.send('x')
    await (await mailboxFor(name)).install()
    expect(await first?.count()).toBe(1)
  })

  test("a lease of another length than the consumer's is refused", async () => {
    const mailbox = await mailboxFor('thirty', 30)
    await expect(mailboxFor('thirty', 60)).rejects.toThrow(
      'The consumer of mailbox thirty has leases of 30 s (ack_wait), not 60 s. Set visibilitySeconds of the mailbox to 30, or change the consumer while no worker is running.',
    )
    const other = new NatsMailbox({
      connection: connection(),
      name: 'thirty',
      visibilitySeconds: 60,
    })
    await expect(other.receive()).rejects.toSatisfy(isBadOptions)
    await expect(mailbox.receive({ visibilitySeconds: 29 })).rejects.toSatisfy(isBadOptions)
  })

  test('an extension renews the whole lease, and one for longer than the lease is refused', async () => {
    const mailbox = await mailboxFor('whole', 30)
    await mailbox.send('x')
    const [message] = await mailbox.receive()
    const before = Date.now()
    await message?.extendVisibility(10)
    expect(message?.leaseUntil).toBeGreaterThanOrEqual(before + 30_000)
    await expect(message?.extendVisibility(31)).rejects.toSatisfy(isBadOptions)
    await message?.acknowledge()
  })

  test('a receive with time left continues after the server answered nothing for seconds', async () => {
    const mailbox = await mailboxFor('stopped')
    expect(await mailbox.receive()).toEqual([])
    signal('SIGSTOP')
    onTestFinished(() => signal('SIGCONT'))
    // Its threads stop one after the other, and answer meanwhile.
    await vi.waitUntil(
      () =>
        Promise.race([
          connection()
            .flush()
            .then(() => false),
          sleep(300, true),
        ]),
      { timeout: 20_000 },
    )
    const waiting = mailbox.receive({ waitSeconds: 60 })
    const failed = mailbox.receive()
    await expect(failed).rejects.toThrow('timeout')
    signal('SIGCONT')
    await mailbox.send('x')
    expect(await waiting).toMatchObject([{ body: 'x' }])
  })

  test('a receive that its abort signal ends loses no message', async () => {
    const mailbox = await mailboxFor('ended', 30)
    const { consumers } = await jetstreamManager(connection())
    const stop = new AbortController()
    const waiting = mailbox.receive({ waitSeconds: 600, signal: stop.signal })
    await vi.waitUntil(
      async () => (await consumers.info('signalbox_mailbox_ended', 'workers')).num_waiting === 1,
      { timeout: 20_000 },
    )
    stop.abort()
    await mailbox.send('x')
    expect(await waiting).toEqual([])
    expect(await mailbox.receive({ waitSeconds: 20 })).toMatchObject([
      { body: 'x', deliveryCount: 1 },
    ])
  })

  test('a reply address in another backend is refused', async () => {
    const mailbox = await mailboxFor('here')
    const replyTo = new InMemoryMailbox({ name: 'elsewhere' })
    await expect(mailbox.send('x', { replyTo })).rejects.toSatisfy(isBadOptions)
  })

  test('messages from other publishers are received, or dead-lettered when they are not JSON', async () => {
    const mailbox = await mailboxFor('open')
    connection().publish('signalbox.mailbox.open', '{"from": "elsewhere"}')
    connection().publish('signalbox.mailbox.open', 'no JSON')
    const [message] = await mailbox.receive({ waitSeconds: 20 })
    expect(message).toMatchObject({ id: 'seq-1', body: { from: 'elsewhere' }, canReply: false })
    expect(await mailbox.receive({ waitSeconds: 1 })).toEqual([])
    expect(await mailbox.deadLetters()).toMatchObject([{ id: 'seq-2', body: 'no JSON' }])
  })

  test('a receive from a mailbox that is not installed rejects with the missing stream', async () => {
    const mailbox = new NatsMailbox({ connection: connection(), name: 'nowhere' })
    await expect(mailbox.receive()).rejects.toThrow('stream not found')
  })
})
