// The rows were written from events that the wire schema accepted, and they never change.
import 'server-only'
import { recallSession } from '@/server/archive/recall.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'

const MOST_EVENTS = 1_000
/** A line is at most 256 KiB (specs/sessions.md); a page of large lines has fewer of them. */
const MOST_BYTES = 4 * 1_024 * 1_024

type FoldRow = Pick<LogRow, 'seq' | 'at' | 'type' | 'data' | 'config' | 'trace' | 'prev'>

/** Events after `after` up to `to`, ascending; at least one if there is one. */
export async function readFoldPage(
  { partitionDay, sessionId }: LogPlace,
  { after, to }: { readonly after: number; readonly to: number },
): Promise<readonly FoldRow[]> {
  return await readRows<FoldRow>(
    `SELECT seq, at, type, data, config, NULL AS trace, NULL AS prev FROM (
       SELECT seq, ${epochMs('at')} AS at, type, data, config,
         sum(octet_length(data::text)) OVER (ORDER BY seq) - octet_length(data::text) AS before
       FROM (SELECT seq, at, type, data, config FROM session_events
         WHERE partition_day = $1::date AND session_id = $2 AND seq > $3 AND seq <= $4 ORDER BY seq LIMIT ${MOST_EVENTS}) e
     ) page WHERE before < ${MOST_BYTES} ORDER BY seq`,
    [partitionDay, sessionId, after, to],
  )
}

export interface LogPlace {
  readonly sessionId: string
  /** `YYYY-MM-DD`: the partition that holds the session's events. */
  readonly partitionDay: string
  readonly configDigest: string | null
  readonly contiguousSeq: number
  readonly removed: RemovedEvents | null
}

export interface RemovedEvents {
  readonly at: number
  readonly days: number
}

export const REMOVED_SQL = `CASE WHEN s.events_removed_at IS NOT NULL THEN
  json_build_object('at', ${epochMs('s.events_removed_at')}, 'days', s.events_removed_days) END`

/** Null when the project has no such session. Brings an archived session back, and rejects with `unavailable` when that fails. */
export async function findLogPlace(
  projectId: AuthorizedProjectId,
  sessionId: string,
): Promise<LogPlace | null> {
  const [found] = await readRows<LogPlace & { readonly isArchived: boolean }>(
    `SELECT id AS "sessionId", partition_day::text AS "partitionDay", config_digest AS "configDigest",
       contiguous_seq AS "contiguousSeq", ${REMOVED_SQL} AS removed, archived_at IS NOT NULL AS "isArchived"
     FROM sessions s WHERE project_id = $1 AND id = $2`,
    [projectId, sessionId],
  )
  if (found === undefined) return null
  const { isArchived, ...place } = found
  if (isArchived) await recallSession(projectId, sessionId)
  return place
}

export interface LogRow {
  readonly seq: number
  /** Runtime's clock, epoch ms. */
  readonly at: number
  /** Server's clock, epoch ms. */
  readonly receivedAt: number
  readonly type: string
  readonly verdict: string | null
  readonly subject: string | null
  readonly summary: string | null
  readonly data: unknown
  readonly config: string | null
  readonly trace: string | null
  readonly prev: string | null
  readonly hash: string
}

const LOG_COLUMNS = `seq, ${epochMs('at')} AS at, ${epochMs('received_at')} AS "receivedAt", type, verdict, subject,
  summary, data, config, trace, prev, hash`

const OF_SESSION = 'partition_day = $1::date AND session_id = $2'

export interface LogRange {
  readonly from: number
  readonly to: number
  readonly limit: number
  /** Absent: every type. */
  readonly types?: readonly string[]
  /** Absent: any subject. */
  readonly subjects?: readonly string[]
  /** Absent: ascending. With a limit, `newest` gives the last ones of the range, descending. */
  readonly order?: 'newest'
}

/** Events `from` to `to`, both included. */
export async function readLog(place: LogPlace, range: LogRange): Promise<readonly LogRow[]> {
  const { from, to, limit, types, subjects, order } = range
  return await readRows<LogRow>(
    `SELECT ${LOG_COLUMNS} FROM session_events
     WHERE ${OF_SESSION} AND seq BETWEEN $3 AND $4 AND ($5::text[] IS NULL OR type = ANY($5::text[]))
       AND ($6::text[] IS NULL OR subject = ANY($6::text[]))
     ORDER BY seq ${order === 'newest' ? 'DESC' : 'ASC'} LIMIT $7`,
    [place.partitionDay, place.sessionId, from, to, types ?? null, subjects ?? null, limit],
  )
}

export async function readLogAt(
  place: LogPlace,
  seqs: readonly number[],
): Promise<readonly LogRow[]> {
  return await readRows<LogRow>(
    `SELECT ${LOG_COLUMNS} FROM session_events WHERE ${OF_SESSION} AND seq = ANY($3::int[]) ORDER BY seq`,
    [place.partitionDay, place.sessionId, seqs],
  )
}

export interface LogText {
  readonly seq: number
  readonly at: number
  readonly type: string
  /** JSON text as stored. */
  readonly data: string
  readonly config: string | null
  readonly trace: string | null
  readonly prev: string | null
}

export async function readLogTexts(
  place: LogPlace,
  page: { readonly afterSeq: number; readonly limit: number },
): Promise<readonly LogText[]> {
  return await readRows<LogText>(
    `SELECT seq, ${epochMs('at')} AS at, type, data::text AS data, config, trace, prev FROM session_events
     WHERE ${OF_SESSION} AND seq > $3 ORDER BY seq LIMIT $4`,
    [place.partitionDay, place.sessionId, page.afterSeq, page.limit],
  )
}

/** Null when none is stored in this form. PostgreSQL extracts the JSON text that core made, so nothing is parsed here. */
export async function readStoredState(
  place: LogPlace,
  { seq, form }: { readonly seq: number; readonly form: number },
): Promise<{ readonly digest: string | null; readonly state: string } | null> {
  const rows = await readRows<{ digest: string | null; state: string }>(
    `SELECT state ->> 'digest' AS digest, state ->> 'state' AS state FROM session_snapshots
     WHERE session_id = $1 AND seq = $2 AND state ->> 'v' = $3`,
    [place.sessionId, seq, String(form)],
  )
  return rows[0] ?? null
}

/** JSON text of the newest stored fold that is not after event `upTo`; null when there is none. */
export async function readStoredFold(
  place: LogPlace,
  upTo: number,
): Promise<{ readonly seq: number; readonly state: string } | null> {
  const rows = await readRows<{ seq: number; state: string }>(
    `SELECT seq, state::text AS state FROM session_snapshots
     WHERE session_id = $1 AND seq <= $2 ORDER BY seq DESC LIMIT 1`,
    [place.sessionId, upTo],
  )
  return rows[0] ?? null
}
