import type { Row, RowTest } from './row.ts'
import type { ReadSession } from './session-rows.ts'

export const MOST_SESSIONS = 10_000
const MOST_ROWS = 200_000

/** Rows of the newest sessions. The order in which sessions were read does not matter. */
export interface Table {
  /** Newest first. */
  readonly sessions: readonly ReadSession[]
  readonly rows: readonly Row[]
  /** Sessions with a row. */
  readonly sessionsWithRows: number
  /** Sessions and rows beyond the limits. */
  readonly sessionsLeftOut: number
  readonly rowsLeftOut: number
  /** Index of the session of each row. */
  readonly sessionOf: readonly number[]
}

export function newestFirst(a: ReadSession, b: ReadSession): number {
  return b.startedAt - a.startedAt || (a.id < b.id ? -1 : 1)
}

/** `leftOut`: sessions that were dropped before. */
export function buildTable(
  read: readonly ReadSession[],
  leftOut: { readonly sessions: number; readonly rows: number },
  most: { readonly sessions: number; readonly rows: number } = {
    sessions: MOST_SESSIONS,
    rows: MOST_ROWS,
  },
): Table {
  const sorted = [...read].sort(newestFirst)
  const sessions: ReadSession[] = []
  const rows: Row[] = []
  const sessionOf: number[] = []
  let [rowsLeftOut, sessionsWithRows] = [leftOut.rows, 0]
  for (const session of sorted) {
    const isFull =
      sessions.length === most.sessions || rows.length + session.rows.length > most.rows
    if (isFull || rowsLeftOut > leftOut.rows) {
      rowsLeftOut += session.rows.length
      continue
    }
    if (session.rows.length > 0) sessionsWithRows += 1
    for (const row of session.rows) {
      rows.push(row)
      sessionOf.push(sessions.length)
    }
    sessions.push(session)
  }
  const sessionsLeftOut = leftOut.sessions + read.length - sessions.length
  return { sessions, rows, sessionOf, sessionsWithRows, sessionsLeftOut, rowsLeftOut }
}

/**
 * Indexes of the rows among `among` that the test refuses. Absent: among all. Rows with removed arguments are left out: a backtest does
 * not compare them either.
 */
export function listRefused(
  { rows }: Pick<Table, 'rows'>,
  test: RowTest,
  among?: readonly number[],
): readonly number[] {
  const found: number[] = []
  const count = among?.length ?? rows.length
  for (let i = 0; i < count; i++) {
    const index = among?.[i] ?? i
    const row = rows[index]
    if (row !== undefined && !row.isHidden && test(row) === true) found.push(index)
  }
  return found
}

export function countSessions({ sessionOf }: Table, indexes: readonly number[]): number {
  return new Set(indexes.map((index) => sessionOf[index])).size
}

/** Share of the moments of all sessions at which the tool had succeeded; null: there was no moment. */
export function computeChance(
  { sessions }: Table,
  { needs, pair }: { readonly needs: number; readonly pair: number | null },
): number | null {
  let [held, all] = [0, 0]
  for (const { chances } of sessions) {
    if (pair === null) {
      held += chances.succeeded[needs] ?? 0
      all += chances.moments
      continue
    }
    const [newer = 0, older = 0] = chances.newer[pair] ?? []
    held += newer
    all += newer + older
  }
  return all === 0 ? null : held / all
}
