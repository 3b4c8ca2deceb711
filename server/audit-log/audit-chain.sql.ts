// A trigger gives entries their place at commit (migration 0011).
import 'server-only'
import { systemProject } from '@/server/platform/auth/system.ts'
import { database } from '@/server/platform/db/client.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { epochMs } from '@/server/platform/sql/rows.ts'

export type ChainFault =
  | 'changed'
  | 'removed'
  /** A place is missing, or does not follow the previous one. */
  | 'gap'
  /** The end of the chain, or the part that was verified before, has changed. */
  | 'cut'
  /** An entry has no place: it was written past the trigger. */
  | 'unchained'

export interface ChainBreak {
  readonly position: number
  /** Null: no entry with an id is left there. */
  readonly entryId: string | null
  readonly reason: ChainFault
}

export interface ChainState {
  readonly head: number
  /** Hash of the newest entry. A copy of it elsewhere proves all entries up to it. */
  readonly headHash: string
  /** Time of the last check, which read everything that was committed before, epoch ms; null: none yet. */
  readonly checkedAt: number | null
  readonly checkedPosition: number
  readonly broken: ChainBreak | null
}

interface ChainRow {
  readonly head: number
  readonly headHash: string
  readonly checkedAt: number | null
  readonly checkedPosition: number
  readonly checkedHash: string | null
  readonly brokenPosition: number | null
  readonly brokenEntryId: string | null
  readonly brokenReason: ChainFault | null
}

async function rows<Row extends object>(
  text: string,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  return (await database().pool.query(text, [...values])).rows
}

const CHAIN = `SELECT head_position AS head, head_hash AS "headHash", ${epochMs('checked_at')} AS "checkedAt",
  checked_position AS "checkedPosition", checked_hash AS "checkedHash", broken_position AS "brokenPosition",
  broken_entry_id AS "brokenEntryId", broken_reason AS "brokenReason" FROM audit_chains`

async function chainRow(projectId: AuthorizedProjectId): Promise<ChainRow | null> {
  return (await rows<ChainRow>(`${CHAIN} WHERE project_id = $1`, [projectId]))[0] ?? null
}

/** Null: the project has no entry. */
export async function readChain(projectId: AuthorizedProjectId): Promise<ChainState | null> {
  const row = await chainRow(projectId)
  if (row === null) return null
  const { head, headHash, checkedAt, checkedPosition, brokenPosition, brokenReason } = row
  const broken =
    brokenPosition === null || brokenReason === null
      ? null
      : { position: brokenPosition, entryId: row.brokenEntryId, reason: brokenReason }
  return { head, headHash, checkedAt, checkedPosition, broken }
}

/** Includes deleted projects, whose logs are kept. */
export async function listChainedProjects(): Promise<readonly AuthorizedProjectId[]> {
  const found = await rows<{ id: string }>('SELECT project_id AS id FROM audit_chains', [])
  return found.map(({ id }) => systemProject(id))
}

interface Reached {
  readonly position: number
  readonly hash: string
}

interface Batch {
  readonly last: Reached | null
  readonly broken: ChainBreak | null
}

/** Entries per statement; hashing them takes the database about 30 ms. */
const BATCH = 5_000

const BATCH_SQL = `WITH batch AS (
    SELECT * FROM audit_links WHERE project_id = $1 AND position > $2 ORDER BY position LIMIT ${BATCH}
  ), placed AS (
    SELECT *, lag(position, 1, $2) OVER walk AS "before", lag(hash, 1, $3) OVER walk AS expected
    FROM batch WINDOW walk AS (ORDER BY position)
  ), judged AS (
    SELECT p.position, p.entry_id, p.hash, CASE
      WHEN p.position <> p."before" + 1 OR p.prev <> p.expected THEN 'gap'
      WHEN e.id IS NULL THEN 'removed'
      WHEN p.hash <> signalbox_audit_hash(e, p.position, p.prev) THEN 'changed' END AS fault
    FROM placed p LEFT JOIN audit_entries e ON e.id = p.entry_id AND e.project_id = $1
  )
  SELECT (SELECT json_build_object('position', position, 'hash', hash) FROM judged ORDER BY position DESC LIMIT 1) AS last,
    (SELECT json_build_object('position', position, 'entryId', entry_id, 'reason', fault) FROM judged
     WHERE fault IS NOT NULL ORDER BY position LIMIT 1) AS broken`

async function judgeBatch(projectId: AuthorizedProjectId, after: Reached): Promise<Batch> {
  const [batch] = await rows<Batch>(BATCH_SQL, [projectId, after.position, after.hash])
  return batch ?? { last: null, broken: null }
}

async function judgeEnd(
  projectId: AuthorizedProjectId,
  start: ChainRow,
  reached: Reached,
): Promise<ChainBreak | null> {
  if (reached.position < start.head || reached.position < start.checkedPosition)
    return { position: reached.position + 1, entryId: null, reason: 'cut' }
  const [known] = await rows<{ hash: string; id: string }>(
    'SELECT hash, entry_id AS id FROM audit_links WHERE project_id = $1 AND position = $2',
    [projectId, start.checkedPosition],
  )
  if (start.checkedHash !== null && known !== undefined && known.hash !== start.checkedHash)
    return { position: start.checkedPosition, entryId: known.id, reason: 'cut' }
  const [stray] = await rows<{ id: string }>(
    `SELECT e.id FROM audit_entries e WHERE e.project_id = $1
     AND NOT EXISTS (SELECT 1 FROM audit_links l WHERE l.entry_id = e.id) ORDER BY e.at, e.id LIMIT 1`,
    [projectId],
  )
  return stray === undefined
    ? null
    : { position: reached.position + 1, entryId: stray.id, reason: 'unchained' }
}

async function judge(
  projectId: AuthorizedProjectId,
  start: ChainRow,
  signal: AbortSignal,
): Promise<{ readonly reached: Reached; readonly broken: ChainBreak | null }> {
  let reached: Reached = { position: 0, hash: '' }
  for (;;) {
    signal.throwIfAborted()
    const { last, broken } = await judgeBatch(projectId, reached)
    if (broken !== null) return { reached, broken }
    if (last === null) return { reached, broken: await judgeEnd(projectId, start, reached) }
    reached = last
  }
}

/** Positions that were verified before a break stay recorded, so that a repaired chain differs from one that was never broken. */
export async function checkChain(
  projectId: AuthorizedProjectId,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<void> {
  const start = await chainRow(projectId)
  if (start === null) return
  const { reached, broken } = await judge(projectId, start, signal)
  await rows(
    `UPDATE audit_chains SET checked_at = to_timestamp($2::float8 / 1000), broken_position = $3, broken_entry_id = $4,
       broken_reason = $5, checked_position = CASE WHEN $3::int IS NULL THEN $6 ELSE checked_position END,
       checked_hash = CASE WHEN $3::int IS NULL THEN $7 ELSE checked_hash END
     WHERE project_id = $1`,
    [
      ...[projectId, now, broken?.position ?? null, broken?.entryId ?? null],
      ...[broken?.reason ?? null, reached.position, reached.hash],
    ],
  )
}
