// The jobs behind counts: sessions stored before there were counts of Analytics are counted, and older counts are made fewer. Each
// may be cut off and run again; nothing is counted twice, because how far a session is counted stands in its row.
import { forgetCallMinutes } from '../../repositories/ingest/call-minutes.ts'
import { readEvents } from '../../repositories/ingest/event-rows.ts'
import { nameCounted } from '../../repositories/ingest/projection-rows.ts'
import { addRollups, rememberSeries } from '../../repositories/ingest/rollup-rows.ts'
import { lockSessions } from '../../repositories/ingest/session-rows.ts'
import { foldOlderCounts, sessionsToCount, writeCounted } from '../../repositories/rollups.ts'
import { inSqlTransaction } from '../../repositories/sql-transaction.ts'
import { inputOf } from '../ingestion/verify.ts'
import { countedOf, SessionCounter } from './count-session.ts'
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
    await writeCounted(sql, { id, rolledSeq, rollupState: JSON.stringify(counted), end })
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
