// The jobs behind counts: sessions stored before there were counts of Analytics are counted, and older counts are made fewer. Each
// may be cut off and run again; nothing is counted twice, because how far a session is counted stands in its row.

import { inSqlTransaction, type SqlTx } from '@/server/platform/db/sql-transaction.ts'
import { forgetCallMinutes } from '../call-minutes.sql.ts'
import { settleDeliveries, writeDeliveries } from '../delivery-rows.sql.ts'
import { readEvents } from '../event-rows.sql.ts'
import { nameCounted } from '../projection-rows.sql.ts'
import { addRollups, rememberSeries } from '../rollup-rows.sql.ts'
import {
  foldOlderCounts,
  sessionsToCount,
  sessionsToList,
  writeCounted,
  writeListed,
} from '../rollups.sql.ts'
import { lockSessions, type SessionRow } from '../session-rows.sql.ts'
import { inputOf } from '../verify.ts'
import { countedOf, SessionCounter } from './count-session.ts'
import { adviceRowsOf, listedAfter } from './delivery-rows.ts'
import { RollupCounts } from './series.ts'

const SESSIONS = 200
const PAGE = 2_000

/** Counts every session that is not counted up to its contiguous end. */
export async function countUncounted(signal: AbortSignal): Promise<void> {
  for (;;) {
    const ids = await sessionsToCount(SESSIONS)
    if (ids.length === 0) return
    for (const id of ids) while (!(await countPage(id))) signal.throwIfAborted()
  }
}

/** One page of a session's events. True: it is counted to the end. */
async function countPage(id: string): Promise<boolean> {
  const rows = await inSqlTransaction(async (sql) => {
    const [session] = await lockSessions(sql, [id])
    if (session === undefined || session.rolledSeq >= session.contiguousSeq) return null
    const { projectId, environment, partitionDay, contiguousSeq: to } = session
    const counts = new RollupCounts({ projectId, environment })
    const counter = new SessionCounter(counts, countedOf(session.rollupState))
    const from = session.rolledSeq + 1
    const range = { sessionId: id, partitionDay, from, to, limit: PAGE }
    const events = session.isRemoved ? [] : await readEvents(sql, range)
    for (const stored of events) counter.add(inputOf(id, stored).event)
    const written = counts.rows()
    await addRollups(sql, written)
    // Events that retention removed are not counted any more.
    const rolledSeq = events.at(-1)?.seq ?? to
    const { counted, end, allowed } = counter
    await nameCounted(
      sql,
      allowed.map((stop) => ({ sessionId: id, ...stop })),
    )
    const { deliveries, settled } = adviceRowsOf(session, counter)
    await writeDeliveries(sql, projectId, deliveries)
    await settleDeliveries(sql, settled)
    // What was removed was never listed.
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

/**
 * Lists the deliveries of sessions that were counted before there was a list: their events are gone through again, and nothing else of
 * what is counted in them is kept. Events do not change, so they are read without the lock that ingestion waits for, but for the newest.
 */
export async function listDeliveries(signal: AbortSignal): Promise<void> {
  for (;;) {
    const ids = await sessionsToList(SESSIONS)
    if (ids.length === 0) return
    for (const id of ids) await listSession(id, signal)
  }
}

/** Gone through before the lock is taken for good, so that only what came meanwhile is left. */
async function listSession(id: string, signal: AbortSignal): Promise<void> {
  const found = await inSqlTransaction(async (sql) => (await lockSessions(sql, [id]))[0])
  if (found === undefined) return
  const { projectId, environment } = found
  // Of these counts nothing is written: they are counted already.
  const counter = new SessionCounter(new RollupCounts({ projectId, environment }), null)
  let seq = 0
  const goThrough = async (sql: SqlTx, { partitionDay, rolledSeq: to }: SessionRow) => {
    const range = { sessionId: id, partitionDay, from: seq + 1, to, limit: PAGE }
    const events = await readEvents(sql, range)
    for (const stored of events) counter.add(inputOf(id, stored).event)
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
    await writeDeliveries(sql, projectId, adviceRowsOf(session, counter).deliveries)
    const rollupState = JSON.stringify(counter.counted)
    await writeListed(sql, { id, listedSeq: session.rolledSeq, rollupState })
  })
}
