import { beforeAll, expect, test, vi } from 'vitest'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import type { ChangeNotification } from '@/server/platform/live/change-notification.ts'
import { onNotification } from '@/server/platform/live/live-bus.ts'
import {
  chained,
  ingestEvents,
  installed,
  newSessionId,
  started,
  type TestProject,
} from '@/server/test/installation.ts'

withTestDatabase()

let project: TestProject

beforeAll(async () => {
  project = await installed()
})

function send(session: string, notes = 2) {
  const events = chained(session, [
    started({ ns: 'demo', key: 'unreleased' }),
    ...Array.from({ length: notes }, (_, i) => ({
      type: 'note' as const,
      data: { text: `note ${i} of ${session}` },
    })),
  ])
  return ingestEvents(project, events)
}

async function countTransactions(sessions: readonly string[]): Promise<number> {
  const { rows } = await database().pool.query<{ transactions: number }>(
    'SELECT count(DISTINCT xmin::text)::int AS transactions FROM session_events WHERE session_id = ANY($1)',
    [sessions],
  )
  return rows[0]?.transactions ?? 0
}

test('requests that wait are stored in one transaction, and each answer names its own sessions', async () => {
  const sessions = Array.from({ length: 12 }, newSessionId)
  const answers = await Promise.all(sessions.map((session, index) => send(session, index)))
  for (const [index, session] of sessions.entries()) {
    expect(answers[index]).toEqual({
      ackedThrough: { [session]: index + 1 },
      gaps: [],
      problems: [],
      stored: index + 1,
      duplicates: 0,
    })
  }
  // The first begins at once; the others wait, and share the next one.
  expect(await countTransactions(sessions)).toBe(2)
})

test('a request that the database refuses fails alone', async () => {
  const sessions = Array.from({ length: 8 }, newSessionId)
  const refused = sessions[5] ?? ''
  const { pool } = database()
  await pool.query(`CREATE FUNCTION refuse_one() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF NEW.session_id = '${refused}' THEN RAISE EXCEPTION 'refused'; END IF; RETURN NEW; END $$`)
  await pool.query(
    'CREATE TRIGGER refuse_one BEFORE INSERT ON session_events FOR EACH ROW EXECUTE FUNCTION refuse_one()',
  )
  try {
    const answers = await Promise.allSettled(sessions.map((session) => send(session)))
    const failed = sessions.filter((_, index) => answers[index]?.status === 'rejected')
    expect(failed).toEqual([refused])
  } finally {
    await pool.query('DROP TRIGGER refuse_one ON session_events')
  }
  await send(refused)
  const { rows } = await pool.query<{ id: string; stored: number }>(
    'SELECT session_id AS id, count(*)::int AS stored FROM session_events WHERE session_id = ANY($1) GROUP BY 1',
    [sessions],
  )
  expect(rows.map(({ stored }) => stored)).toEqual(sessions.map(() => 3))
})

test('the same session in two waiting requests is stored once, and both are acknowledged', async () => {
  const session = newSessionId()
  const [, , one, two] = await Promise.all(
    [newSessionId(), newSessionId(), session, session].map((id) => send(id)),
  )
  expect([one?.ackedThrough, two?.ackedThrough]).toEqual([{ [session]: 3 }, { [session]: 3 }])
  expect([one?.stored, two?.stored].sort()).toEqual([0, 3])
  expect([one?.duplicates, two?.duplicates].sort()).toEqual([0, 3])
})

test('a session that was deleted begins again', async () => {
  const session = newSessionId()
  await send(session)
  for (const table of ['session_events', 'session_snapshots', 'stops', 'denials', 'deliveries'])
    await database().pool.query(`DELETE FROM ${table} WHERE session_id = $1`, [session])
  await database().pool.query('DELETE FROM sessions WHERE id = $1', [session])
  expect(await send(session)).toMatchObject({ ackedThrough: { [session]: 3 }, stored: 3 })
})

test('a stored session is announced after its commit, with its newest event', async () => {
  const session = newSessionId()
  const { projectId } = project
  const heard: ChangeNotification[] = []
  const stop = onNotification(projectId, (notification) => heard.push(notification))
  // The first notification has no id: it says that the process listens.
  await vi.waitFor(() => expect(heard.length).toBeGreaterThan(0), { timeout: 10_000 })
  await send(session)
  await vi.waitFor(
    () =>
      expect(heard).toContainEqual({ project: projectId, kind: 'session', id: session, seq: 3 }),
    { timeout: 10_000 },
  )
  stop()
})
