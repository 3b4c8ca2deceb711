// The deliveries that counting lists (specs/analytics.md): two statements at most for a batch, in the transaction that counts them.
import 'server-only'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'

export interface DeliveryRow {
  readonly id: string
  readonly environment: string
  readonly sessionId: string
  readonly seq: number
  /** Epoch ms. */
  readonly at: number
  readonly ns: string
  readonly key: string
  readonly provider: string
  readonly name: string
  readonly severity: string
  readonly says: string
  readonly followed: string | null
  readonly configDigest: string | null
}

/** One that is listed already takes what is known of it now: the job that lists older ones may meet those of a batch. */
export async function writeDeliveries(
  sql: SqlTx,
  projectId: string,
  rows: readonly DeliveryRow[],
): Promise<void> {
  if (rows.length === 0) return
  await sql.query(
    `INSERT INTO deliveries (project_id, id, environment, session_id, seq, at, ns, key, provider, name, severity, says,
       followed, config_digest)
     SELECT $1, n.id, n.environment, n.session_id, n.seq, to_timestamp(n.at / 1000), n.ns, n.key, n.provider, n.name,
       n.severity, n.says, n.followed, n.config_digest
     FROM unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::float8[], $7::text[], $8::text[], $9::text[],
       $10::text[], $11::text[], $12::text[], $13::text[], $14::text[])
       AS n(id, environment, session_id, seq, at, ns, key, provider, name, severity, says, followed, config_digest)
     ON CONFLICT (id) DO UPDATE SET followed = excluded.followed`,
    [
      projectId,
      rows.map((row) => row.id),
      rows.map((row) => row.environment),
      rows.map((row) => row.sessionId),
      rows.map((row) => row.seq),
      rows.map((row) => row.at),
      rows.map((row) => row.ns),
      rows.map((row) => row.key),
      rows.map((row) => row.provider),
      rows.map((row) => row.name),
      rows.map((row) => row.severity),
      rows.map((row) => row.says),
      rows.map((row) => row.followed),
      rows.map((row) => row.configDigest),
    ],
  )
}

/** What became of the advice of a delivery that was listed before. */
export interface SettledRow {
  readonly sessionId: string
  readonly seq: number
  readonly followed: string | null
}

export async function settleDeliveries(sql: SqlTx, rows: readonly SettledRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql.query(
    `UPDATE deliveries d SET followed = n.followed
     FROM unnest($1::text[], $2::int[], $3::text[]) AS n(session_id, seq, followed)
     WHERE d.session_id = n.session_id AND d.seq = n.seq`,
    [
      rows.map(({ sessionId }) => sessionId),
      rows.map(({ seq }) => seq),
      rows.map(({ followed }) => followed),
    ],
  )
}
