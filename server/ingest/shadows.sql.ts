// The shadow version of a config in an environment, and what ingest writes of its sessions.
import 'server-only'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'
import type { Tx } from '@/server/platform/db/transaction.ts'

/** `null` ends it. Only for the holder of the environment's lock. */
export async function setShadow(
  tx: Tx,
  where: { readonly environmentId: string; readonly configId: string },
  versionId: string | null,
): Promise<void> {
  const { environmentId, configId } = where
  await tx.environmentPointer.updateMany({
    where: { environmentId, configId },
    data: { shadowVersionId: versionId, shadowSince: versionId === null ? null : new Date() },
  })
}

export interface ShadowSessionRow {
  readonly sessionId: string
  readonly environment: string
  readonly digest: string
  /** Epoch ms. */
  readonly at: number
  /** Why it is no longer judged; null: it still is. */
  readonly stopped: string | null
}

/** The events of a session may come in any order: what one of them says is kept beside what the others said. */
export async function upsertShadowSessions(
  sql: SqlTx,
  projectId: string,
  rows: readonly ShadowSessionRow[],
): Promise<void> {
  if (rows.length === 0) return
  await sql.query(
    `INSERT INTO shadow_sessions AS s (project_id, session_id, environment, digest, at, stopped)
     SELECT DISTINCT ON (n.session_id) $1, n.session_id, n.environment, n.digest, to_timestamp(n.at / 1000), n.stopped
     FROM unnest($2::text[], $3::text[], $4::text[], $5::float8[], $6::text[])
       AS n(session_id, environment, digest, at, stopped)
     ORDER BY n.session_id, n.stopped NULLS LAST
     ON CONFLICT (session_id) DO UPDATE SET at = least(s.at, excluded.at), stopped = coalesce(s.stopped, excluded.stopped)`,
    [
      projectId,
      rows.map((row) => row.sessionId),
      rows.map((row) => row.environment),
      rows.map((row) => row.digest),
      rows.map((row) => row.at),
      rows.map((row) => row.stopped),
    ],
  )
}

export interface ShadowDifferenceRow {
  readonly sessionId: string
  readonly environment: string
  readonly seq: number
  readonly digest: string
  readonly at: number
  readonly ofSeq: number
  readonly subject: string
  /** Empty: not about a tool. */
  readonly tool: string
  /** Empty: no single rule makes the difference. */
  readonly rule: string
  readonly live: string
  readonly shadow: string
  readonly text: string | null
  readonly isExact: boolean
  readonly ownFacts: boolean
}

export async function insertShadowDifferences(
  sql: SqlTx,
  projectId: string,
  rows: readonly ShadowDifferenceRow[],
): Promise<void> {
  if (rows.length === 0) return
  await sql.query(
    `INSERT INTO shadow_differences (project_id, session_id, environment, seq, digest, at, of_seq, subject, tool, rule, live,
       shadow, text, is_exact, own_facts)
     SELECT $1, n.session_id, n.environment, n.seq, n.digest, to_timestamp(n.at / 1000), n.of_seq, n.subject, n.tool, n.rule,
       n.live, n.shadow, n.text, n.is_exact, n.own_facts
     FROM unnest($2::text[], $3::text[], $4::int[], $5::text[], $6::float8[], $7::int[], $8::text[], $9::text[], $10::text[],
       $11::text[], $12::text[], $13::text[], $14::bool[], $15::bool[])
       AS n(session_id, environment, seq, digest, at, of_seq, subject, tool, rule, live, shadow, text, is_exact, own_facts)
     ON CONFLICT DO NOTHING`,
    [
      projectId,
      rows.map((row) => row.sessionId),
      rows.map((row) => row.environment),
      rows.map((row) => row.seq),
      rows.map((row) => row.digest),
      rows.map((row) => row.at),
      rows.map((row) => row.ofSeq),
      rows.map((row) => row.subject),
      rows.map((row) => row.tool),
      rows.map((row) => row.rule),
      rows.map((row) => row.live),
      rows.map((row) => row.shadow),
      rows.map((row) => row.text),
      rows.map((row) => row.isExact),
      rows.map((row) => row.ownFacts),
    ],
  )
}
