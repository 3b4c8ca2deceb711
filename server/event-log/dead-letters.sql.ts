import 'server-only'
import { database } from '@/server/platform/db/client.ts'
import type { SqlTx } from '@/server/platform/db/sql-transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { storableText } from '@/server/platform/sql/storable-text.ts'

export interface DeadLetter {
  /** From the content, so that a letter that is written again after a crash is kept once. */
  readonly id: string
  readonly projectId: string
  readonly environment: string
  readonly keyId: string
  readonly reason: string
  readonly detail: string
  /** Null: the letter is a whole batch, or a line that names none. */
  readonly sessionId: string | null
  readonly seq: number | null
  readonly events: number
  /** NDJSON in gzip; null: the project and with it the content was deleted. */
  readonly body: Uint8Array | null
  readonly acceptedAt: number
}

/** Letters that exist stay as they are. */
export async function insertDeadLetters(sql: SqlTx, letters: readonly DeadLetter[]): Promise<void> {
  await Promise.all(
    letters.map((letter) =>
      sql.query(
        `INSERT INTO dead_letters (id, project_id, environment, key_id, reason, detail, session_id, seq, events, body, accepted_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, to_timestamp($11::float8 / 1000)) ON CONFLICT DO NOTHING`,
        [
          letter.id,
          letter.projectId,
          letter.environment,
          letter.keyId,
          letter.reason,
          storableText(letter.detail),
          letter.sessionId,
          letter.seq,
          letter.events,
          letter.body,
          letter.acceptedAt,
        ],
      ),
    ),
  )
}

export interface StoredLetter {
  readonly id: string
  readonly environment: string
  readonly reason: string
  readonly detail: string
  readonly sessionId: string | null
  readonly seq: number | null
  readonly events: number
  /** Null: the key was deleted. */
  readonly keyName: string | null
  readonly acceptedAt: number
  readonly body: Uint8Array | null
}

export async function listDeadLetters(
  projectId: AuthorizedProjectId,
  { environment, limit }: { readonly environment: string | undefined; readonly limit: number },
): Promise<readonly StoredLetter[]> {
  return await readRows<StoredLetter>(
    `SELECT d.id, d.environment, d.reason, d.detail, d.session_id AS "sessionId", d.seq, d.events,
       ${epochMs('d.accepted_at')} AS "acceptedAt", d.body, k.name AS "keyName"
     FROM dead_letters d LEFT JOIN api_keys k ON k.id = d.key_id AND k.project_id = d.project_id
     WHERE d.project_id = $1 AND ($2::text IS NULL OR d.environment = $2)
     ORDER BY d.created_at DESC, d.id DESC LIMIT $3`,
    [projectId, environment ?? null, limit],
  )
}

export interface LetterCounts {
  readonly letters: number
  readonly events: number
  /** Epoch ms; null: none. */
  readonly newestAt: number | null
}

/** Letters since `since` (epoch ms). */
export async function countDeadLetters(
  projectId: AuthorizedProjectId,
  { environment, since }: { readonly environment: string | undefined; readonly since: number },
): Promise<LetterCounts> {
  const [counts] = await readRows<LetterCounts>(
    `SELECT count(*)::int AS letters, coalesce(sum(events), 0)::int AS events, ${epochMs('max(created_at)')} AS "newestAt"
     FROM dead_letters WHERE project_id = $1 AND ($2::text IS NULL OR environment = $2)
       AND created_at >= to_timestamp($3::float8 / 1000)`,
    [projectId, environment ?? null, since],
  )
  return counts ?? { letters: 0, events: 0, newestAt: null }
}

export async function deleteOldLetters(
  projectId: AuthorizedProjectId,
  days: number,
): Promise<void> {
  await database().pool.query(
    `DELETE FROM dead_letters WHERE project_id = $1 AND accepted_at < (now() AT TIME ZONE 'utc')::date - $2::int`,
    [projectId, days],
  )
}
