import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import type { Message } from '../mailbox/mailbox.ts'
import { PostgresMailbox } from '../mailbox/postgres-mailbox.ts'
import { withOwnDatabase } from '../test/own-database.ts'
import { startWorker } from '../test/worker-process.ts'

/** Pause between two polls, so that other tests of a busy machine continue. */
const BETWEEN_MS = 20

const database = withOwnDatabase()
let mailbox: PostgresMailbox

beforeEach(async () => {
  const name = `box-${randomBytes(6).toString('hex')}`
  mailbox = new PostgresMailbox({ pool: database.pool(), name, visibilitySeconds: 600 })
  await mailbox.install()
})

/** Evaluates an expression in the database; times are its own epoch milliseconds. */
async function ask(expression: string): Promise<number> {
  const { rows } = await database
    .pool()
    .query<{ value: number }>(
      `SELECT (${expression})::float8 AS value FROM signalbox_mailbox WHERE mailbox = $1`,
      [mailbox.name],
    )
  return rows[0]?.value ?? Number.NaN
}
const timeInDatabase = () => ask('extract(epoch FROM clock_timestamp()) * 1000')
const readLeaseEnd = () => ask('extract(epoch FROM visible_at) * 1000')

/** Requests of a killed process can still be executed for a moment. */
async function untilDisconnected(): Promise<void> {
  while (
    (await ask("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'leased-agent'")) > 0
  );
}

/** By the clock of the database, every poll before `end` is empty, and the first poll after `end` gets the message. */
async function comesBackExactlyAt(end: number): Promise<Message> {
  for (;;) {
    const before = await timeInDatabase()
    const [message] = await mailbox.receive()
    const after = await timeInDatabase()
    if (message !== undefined) {
      expect(after).toBeGreaterThanOrEqual(end)
      return message
    }
    expect(before).toBeLessThan(end)
    await wait(BETWEEN_MS)
  }
}

test('the message of a killed worker is redelivered exactly when its lease ends', async () => {
  const id = await mailbox.send('work')
  const worker = await startWorker(['postgres', database.url, mailbox.name, 'silent'])
  await worker.kill()
  await untilDisconnected()
  const end = await readLeaseEnd()
  expect(worker.leaseEnds()[0]).toBeLessThanOrEqual(end)
  const message = await comesBackExactlyAt(end)
  expect(message).toMatchObject({ id, body: 'work', deliveryCount: 2 })
})

test('the message of a beating worker is redelivered after a kill, exactly when its last lease ends', async () => {
  await mailbox.send('work')
  const worker = await startWorker(['postgres', database.url, mailbox.name, 'beating'])
  const firstEnd = worker.leaseEnds()[0] ?? Number.NaN
  while ((await timeInDatabase()) < firstEnd + 2000) {
    expect(await mailbox.receive()).toEqual([])
    await wait(BETWEEN_MS)
  }
  await worker.kill()
  await untilDisconnected()
  const end = await readLeaseEnd()
  expect(end).toBeGreaterThan(firstEnd + 2000)
  expect(await comesBackExactlyAt(end)).toMatchObject({ deliveryCount: 2 })
})
