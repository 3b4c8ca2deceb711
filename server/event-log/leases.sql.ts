// Readers of the event log share its partitions by session locks of the database, on a direct connection: no clock decides, and the
// partitions of a dead reader are free at once. Two readers of one partition would only work twice, so a lost lock needs no other guard.
import 'server-only'
import { directUrl } from '@/server/platform/db/client.ts'
import { createClient } from '@/server/platform/db/connection.ts'

/** First half of the locks' names: the second is the partition, or `PRESENCE`, which every reader shares. */
const LOCKS = 1_953_721
const PRESENCE = 1_000_000

const COUNT_READERS = `SELECT count(*)::int AS readers FROM pg_locks
  WHERE locktype = 'advisory' AND classid = ${LOCKS} AND objid = ${PRESENCE} AND objsubid = 2 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

export interface Leases {
  readonly countReaders: () => Promise<number>
  /** False: another reader has it. */
  readonly take: (partition: number) => Promise<boolean>
  readonly release: (partition: number) => Promise<void>
  /** Resolves when the connection, and with it every lease, is lost. */
  readonly lost: Promise<void>
  readonly close: () => Promise<void>
}

/** Rejects if the database cannot be reached. */
export async function openLeases(): Promise<Leases> {
  const client = createClient(directUrl())
  const lost = new Promise<void>((resolve) => {
    client.on('error', () => resolve())
    client.on('end', () => resolve())
  })
  await client.connect()
  await client.query('SELECT pg_advisory_lock_shared($1, $2)', [LOCKS, PRESENCE])
  return {
    lost,
    async countReaders() {
      const { rows } = await client.query<{ readers: number }>(COUNT_READERS)
      return rows[0]?.readers ?? 1
    },
    async take(partition) {
      const lock = 'SELECT pg_try_advisory_lock($1, $2) AS taken'
      const { rows } = await client.query<{ taken: boolean }>(lock, [LOCKS, partition])
      return rows[0]?.taken === true
    },
    async release(partition) {
      await client.query('SELECT pg_advisory_unlock($1, $2)', [LOCKS, partition])
    },
    async close() {
      await client.end().catch(() => undefined)
    },
  }
}
