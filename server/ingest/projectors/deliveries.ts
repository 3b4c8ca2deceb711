import { toEventId } from '@signalbox/wire'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'
import { batchColumns, int, text, time } from '@/server/platform/sql/batch-columns.ts'
import { type CountedSession, defineProjector, EVENT_COLUMNS, insertInto } from './projector.ts'

const columns = batchColumns({
  ...EVENT_COLUMNS,
  at: time(),
  provider: text(),
  name: text(),
  severity: text(),
  says: text(),
  followed: text<string | null>(),
})

/** Updates a delivery that is already listed, because the job that lists older ones may find those of a batch. */
export const insertDeliveries = insertInto(
  'deliveries',
  columns,
  'ON CONFLICT (id) DO UPDATE SET followed = excluded.followed',
)

const settled = batchColumns({ sessionId: text(), seq: int(), followed: text<string | null>() })

export function toDeliveries({ row, counter }: CountedSession) {
  const { id: sessionId, environment } = row
  return (counter?.deliveries ?? []).map(({ digest, ...delivery }) => ({
    ...delivery,
    id: toEventId(sessionId, delivery.seq),
    environment,
    sessionId,
    configDigest: digest === '' ? null : digest,
  }))
}

export async function settleDeliveries(
  sql: SqlTx,
  sessions: readonly CountedSession[],
): Promise<void> {
  const rows = sessions.flatMap(({ row, counter }) =>
    (counter?.settled ?? []).map((one) => ({ sessionId: row.id, ...one })),
  )
  if (rows.length === 0) return
  await sql.query(
    `UPDATE deliveries d SET followed = n.followed FROM ${settled.source(1)}
     WHERE d.session_id = n.session_id AND d.seq = n.seq`,
    settled.parameters(rows),
  )
}

export const deliveries = defineProjector({
  rows: ({ outcomes }) => outcomes.flatMap(toDeliveries),
  write: (sql, rows, batch) =>
    Promise.all([insertDeliveries(sql, rows, batch), settleDeliveries(sql, batch.outcomes)]),
})
