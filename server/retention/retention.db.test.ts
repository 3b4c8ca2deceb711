import { beforeAll, describe, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { ageSession } from '@/server/test/aged-session.ts'
import {
  chained,
  eventsRequest,
  makeKey,
  ndjson,
  newSessionId,
  otherProject,
  started,
} from '@/server/test/installation.ts'
import { workOffJobs } from '@/server/test/jobs.ts'
import { createAdmin, makeTenant, type Tenant } from '@/server/test/tenant.ts'
import { runRetention } from './retention.ts'

withTestDatabase()

let wren: Tenant
let finch: Tenant

beforeAll(async () => {
  wren = await makeTenant(await otherProject(), 'wren')
  finch = await makeTenant(await otherProject(), 'finch')
})

const query = async (sql: string, values: readonly unknown[] = []) =>
  (await database().pool.query(sql, [...values])).rows

const run = () => runRetention(new AbortController().signal)

async function oldSession(tenant: Tenant, days: number, isOver = true): Promise<string> {
  const session = newSessionId()
  const key = await makeKey(tenant.project)
  const events = chained(session, [started(tenant.prompt)])
  const answer = await api.fetch(eventsRequest(key, ndjson(events)))
  expect(answer.status).toBe(200)
  await ageSession(session, days, isOver)
  return session
}

const countStoredEvents = async (session: string): Promise<number> =>
  (await query('SELECT 1 FROM session_events WHERE session_id = $1', [session])).length

const partitions = async (days: number): Promise<number> =>
  (
    await query(
      `SELECT 1 FROM pg_class WHERE relname = 'session_events_' || to_char((now() AT TIME ZONE 'utc')::date - ${days}, 'YYYYMMDD')`,
    )
  ).length

async function keep(
  tenant: Tenant,
  days: { eventsDays: number | null; decisionsDays: number | null },
) {
  const rule = { archiveDays: null, ...days }
  const { confirm } = await createAdmin(tenant).retention.preview(rule)
  await createAdmin(tenant).retention.change({ ...rule, typed: confirm })
}

const keepAll = (tenant: Tenant) => keep(tenant, { eventsDays: null, decisionsDays: null })

describe('the retention rule', () => {
  test('shows the numbers that it would remove, and requires a typed number when it becomes shorter', async () => {
    await oldSession(wren, 40)
    await oldSession(wren, 20)
    const admin = createAdmin(wren)
    const rule = { archiveDays: null, eventsDays: 30, decisionsDays: 90 }
    expect(await admin.retention.preview(rule)).toMatchObject({
      events: { sessions: 1, events: 1 },
      decisions: 0,
      all: { sessions: 3 },
    })
    await expect(admin.retention.change({ ...rule, typed: 'remove 9 sessions' })).rejects.toThrow(
      'Type "remove 1 session" to remove them.',
    )
    expect((await admin.retention.get()).rule).toMatchObject({ eventsDays: null })
    await admin.retention.change({ ...rule, typed: 'remove 1 session' })
    await workOffJobs()
    expect((await admin.retention.get()).removals).toMatchObject([
      { kind: 'events', days: 30, sessions: 1 },
    ])
    // A longer rule removes nothing, so it needs no typed number.
    await admin.retention.change({ ...rule, eventsDays: 60, typed: null })
    const [entry] = (await admin.auditLog.list({ filter: { action: 'retention.changed' } })).rows
    expect(entry).toMatchObject({ before: { events_days: 30 }, after: { events_days: 60 } })
    await keepAll(wren)
  })

  test('refuses to remove decisions before their events', async () => {
    for (const eventsDays of [null, 31]) {
      const rule = { archiveDays: null, eventsDays, decisionsDays: 30 }
      await expect(createAdmin(wren).retention.preview(rule)).rejects.toThrow(/at least as long/)
    }
    const sql = `INSERT INTO retention_rules (project_id, events_days, decisions_days) VALUES ($1, 31, 30)`
    await expect(query(sql, [finch.project.projectId])).rejects.toThrow(/order_check/)
  })
})

describe('removal by retention', () => {
  test('drops the partition of a day when no project keeps an event of it', async () => {
    const session = await oldSession(wren, 50)
    expect(await partitions(50)).toBe(1)
    await keep(wren, { eventsDays: 45, decisionsDays: null })
    await run()
    expect(await partitions(50)).toBe(0)
    expect(await query('SELECT 1 FROM sessions WHERE id = $1', [session])).toHaveLength(1)
    await keepAll(wren)
  })

  test('deletes only the project’s own rows when another project keeps the day', async () => {
    const [mine, theirs] = [await oldSession(wren, 51), await oldSession(finch, 51)]
    await keep(wren, { eventsDays: 45, decisionsDays: null })
    await run()
    expect([await countStoredEvents(mine), await countStoredEvents(theirs)]).toEqual([0, 1])
    expect(await partitions(51)).toBe(1)
    await keepAll(wren)
  })

  test('deletes what was learned from sessions of that age', async () => {
    const { ns, key } = wren.prompt
    const place = [wren.project.projectId, ns, key]
    for (const days of [46, 44]) {
      await query(
        `INSERT INTO learn_counts (project_id, ns, key, environment, day, label, basis, tools, members, counts)
         VALUES ($1, $2, $3, 'dev', (now() AT TIME ZONE 'utc')::date - $4::int, 'good', 'b', 't', '{}', '')`,
        [...place, days],
      )
      // A canceled run keeps the rules of the one before.
      await query(
        `INSERT INTO learn_runs (id, project_id, ns, key, environment, status, finished_at, findings)
         VALUES ('run ' || $4::text, $1, $2, $3, 'env-' || $4::text, 'cancelled', now(),
           json_build_object('at', extract(epoch FROM now() - make_interval(days => $4::int)) * 1000))`,
        [...place, days],
      )
    }
    await keep(wren, { eventsDays: 45, decisionsDays: null })
    await run()
    const counted = await query(
      `SELECT (now() AT TIME ZONE 'utc')::date - day AS days FROM learn_counts`,
    )
    expect(counted).toEqual([{ days: 44 }])
    expect(await query('SELECT id FROM learn_runs WHERE findings IS NOT NULL')).toEqual([
      { id: 'run 44' },
    ])
    await keepAll(wren)
  })

  test('skips running and younger sessions', async () => {
    const [live, young] = [await oldSession(wren, 52, false), await oldSession(wren, 44)]
    await keep(wren, { eventsDays: 45, decisionsDays: null })
    await run()
    expect([await countStoredEvents(live), await countStoredEvents(young)]).toEqual([1, 1])
    await keepAll(wren)
  })

  test('removes the events of a session that a killed run had only marked', async () => {
    const session = await oldSession(wren, 53)
    const other = await oldSession(finch, 53)
    await keep(wren, { eventsDays: 45, decisionsDays: null })
    await query(
      'UPDATE sessions SET events_removed_at = now(), events_removed_days = 45 WHERE id = $1',
      [session],
    )
    await run()
    await run()
    expect([await countStoredEvents(session), await countStoredEvents(other)]).toEqual([0, 1])
    await keepAll(wren)
  })

  test('removes everything of a session once its decisions are too old', async () => {
    const { projectId } = wren.project
    const session = await oldSession(wren, 60)
    await query(
      `INSERT INTO shadow_sessions (session_id, project_id, environment, digest, at) VALUES ($1, $2, 'dev', 'd', now())`,
      [session, projectId],
    )
    await keep(wren, { eventsDays: 45, decisionsDays: 55 })
    await run()
    for (const sql of ['sessions WHERE id', 'shadow_sessions WHERE session_id'])
      expect(await query(`SELECT 1 FROM ${sql} = $1`, [session])).toEqual([])
    expect((await createAdmin(wren).retention.get()).removals[0]).toMatchObject({
      kind: 'decisions',
    })
    await keepAll(wren)
  })
})

describe('a session with removed events', () => {
  const SENTENCE = /Events older than 45 days were removed on \d+ \w+ \d{4} by the retention rule/

  test('shows a notice on every page of its events, while its decisions are kept', async () => {
    const admin = createAdmin(finch)
    const { session: sessionId, stopId, decisionId } = finch
    const pinned = await admin.backtests.pin({ id: stopId })
    await ageSession(sessionId, 70)
    await keep(finch, { eventsDays: 45, decisionsDays: null })
    await run()
    expect((await admin.sessions.head({ sessionId })).removed).toMatchObject({ days: 45 })
    // The decision of a stop is stored beside its events: its page shows it, and names the missing parts.
    expect((await admin.stops.explanation({ stopId })).removed).toMatchObject({ days: 45 })
    for (const ask of [
      () => admin.decisions.explanation({ decisionId }),
      () => admin.sessions.fold({ sessionId, seq: 1, toSeq: 2 }),
      () => admin.sessions.events({ sessionId, seqs: [1] }),
      () => admin.backtests.pin({ id: decisionId }),
    ])
      await expect(ask()).rejects.toThrow(SENTENCE)
    const file = await api.fetch(
      new Request(`http://127.0.0.1:3000/api/export/sessions/${sessionId}`, {
        headers: finch.people.admin.headers,
      }),
    )
    expect([file.status, await file.text()]).toEqual([404, expect.stringMatching(SENTENCE)])
    expect((await admin.stops.list({ filter: {} })).rows.map(({ id }) => id)).toContain(stopId)
    const copies = await query('SELECT 1 FROM pinned_events WHERE session_id = $1', [sessionId])
    expect(pinned.id).toBeDefined()
    expect(copies.length).toBeGreaterThan(0)
  })

  test('refuses a late event of a runtime, and stores nothing', async () => {
    const { session } = finch
    const key = await makeKey(finch.project)
    const line = {
      session,
      seq: 900,
      at: 1,
      type: 'note',
      data: { text: 'late' },
      prev: 'a'.repeat(64),
    }
    const answer = await api.fetch(eventsRequest(key, `${JSON.stringify(line)}\n`))
    expect(await answer.text()).toContain('events_removed')
    expect(await countStoredEvents(session)).toBe(0)
  })

  test('a session with removed events cannot be replayed in a backtest, and does not count as a divergence', async () => {
    const [row] = await query('SELECT verification FROM sessions WHERE id = $1', [finch.session])
    expect(row).toEqual({ verification: 'verified' })
    const admin = createAdmin(finch)
    const { draft } = await admin.drafts.open(finch.prompt)
    const subject = { kind: 'draft' as const, id: draft?.id ?? '', revision: draft?.revision ?? 0 }
    const sample = { kind: 'last' as const, sessions: 10 }
    const made = await admin.backtests.start({ ...finch.prompt, sample, subject })
    if (!made.ok) throw new Error(made.reason)
    await workOffJobs()
    const { sessions } = await admin.backtests.sessions({ id: made.id })
    const mine = sessions.find(({ sessionId }) => sessionId === finch.session)
    expect(mine).toMatchObject({ state: 'cannot_replay', reason: 'events_missing' })
  })
})
