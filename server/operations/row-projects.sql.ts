// Completes rows that are older than the column with their project (migration 0040). Newer rows have it when they are written.
import 'server-only'
import { database } from '@/server/platform/db/client.ts'

const PARENTS = {
  environment_pointers: 'environments p ON p.id = t.environment_id',
  bundles: 'environments p ON p.id = t.environment_id',
  session_snapshots: 'sessions p ON p.id = t.session_id',
  rollup_hours: 'rollup_series p ON p.id = t.series_id',
} as const

type Table = keyof typeof PARENTS

/** Blocks of 8 KiB that one statement reads. */
const BLOCKS = 500

/** Tables whose rows are not all known to have their project: the constraint is not validated. */
async function listIncomplete(): Promise<readonly Table[]> {
  const { rows } = await database().pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
     WHERE k.conname = 'project_known' AND NOT k.convalidated`,
  )
  const names = new Set(rows.map(({ name }) => name))
  // Object.keys loses the type of its argument's keys.
  return (Object.keys(PARENTS) as Table[]).filter((name) => names.has(name))
}

async function completeTable(table: Table, signal: AbortSignal): Promise<void> {
  const { pool } = database()
  const { rows } = await pool.query<{ blocks: number }>(
    `SELECT (pg_relation_size($1::regclass) / current_setting('block_size')::int)::int AS blocks`,
    [table],
  )
  // Rows that are written meanwhile are complete.
  for (let block = 0; block < (rows[0]?.blocks ?? 0); block += BLOCKS) {
    signal.throwIfAborted()
    // Skips rows that ingestion has locked: it completes those that it changes.
    await pool.query(
      `WITH batch AS (
         SELECT ctid FROM ${table} WHERE project_id IS NULL AND ctid >= $1::tid AND ctid < $2::tid FOR UPDATE SKIP LOCKED
       )
       UPDATE ${table} u SET project_id = p.project_id
       FROM batch b JOIN ${table} t ON t.ctid = b.ctid JOIN ${PARENTS[table]} WHERE u.ctid = b.ctid`,
      [`(${block},0)`, `(${block + BLOCKS},0)`],
    )
  }
  // Reads the table without blocking writers. Fails when a skipped row is left, and then the next run reads all of it again.
  await pool.query(`ALTER TABLE ${table} VALIDATE CONSTRAINT project_known`)
}

/** Does nothing once every row has its project. May be interrupted and run again. */
export async function completeRowProjects(signal: AbortSignal): Promise<void> {
  for (const table of await listIncomplete()) await completeTable(table, signal)
}
