// Writes what a batch adds to the counts of rules and tools per day: one statement, however many events it had.
import 'server-only'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'

export interface ActivityRow {
  readonly environment: string
  readonly ns: string
  readonly key: string
  /** `YYYY-MM-DD` in UTC. */
  readonly day: string
  readonly kind: 'rule' | 'tool' | 'session'
  /** Empty for sessions. */
  readonly name: string
  readonly count: number
  /** Epoch ms. */
  readonly lastAt: number
}

/** In one order for all requests, so that no two wait for each other. One row a key: the caller has added up. */
export async function addActivity(
  sql: SqlTx,
  projectId: string,
  rows: readonly ActivityRow[],
): Promise<void> {
  if (rows.length === 0) return
  await sql.query(
    `INSERT INTO activity_days AS a (project_id, ns, key, day, kind, name, environment, count, last_at)
     SELECT $1, n.ns, n.key, n.day, n.kind, n.name, n.environment, sum(n.count)::int,
       to_timestamp(max(n.last_at) / 1000)
     FROM unnest($2::text[], $3::text[], $4::date[], $5::text[], $6::text[], $7::text[], $8::int[], $9::float8[])
       AS n(ns, key, day, kind, name, environment, count, last_at)
     GROUP BY n.ns, n.key, n.day, n.kind, n.name, n.environment
     ORDER BY n.ns, n.key, n.day, n.kind, n.name, n.environment
     ON CONFLICT (project_id, ns, key, day, kind, name, environment) DO UPDATE SET
       count = a.count + excluded.count, last_at = greatest(a.last_at, excluded.last_at)`,
    [
      projectId,
      rows.map((row) => row.ns),
      rows.map((row) => row.key),
      rows.map((row) => row.day),
      rows.map((row) => row.kind),
      rows.map((row) => row.name),
      rows.map((row) => row.environment),
      rows.map((row) => row.count),
      rows.map((row) => row.lastAt),
    ],
  )
}
