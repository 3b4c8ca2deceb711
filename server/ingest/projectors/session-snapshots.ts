import { batchColumns, int, text, textAs } from '@/server/platform/sql/batch-columns.ts'
import { defineProjector, insertInto } from './projector.ts'

const columns = batchColumns({ sessionId: text(), seq: int(), hash: text(), state: textAs('json') })

export const sessionSnapshots = defineProjector({
  rows: ({ outcomes }) => outcomes.flatMap(({ kept }) => kept),
  write: insertInto(
    'session_snapshots',
    columns,
    'ON CONFLICT (session_id, seq) DO UPDATE SET hash = excluded.hash, state = excluded.state',
  ),
})
