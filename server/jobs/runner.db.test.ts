import { type ChildProcess, spawn } from 'node:child_process'
import { getEventListeners, once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'esbuild'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { env } from '@/server/platform/base/env.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { enqueue } from '@/server/platform/queue/enqueue.ts'
import { removeJob } from '@/server/platform/queue/jobs.sql.ts'
import { workOffJobs } from '@/server/test/jobs.ts'
import { startJobs, stopJobs } from './runner.ts'

withTestDatabase()

const ROOT = path.join(import.meta.dirname, '../..')
const TIDY = { task: 'jobs.tidy', payload: {} } as const

const PRESENCES = `pg_locks WHERE locktype = 'advisory'
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

interface Row {
  readonly task: string
  readonly attempts: number
  readonly locked_by: string | null
  readonly run_at: Date
}

async function query<T extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []) {
  return (await database().pool.query<T>(sql, [...values])).rows
}

const jobs = (): Promise<Row[]> =>
  query<Row>(
    'SELECT task_identifier AS task, attempts, locked_by, run_at FROM graphile_worker.jobs ORDER BY id',
  )

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}

beforeEach(async () => {
  await query('DELETE FROM graphile_worker._private_jobs')
})
afterEach(stopJobs)

describe('enqueueing a job', () => {
  it('adds the job when the transaction commits, and only then', async () => {
    await inTransaction((tx) => enqueue(tx, TIDY))
    await expect(
      inTransaction(async (tx) => {
        await enqueue(tx, TIDY)
        throw new Error('changed my mind')
      }),
    ).rejects.toThrow('changed my mind')
    expect(await jobs()).toHaveLength(1)
  })

  it('replaces a waiting job with the same key, and removes it', async () => {
    const later = Date.now() + 3_600_000
    await inTransaction((tx) => enqueue(tx, { ...TIDY, key: 'a', runAt: later }))
    await inTransaction((tx) => enqueue(tx, { ...TIDY, key: 'a', runAt: later + 1 }))
    expect((await jobs()).map(({ run_at }) => run_at.getTime())).toEqual([later + 1])
    await inTransaction((tx) => removeJob(tx, 'a'))
    expect(await jobs()).toEqual([])
  })

  it('enqueueing a job does not run the job before it is due', async () => {
    await inTransaction((tx) => enqueue(tx, { ...TIDY, runAt: Date.now() + 3_600_000 }))
    await inTransaction((tx) => enqueue(tx, TIDY))
    await workOffJobs()
    expect(await jobs()).toHaveLength(1)
  })
})

describe('the job runner', () => {
  it('runs jobs, and still does after the database drops its connections', async () => {
    const listening = vi.spyOn(AbortSignal.prototype, 'addEventListener')
    onTestFinished(() => listening.mockRestore())
    const countListeners = () => {
      const signals = listening.mock.contexts.filter((one) => one instanceof AbortSignal)
      return new Map(signals.map((one) => [one, getEventListeners(one, 'abort').length]))
    }
    startJobs()
    await inTransaction((tx) => enqueue(tx, TIDY))
    await until(async () => (await jobs()).length === 0)
    // By then all lanes have started, and the runner waits for its stop.
    await sleep(1000)
    const before = countListeners()
    const { length: lanes } = await query(`SELECT pg_terminate_backend(pid) FROM ${PRESENCES}`)
    await until(async () => (await query(`SELECT 1 FROM ${PRESENCES}`)).length === 0)
    await inTransaction((tx) => enqueue(tx, TIDY))
    await until(async () => (await query(`SELECT 1 FROM ${PRESENCES}`)).length === lanes)
    await until(async () => (await jobs()).length === 0)
    await sleep(1000)
    const after = countListeners()
    expect([...before].filter(([signal, count]) => (after.get(signal) ?? 0) > count)).toEqual([])
  })

  it.each([
    ['checks the audit log', 'audit.check', 'hour'],
    ['removes expired data', 'retention.run', 'day'],
  ])('%s at its start when no server ran at the time of %s', async (_, task, unit) => {
    const past = `date_trunc('${unit}', now()) - 2 * interval '1 ${unit}'`
    await query(
      `INSERT INTO graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
       VALUES ('${task}', now() - interval '9 days', ${past})
       ON CONFLICT (identifier) DO UPDATE SET known_since = excluded.known_since, last_execution = excluded.last_execution`,
    )
    startJobs()
    await until(async () => {
      const [row] = await query(
        `SELECT last_execution >= now() - interval '1 ${unit}' AS "isMadeUp"
         FROM graphile_worker._private_known_crontabs WHERE identifier = '${task}'`,
      )
      return row?.['isMadeUp'] === true
    })
  })

  it('leaves the jobs of a living replica alone, and restarts them when that replica is killed', async () => {
    const unblock = await blockTidying()
    const replica = await startReplica()
    await inTransaction((tx) => enqueue(tx, TIDY))
    await until(async () => (await holders()).length === 1)
    const first = await holders()

    startJobs()
    await inTransaction((tx) => enqueue(tx, TIDY))
    await until(async () => (await holders()).length === 2)
    expect(await holders()).toEqual(expect.arrayContaining([...first]))

    await stopJobs()
    replica.kill('SIGKILL')
    await once(replica, 'exit')
    await unblock()
    expect(await holders()).toEqual(first)
    startJobs()
    // The other job was released at the stop, and may still be delayed.
    await until(async () => (await jobs()).length <= 1)
  })
})

async function holders(): Promise<readonly string[]> {
  return (await jobs()).flatMap(({ locked_by, task }) =>
    task === TIDY.task && locked_by !== null ? [locked_by] : [],
  )
}

/** Locks a job that failed permanently long ago, so that tidying waits for it. Returns a function that unlocks it. */
async function blockTidying(): Promise<() => Promise<void>> {
  await query("SELECT graphile_worker.add_job('long.gone', max_attempts => 1)")
  await query(
    "UPDATE graphile_worker._private_jobs SET attempts = 1, updated_at = now() - interval '1 year'",
  )
  const client = new pg.Client({ connectionString: env().DATABASE_URL })
  await client.connect()
  await client.query('BEGIN')
  await client.query('SELECT 1 FROM graphile_worker._private_jobs FOR UPDATE')
  return () => client.end()
}

async function startReplica(): Promise<ChildProcess> {
  const folder = fs.mkdtempSync(path.join(ROOT, 'node_modules/.replica-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
  const outfile = path.join(folder, 'replica.mjs')
  await build({
    entryPoints: [path.join(import.meta.dirname, 'runner.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    alias: { 'server-only': path.join(ROOT, 'scripts/empty-module.mjs') },
    footer: { js: 'startJobs(); setInterval(() => undefined, 1_000)' },
  })
  const child = spawn(process.execPath, [outfile], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}
