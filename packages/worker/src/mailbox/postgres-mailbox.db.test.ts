import { setImmediate } from 'node:timers/promises'
import { GuardrailError } from '@signalbox/runtime/base'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { describeMailbox } from '../test/mailbox-contract.ts'
import { withOwnDatabase } from '../test/own-database.ts'
import { InMemoryMailbox } from './in-memory-mailbox.ts'
import type { Message } from './mailbox.ts'
import { PostgresMailbox } from './postgres-mailbox.ts'

const { pool } = withOwnDatabase()
let shiftedMs = 0

const mailboxNamed = (name: string) =>
  new PostgresMailbox({ pool: pool(), name, visibilitySeconds: 60 })

// Processes of one deployment start at the same time.
beforeAll(async () => {
  await Promise.all(Array.from({ length: 8 }, () => mailboxNamed('any').install()))
})

afterEach(() => {
  vi.useRealTimers()
})

async function pass(seconds: number): Promise<void> {
  shiftedMs += seconds * 1000
  const move = 'UPDATE signalbox_mailbox SET visible_at = visible_at - make_interval(secs => $1)'
  await pool().query(move, [seconds])
}

describeMailbox('a mailbox on PostgreSQL', {
  leaseSeconds: 60,
  runs: 40,
  create: async (options) =>
    new PostgresMailbox({ pool: pool(), now: () => Date.now() + shiftedMs, ...options }),
  now: () => Date.now() + shiftedMs,
  elapse: pass,
  runOut: pass,
})

async function leaseInDatabase(
  message: Message | undefined,
): Promise<{ end: number; left: number }> {
  const { rows } = await pool().query<{ end: number; left: number }>(
    `SELECT (extract(epoch FROM visible_at) * 1000)::float8 AS end,
            (extract(epoch FROM visible_at - clock_timestamp()) * 1000)::float8 AS left
     FROM signalbox_mailbox WHERE id = $1`,
    [message?.id],
  )
  return rows[0] ?? { end: Number.NaN, left: Number.NaN }
}

test('installing a PostgreSQL mailbox again keeps its messages', async () => {
  const mailbox = mailboxNamed('installed')
  await mailbox.send('x')
  await mailbox.install()
  expect(await mailbox.count()).toBe(1)
})

test('a reply address in another backend than PostgreSQL is refused', async () => {
  const replyTo = new InMemoryMailbox({ name: 'elsewhere' })
  const refused = (error: unknown) => GuardrailError.is(error) && error.code === 'bad_options'
  await expect(mailboxNamed('here').send('x', { replyTo })).rejects.toSatisfy(refused)
})

test("the worker's end of a lease is never later than the database's", async () => {
  const mailbox = mailboxNamed('ends')
  await mailbox.send('x')
  const [message] = await mailbox.receive()
  const taken = await leaseInDatabase(message)
  expect(message?.leaseUntil).toBeLessThanOrEqual(taken.end)
  await message?.extendVisibility(300)
  const extended = await leaseInDatabase(message)
  expect(message?.leaseUntil).toBeLessThanOrEqual(extended.end)
  expect(extended.end - taken.end).toBeGreaterThanOrEqual(240_000)
  await message?.extendVisibility(1)
  expect((await leaseInDatabase(message)).end).toBe(extended.end)
})

test('a message whose row another transaction locked is skipped, not waited for', async () => {
  const mailbox = mailboxNamed('locked')
  const id = await mailbox.send('first')
  await mailbox.send('second')
  const other = await pool().connect()
  await other.query('BEGIN')
  await other.query('SELECT 1 FROM signalbox_mailbox WHERE id = $1 FOR UPDATE', [id])
  expect(await mailbox.receive({ max: 2 })).toMatchObject([{ body: 'second' }])
  await other.query('ROLLBACK')
  other.release()
  expect(await mailbox.receive({ max: 2 })).toMatchObject([{ body: 'first' }])
})

test('a message returned to a PostgreSQL mailbox queues behind those that have waited longer', async () => {
  const mailbox = mailboxNamed('queue')
  for (const task of [1, 2]) await mailbox.send(task)
  const [first] = await mailbox.receive()
  await first?.nack()
  expect((await mailbox.receive({ max: 2 })).map(({ body }) => body)).toEqual([2, 1])
})

test('an error text with the character 0 does not prevent a dead letter', async () => {
  const mailbox = mailboxNamed('zero')
  await mailbox.send('x')
  const [message] = await mailbox.receive()
  await message?.deadLetter('a\u0000b')
  expect(await mailbox.deadLetters()).toMatchObject([{ error: 'a\ufffdb' }])
})

describe('a waiting receive from a PostgreSQL mailbox', () => {
  async function restingListeners(): Promise<readonly number[]> {
    const { rows } = await pool().query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'idle' AND query LIKE '%min(visible_at)%'`,
    )
    return rows.map(({ pid }) => pid)
  }

  async function oneRests(): Promise<number> {
    for (;;) {
      const [pid] = await restingListeners()
      if (pid !== undefined) return pid
      await setImmediate()
    }
  }

  test('ends its pause at a notification', async () => {
    // A pause never ends on its own.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const mailbox = mailboxNamed('notified')
    const waiting = mailbox.receive({ waitSeconds: 600 })
    await oneRests()
    await mailbox.send('x')
    expect(await waiting).toMatchObject([{ body: 'x' }])
  })

  test('finds a message without a notification at the next poll', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const mailbox = mailboxNamed('polled')
    const waiting = mailbox.receive({ waitSeconds: 600 })
    await oneRests()
    await pool().query(
      "INSERT INTO signalbox_mailbox (id, mailbox, body) VALUES ('silent', 'polled', '1')",
    )
    await vi.advanceTimersByTimeAsync(1000)
    expect(await waiting).toMatchObject([{ id: 'silent', body: 1 }])
  })

  test('rejects when its connection is lost, and the next receive opens another', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const mailbox = mailboxNamed('cut')
    const waiting = mailbox.receive({ waitSeconds: 600 })
    const refused = expect(waiting).rejects.toThrow('terminating connection')
    const pid = await oneRests()
    await pool().query('SELECT pg_terminate_backend($1)', [pid])
    await refused
    const again = mailbox.receive({ waitSeconds: 600 })
    await oneRests()
    await mailbox.send('x')
    expect(await again).toMatchObject([{ body: 'x' }])
  })
})
