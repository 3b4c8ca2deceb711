import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { database } from '@/server/platform/db/client.ts'
import { setTestEnvironment, withTestDatabase } from '@/server/platform/db/test-database.ts'
import { runRetention } from '@/server/retention/retention.ts'
import { ageSession } from '@/server/test/aged-session.ts'
import {
  chained,
  type Draft,
  eventsRequest,
  makeKey,
  ndjson,
  newSessionId,
  otherProject,
  started,
} from '@/server/test/installation.ts'
import { workOffJobs } from '@/server/test/jobs.ts'
import { createAdmin, makeTenant, type Tenant } from '@/server/test/tenant.ts'
import { recallSession, recallSessions } from './recall.ts'
import { digestBytes } from './segment.ts'

withTestDatabase()

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-archive-'))
setTestEnvironment({ SIGNALBOX_ARCHIVE: folder })

let wren: Tenant
let key: string

beforeAll(async () => {
  wren = await makeTenant(await otherProject(), 'wren')
  key = await makeKey(wren.project)
})

afterAll(() => fs.rmSync(folder, { recursive: true }))

const query = async (sql: string, values: readonly unknown[] = []) =>
  (await database().pool.query(sql, [...values])).rows

const run = () => runRetention(new AbortController().signal)

const ODD: Draft = {
  type: 'note',
  data: { text: `NUL \u0000, half a pair \ud800, a separator \u2028` },
}

async function send(events: Parameters<typeof ndjson>[0]): Promise<Response> {
  return await api.fetch(eventsRequest(key, ndjson(events)))
}

function oldEvents(session: string) {
  return chained(session, [started(wren.prompt), ODD, { type: 'note', data: { text: session } }])
}

async function oldSession(days = 40): Promise<string> {
  const session = newSessionId()
  expect((await send(oldEvents(session))).status).toBe(200)
  await ageSession(session, days)
  return session
}

async function setRule(
  days: { readonly archive: number | null; readonly events?: number },
  tenant = wren,
) {
  const rule = { archiveDays: days.archive, eventsDays: days.events ?? null, decisionsDays: null }
  const { confirm } = await createAdmin(tenant).retention.preview(rule)
  await createAdmin(tenant).retention.change({ ...rule, typed: confirm })
}

const listRows = async (session: string): Promise<readonly unknown[]> =>
  await query('SELECT e::text AS row FROM session_events e WHERE session_id = $1 ORDER BY seq', [
    session,
  ])

const listFiles = (): readonly string[] => {
  const own = path.join(folder, wren.project.projectId)
  return fs.existsSync(own) ? fs.readdirSync(own).map((name) => path.join(own, name)) : []
}

/** Lets the hour pass after which rows go, and the day after which a session is archived again. */
async function pass(): Promise<void> {
  await query(`UPDATE sessions SET archived_at = archived_at - interval '2 hours'`)
  await query(`UPDATE archive_segments SET written_at = written_at - interval '2 hours'`)
  await query(`UPDATE archived_sessions SET recalled_at = recalled_at - interval '2 days'`)
}

async function archiveAll(): Promise<void> {
  await setRule({ archive: 30 })
  await run()
  await pass()
  await run()
}

const isPartitioned = async (days: number): Promise<boolean> =>
  (
    await query(
      `SELECT 1 FROM pg_class WHERE relname = 'session_events_' || to_char((now() AT TIME ZONE 'utc')::date - ${days}, 'YYYYMMDD')`,
    )
  ).length > 0

const exportLog = async (session: string): Promise<Response> =>
  await api.fetch(
    new Request(`http://127.0.0.1:3000/api/export/sessions/${session}`, {
      headers: wren.people.admin.headers,
    }),
  )

beforeEach(async () => {
  await setRule({ archive: null })
})

describe('archiving', () => {
  test('writes old sessions to a file that its digest names, and removes their rows an hour after', async () => {
    const session = await oldSession()
    const young = await oldSession(20)
    const rows = await listRows(session)
    await setRule({ archive: 30 })
    await run()
    const [file, ...others] = listFiles()
    expect(others).toEqual([])
    const content = fs.readFileSync(file ?? '')
    expect(path.basename(file ?? '')).toBe(`${digestBytes(content)}.ndjson.gz`)
    expect(gunzipSync(content).toString('utf8').trim().split('\n')).toHaveLength(3)
    expect(await listRows(session)).toEqual(rows)
    await pass()
    await run()
    expect(await listRows(session)).toEqual([])
    expect(await isPartitioned(40)).toBe(false)
    expect(await listRows(young)).toHaveLength(3)
    expect(await query('SELECT 1 FROM sessions WHERE id = $1', [session])).toHaveLength(1)
    const { archived } = await createAdmin(wren).retention.get()
    expect(archived).toEqual({ sessions: 1, events: 3, bytes: content.length })
  })

  test('keeps the rows of sessions whose new file is damaged, and writes them again', async () => {
    const session = await oldSession(41)
    const rows = await listRows(session)
    await setRule({ archive: 30 })
    const before = new Set(listFiles())
    await run()
    const [file = ''] = listFiles().filter((name) => !before.has(name))
    fs.writeFileSync(file, 'torn')
    await pass()
    await run()
    expect(await listRows(session)).toEqual(rows)
    await run()
    await pass()
    await run()
    expect(await listRows(session)).toEqual([])
    await recallSession(wren.project.projectId, session)
    expect(await listRows(session)).toEqual(rows)
  })

  test('refuses to archive events after they are removed', async () => {
    const rule = { archiveDays: 30, eventsDays: 30, decisionsDays: null }
    await expect(createAdmin(wren).retention.preview(rule)).rejects.toThrow(
      'Events cannot be archived after they are removed.',
    )
  })
})

describe('an archived session', () => {
  test('an archived session is shown and exported as before, and its rows are the same to the last byte', async () => {
    const session = await oldSession(42)
    const rows = await listRows(session)
    const admin = createAdmin(wren)
    const ask = async () => [
      await admin.sessions.events({ sessionId: session, seqs: [1, 2, 3] }),
      await admin.sessions.index({ sessionId: session, afterSeq: 0, limit: 10 }),
      await (await exportLog(session)).text(),
    ]
    const before = await ask()
    await archiveAll()
    expect(await listRows(session)).toEqual([])
    expect(await ask()).toEqual(before)
    expect(await listRows(session)).toEqual(rows)
  })

  test('an archived session is not written again when nothing was added, and is not archived while it was opened within a day', async () => {
    const session = await oldSession(43)
    await archiveAll()
    const files = listFiles()
    await recallSession(wren.project.projectId, session)
    await run()
    expect(await listRows(session)).toHaveLength(3)
    await pass()
    await run()
    await pass()
    await run()
    expect(await listRows(session)).toEqual([])
    expect(listFiles()).toEqual(files)
  })

  test('comes back for a late event, which is stored and archived with the others', async () => {
    const session = await oldSession(44)
    await archiveAll()
    expect(await isPartitioned(44)).toBe(false)
    const late = chained(session, [
      started(wren.prompt),
      ODD,
      { type: 'note', data: { text: session } },
      { type: 'note', data: { text: 'late' } },
    ])
    const answer = await send(late)
    expect(await answer.json()).toMatchObject({ acked_through: { [session]: 4 }, errors: [] })
    expect(await listRows(session)).toHaveLength(4)
    await query(`UPDATE sessions SET ended_at = now() WHERE id = $1`, [session])
    await pass()
    await archiveAll()
    expect(await listRows(session)).toEqual([])
    expect((await (await exportLog(session)).text()).trim().split('\n')).toHaveLength(4)
  })

  test('an archived session is replayed by a backtest as if it were stored', async () => {
    const admin = createAdmin(wren)
    await ageSession(wren.session, 45)
    const backtest = async () => {
      const { draft } = await admin.drafts.open(wren.prompt)
      const subject = {
        kind: 'draft' as const,
        id: draft?.id ?? '',
        revision: draft?.revision ?? 0,
      }
      const sample = { kind: 'last' as const, sessions: 50 }
      const made = await admin.backtests.start({ ...wren.prompt, sample, subject })
      if (!made.ok) throw new Error(made.reason)
      await workOffJobs()
      const { sessions } = await admin.backtests.sessions({ id: made.id })
      return sessions.find(({ sessionId }) => sessionId === wren.session)
    }
    const before = await backtest()
    expect(before).toMatchObject({ state: 'done' })
    await archiveAll()
    expect(await listRows(wren.session)).toEqual([])
    expect(await backtest()).toEqual(before)
    expect((await admin.stops.explanation({ stopId: wren.stopId })).attempts).not.toEqual([])
  })

  test('an archived session is refused with a sentence when its file is damaged or missing, and nothing is lost', async () => {
    const session = await oldSession(46)
    await archiveAll()
    const [{ segment }] = await query(
      'SELECT segment FROM archived_sessions WHERE session_id = $1',
      [session],
    )
    const file = path.join(folder, wren.project.projectId, `${segment}.ndjson.gz`)
    const good = fs.readFileSync(file)
    const bad = Buffer.from(good)
    bad[20] = (bad[20] ?? 0) ^ 1
    fs.writeFileSync(file, bad)
    const open = () => createAdmin(wren).sessions.events({ sessionId: session, seqs: [1] })
    await expect(open()).rejects.toThrow(`${segment}.ndjson.gz is not as it was written`)
    // Those that can be read are; a job continues.
    await recallSessions(wren.project.projectId, [session])
    expect((await send(oldEvents(session))).status).toBe(503)
    fs.rmSync(file)
    await expect(open()).rejects.toThrow(`${segment}.ndjson.gz is missing`)
    expect((await exportLog(session)).status).toBe(503)
    fs.writeFileSync(file, good)
    expect(await open()).toHaveLength(1)
  })

  test('comes back once when many ask for it at the same time', async () => {
    const session = await oldSession(47)
    const rows = await listRows(session)
    await archiveAll()
    await Promise.all(
      Array.from({ length: 6 }, () => recallSession(wren.project.projectId, session)),
    )
    expect(await listRows(session)).toEqual(rows)
  })

  test('keeps its rows when it comes back while the partition of its day is dropped', async () => {
    const session = await oldSession(48)
    const rows = await listRows(session)
    await archiveAll()
    for (let round = 0; round < 5; round++) {
      await Promise.all([recallSession(wren.project.projectId, session), run(), run()])
      expect(await listRows(session)).toEqual(rows)
      await pass()
      await run()
      await pass()
    }
  })
})

describe('deletion', () => {
  test('removes the bytes of a session from its file, and the file with its last session', async () => {
    const gone = await oldSession(61)
    const kept = await oldSession(61)
    const rows = await listRows(kept)
    await archiveAll()
    const { projectId } = wren.project
    const findFile = async (session: string): Promise<string> => {
      const [{ segment }] = await query(
        'SELECT segment FROM archived_sessions WHERE session_id = $1',
        [session],
      )
      return path.join(folder, projectId, `${segment}.ndjson.gz`)
    }
    const file = await findFile(gone)
    expect(await findFile(kept)).toBe(file)
    // It had an event within a day and has not ended, so retention keeps it.
    await query('UPDATE sessions SET ended_at = NULL WHERE id = $1', [kept])
    await setRule({ archive: 30, events: 60 })
    await run()
    const left = await findFile(kept)
    expect(left).not.toBe(file)
    expect(fs.existsSync(file)).toBe(false)
    expect(gunzipSync(fs.readFileSync(left)).toString('utf8')).not.toContain(gone)
    await recallSession(projectId, kept)
    expect(await listRows(kept)).toEqual(rows)
    await query('UPDATE sessions SET ended_at = now() WHERE id = $1', [kept])
    await run()
    expect(fs.existsSync(left)).toBe(false)
  })

  test('deletion of a project removes its files', async () => {
    const finch = await makeTenant(await otherProject(), 'finch')
    await ageSession(finch.session, 50)
    await setRule({ archive: 30 }, finch)
    await run()
    const own = path.join(folder, finch.project.projectId)
    expect(fs.readdirSync(own)).toHaveLength(1)
    await createAdmin(finch).projects.delete({ typedName: 'Other' })
    expect(fs.readdirSync(own)).toEqual([])
  })
})
