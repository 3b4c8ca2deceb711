// Each projection is one file of projectors/ with its rows and its SQL, and one line of projectors/all.ts.
import 'server-only'
import type { SessionEvent } from '@signalbox/core'
import type { IngestTarget } from '@/server/platform/auth/scope.ts'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { type BatchColumns, batchColumns, int, text } from '@/server/platform/sql/batch-columns.ts'
import { storableText } from '@/server/platform/sql/storable-text.ts'
import type { Snapshot } from '../batch/event-rows.sql.ts'
import type { IncomingEvent } from '../batch/incoming.ts'
import type { Projection } from '../batch/projection.ts'
import type { SessionRow } from '../batch/session-rows.sql.ts'
import type { SessionCounter } from '../rollups/count-session.ts'
import type { RollupRow } from '../rollups/series.ts'

export interface CountedSession {
  readonly row: { readonly id: string; readonly environment: string }
  /** Counts of the events that became contiguous, from any batch; null: nothing was counted. */
  readonly counter: SessionCounter | null
}

export interface Outcome extends Projection, CountedSession {
  readonly row: SessionRow
  readonly fresh: readonly IncomingEvent[]
  readonly kept: readonly Snapshot[]
}

export interface Batch {
  readonly scope: IngestTarget
  readonly outcomes: readonly Outcome[]
  /** Each (series, hour) once, in one order for all batches. */
  readonly rollups: readonly RollupRow[]
  readonly now: number
}

export type Projector = (sql: SqlTx, batch: Batch) => Promise<void>

/** `write` runs in the transaction that stores the events, after them and the rows of their sessions. It sends all statements at once. */
export function defineProjector<Row>(projection: {
  readonly rows: (batch: Batch) => readonly Row[]
  readonly write: (sql: SqlTx, rows: readonly Row[], batch: Batch) => Promise<unknown>
}): Projector {
  return async (sql, batch) => {
    await projection.write(sql, projection.rows(batch), batch)
  }
}

/** `write` of a projection that adds rows of the project. `rest`: SQL after the rows, such as ON CONFLICT. */
export function insertInto<Row>(table: string, columns: BatchColumns<Row>, rest = '') {
  const statement = `INSERT INTO ${table} (project_id, ${columns.names})
    SELECT $1, ${columns.values} FROM ${columns.source(2)} ${rest}`
  return async (
    sql: SqlTx,
    rows: readonly Row[],
    { scope }: { readonly scope: { readonly projectId: AuthorizedProjectId } },
  ): Promise<void> => {
    if (rows.length > 0) await sql.query(statement, [scope.projectId, ...columns.parameters(rows)])
  }
}

export const EVENT_COLUMNS = {
  id: text(),
  environment: text(),
  sessionId: text(),
  seq: int(),
  ns: text(),
  key: text(),
  configDigest: text<string | null>(),
}

export function toEventColumns({ row }: Pick<Outcome, 'row'>, event: SessionEvent) {
  const { id: sessionId, environment, ns, key, configDigest } = row
  const config = event.config === undefined ? configDigest : storableText(event.config)
  return { sessionId, environment, seq: event.seq, ns, key, configDigest: config }
}

const MINUTE_MS = 60_000

/** Epoch ms. A time from a clock that is ahead of `now` counts as now. */
export function floorToMinute(at: number, now: number): number {
  return Math.floor(Math.min(at, now) / MINUTE_MS) * MINUTE_MS
}

const named = batchColumns({ sessionId: text(), ns: text(), key: text() })

export async function namePrompts(
  sql: SqlTx,
  table: 'stops' | 'denials' | 'call_approvals',
  outcomes: readonly Outcome[],
): Promise<void> {
  const rows = outcomes
    .filter(({ namesPrompt }) => namesPrompt)
    .map(({ row: { id: sessionId, ns, key } }) => ({ sessionId, ns, key }))
  if (rows.length === 0) return
  await sql.query(
    `UPDATE ${table} t SET ns = n.ns, key = n.key FROM ${named.source(1)} WHERE t.session_id = n.session_id`,
    named.parameters(rows),
  )
}
