import pg from 'pg'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { env } from '@/server/platform/base/env.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import {
  chained,
  type Draft,
  ingestEvents,
  installed,
  newSessionId,
  started,
  type TestProject,
} from '@/server/test/installation.ts'
import { ACTIVITY_DAYS, CALL_MINUTES, MINUTE_COUNTS, mergeShards } from './shared-counts.sql.ts'

withTestDatabase()

let project: TestProject

beforeAll(async () => {
  project = await installed()
})

const COUNTS = [MINUTE_COUNTS, CALL_MINUTES, ACTIVITY_DAYS]
const never = new AbortController().signal

const CALLS = 3

function send(session = newSessionId()) {
  const drafts = Array.from({ length: CALLS }, (_, at): readonly Draft[] => {
    const call = { call_id: `c${at}`, tool: 'deploy' }
    const decision = at === 0 ? 'denied' : 'allowed'
    return [
      { type: 'tool.requested', data: { ...call, args: {} } },
      { type: 'tool.decided', data: { ...call, decision, reason: 'No.', rules: [] } },
    ]
  }).flat()
  const events = chained(session, [started({ ns: 'demo', key: 'unreleased' }), ...drafts])
  return ingestEvents(project, events)
}

async function readSums(): Promise<unknown> {
  const { rows } = await database().pool.query(
    `SELECT * FROM (SELECT sum(calls)::int AS calls, sum(denied)::int AS denied, sum(sessions)::int AS sessions FROM all_minute_counts) AS minutes,
       (SELECT sum(calls)::int AS prompt_calls, sum(denied)::int AS prompt_denied FROM all_call_minutes) AS prompts,
       (SELECT sum(count)::int AS facts, max(last_at) AS last_at FROM all_activity_days) AS days`,
  )
  return rows[0]
}

const sumSessions = (sessions: number) => ({
  calls: sessions * CALLS,
  denied: sessions,
  sessions,
  prompt_calls: sessions * CALLS,
  prompt_denied: sessions,
  facts: sessions * (1 + CALLS),
  last_at: expect.any(Date),
})

async function countRows(table: string): Promise<number | null> {
  return (await database().pool.query(`SELECT 1 FROM ${table}`)).rowCount
}

const SHARDS = 8
const CONNECTIONS = 10

/** Fills the pool with connections of other shards than that of the process `pid`, whose connection is in use. */
async function avoidShard(pid: number): Promise<void> {
  const { pool } = database()
  for (let collide = true; collide; ) {
    const clients = await Promise.all(Array.from({ length: CONNECTIONS - 1 }, () => pool.connect()))
    const pids = await Promise.all(
      clients.map(
        async (client) => (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid,
      ),
    )
    const same = pids.map((other) => other % SHARDS === pid % SHARDS)
    for (const [index, client] of clients.entries()) client.release(same[index])
    collide = same.includes(true)
  }
}

test('stores a batch while another batch of the environment waits to commit', async () => {
  const { pool } = database()
  await send()
  const holder = new pg.Client({ connectionString: env().DATABASE_URL })
  await holder.connect()
  onTestFinished(() => holder.end())
  const held = newSessionId()
  await holder.query(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END $$`)
  await holder.query(`CREATE CONSTRAINT TRIGGER hold AFTER INSERT ON sessions DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.id = '${held}') EXECUTE FUNCTION hold()`)
  await holder.query('SELECT pg_advisory_lock(1)')

  const first = send(held)
  const waiting = await vi.waitUntil(
    async () => {
      const { rows } = await holder.query<{ pid: number }>(
        `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      )
      return rows[0]
    },
    { timeout: 10_000 },
  )
  await avoidShard(waiting.pid)
  expect(await send()).toMatchObject({ stored: 1 + 2 * CALLS })
  expect(await readSums()).toEqual(sumSessions(2))
  // The job leaves the rows of the waiting batch for its next run.
  await mergeShards(never)
  expect(await readSums()).toEqual(sumSessions(2))
  await holder.query('SELECT pg_advisory_unlock(1)')
  expect(await first).toMatchObject({ stored: 1 + 2 * CALLS })
  expect(await readSums()).toEqual(sumSessions(3))
  await pool.query('DROP TRIGGER hold ON sessions')
})

test('the shards of several connections and the rows of an older build become one row, with the same sums', async () => {
  const { pool } = database()
  for (const { table, shards } of COUNTS) await pool.query(`TRUNCATE ${table}, ${shards}`)
  await send()
  const rows: (number | null)[] = []
  for (const { table, shards, key, sums, latest } of COUNTS) {
    const columns = [...key, ...sums, ...latest].join(', ')
    rows.push(await countRows(shards))
    // An older build adds to the table.
    await pool.query(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${shards}`)
    await pool.query(
      `INSERT INTO ${shards} (${columns}, shard) SELECT ${columns}, n FROM ${shards}, generate_series(8, 9) AS n`,
    )
  }
  expect(rows).not.toContain(0)
  expect(await readSums()).toEqual(sumSessions(4))
  await mergeShards(never)
  expect(await readSums()).toEqual(sumSessions(4))
  expect(await Promise.all(COUNTS.map(({ table }) => countRows(table)))).toEqual(rows)
  expect(await Promise.all(COUNTS.map(({ shards }) => countRows(shards)))).toEqual([0, 0, 0])
})
