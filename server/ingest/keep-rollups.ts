// Each may be interrupted and run again. Nothing is counted twice, because the row of a session stores how far it is counted.

import { systemProject } from '@/server/platform/auth/system.ts'
import { inSqlTransaction, type SqlTx } from '@/server/platform/db/sql-transaction.ts'
import { readEvents, type StoredEvent } from './batch/event-rows.sql.ts'
import { type LockedSession, lockSessions } from './batch/session-rows.sql.ts'
import { countEvents } from './count-events.ts'
import { insertDeliveries, settleDeliveries, toDeliveries } from './projectors/deliveries.ts'
import { addRollups, rememberSeries } from './projectors/rollup-hours.ts'
import { writeAttempts } from './projectors/stops.ts'
import { listedAfter, parseCounted, SessionCounter } from './rollups/count-session.ts'
import { RollupCounts } from './rollups/series.ts'
import {
  findUncountedSessions,
  foldOlderCounts,
  forgetCallMinutes,
  sessionsToList,
  writeCounted,
  writeListed,
} from './rollups.sql.ts'
import { toFoldInput } from './verify.ts'

const SESSIONS = 200
const PAGE = 2_000

export async function countUncounted(signal: AbortSignal): Promise<void> {
  for (;;) {
    const ids = await findUncountedSessions(SESSIONS)
    if (ids.length === 0) return
    for (const id of ids) while (!(await countPage(id))) signal.throwIfAborted()
  }
}

/** Counts one page of a session's events. True: all of its events are counted. */
async function countPage(id: string): Promise<boolean> {
  const rows = await inSqlTransaction(async (sql) => {
    const [session] = await lockSessions(sql, [id])
    if (session === undefined || session.rolledSeq >= session.contiguousSeq) return null
    const { partitionDay, contiguousSeq: to } = session
    const scope = { projectId: systemProject(session.projectId) }
    const counts = new RollupCounts(session)
    const counter = new SessionCounter(counts, parseCounted(session.rollupState))
    const from = session.rolledSeq + 1
    const range = { sessionId: id, partitionDay, from, to, limit: PAGE }
    const toEvent = (stored: StoredEvent) => toFoldInput(id, stored).event
    const events = session.isRemoved ? [] : await readEvents(sql, range)
    await countEvents(counter, scope.projectId, events.map(toEvent))
    const written = counts.rows()
    await addRollups(sql, written)
    // Events that retention removed can no longer be counted.
    const rolledSeq = events.at(-1)?.seq ?? to
    const { counted, end } = counter
    const sessions = [{ row: session, counter }]
    await writeAttempts(sql, sessions)
    await insertDeliveries(sql, sessions.flatMap(toDeliveries), { scope })
    await settleDeliveries(sql, sessions)
    // Deliveries of removed events were never listed.
    const listedSeq = session.isRemoved ? session.listedSeq : listedAfter(session, rolledSeq)
    await writeCounted(sql, { id, rolledSeq, listedSeq, rollupState: JSON.stringify(counted), end })
    return { written, isDone: rolledSeq >= to }
  })
  if (rows === null) return true
  rememberSeries(rows.written)
  return rows.isDone
}

export async function foldRollups(signal: AbortSignal): Promise<void> {
  while ((await foldOlderCounts()) > 0) signal.throwIfAborted()
  while ((await forgetCallMinutes()) > 0) signal.throwIfAborted()
}

/** Reads events again but stores only deliveries. All but the newest are read without the lock of ingestion, because they do not change. */
export async function listDeliveries(signal: AbortSignal): Promise<void> {
  for (;;) {
    const ids = await sessionsToList(SESSIONS)
    if (ids.length === 0) return
    for (const id of ids) await listSession(id, signal)
  }
}

/** Most events are read before the lock is taken, so that only those that arrived meanwhile are left. */
async function listSession(id: string, signal: AbortSignal): Promise<void> {
  const found = await inSqlTransaction(async (sql) => (await lockSessions(sql, [id]))[0])
  if (found === undefined) return
  // Discarded: these counts are already stored.
  const counter = new SessionCounter(new RollupCounts(found), null)
  const toEvent = (stored: StoredEvent) => toFoldInput(id, stored).event
  let seq = 0
  const goThrough = async (sql: SqlTx, session: LockedSession) => {
    const { projectId, partitionDay, rolledSeq: to } = session
    const range = { sessionId: id, partitionDay, from: seq + 1, to, limit: PAGE }
    const events = await readEvents(sql, range)
    await countEvents(counter, systemProject(projectId), events.map(toEvent))
    seq = events.at(-1)?.seq ?? to
  }
  while (seq < found.rolledSeq) {
    signal.throwIfAborted()
    await inSqlTransaction((sql) => goThrough(sql, found))
  }
  await inSqlTransaction(async (sql) => {
    const [session] = await lockSessions(sql, [id])
    if (session === undefined || session.isRemoved) return
    while (seq < session.rolledSeq) await goThrough(sql, session)
    const scope = { projectId: systemProject(session.projectId) }
    await insertDeliveries(sql, toDeliveries({ row: session, counter }), { scope })
    const rollupState = JSON.stringify(counter.counted)
    await writeListed(sql, { id, listedSeq: session.rolledSeq, rollupState })
  })
}
