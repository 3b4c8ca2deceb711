// A session is locked while its state changes, as for ingestion.
import 'server-only'
import { systemProject } from '@/server/platform/auth/system.ts'
import { database } from '@/server/platform/db/client.ts'
import { inSqlTransaction } from '@/server/platform/db/sql-transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import {
  batchColumns,
  int,
  packedJson,
  type RowOf,
  text,
  textAs,
  time,
} from '@/server/platform/sql/batch-columns.ts'
import { epochMs, readRows, readTuples } from '@/server/platform/sql/rows.ts'

export interface OldSession {
  readonly id: string
  /** `YYYY-MM-DD`: the partition of its events. */
  readonly day: string
  readonly maxSeq: number
  /** Arrival of its newest event, as PostgreSQL writes it. */
  readonly receivedAt: string
}

/** SQL condition: the part `a` has every event of the session `s`. */
const IS_WHOLE = 'a.max_seq = s.max_seq AND a.received_at = s.received_at'

/** SQL condition on session `s`. A reader that found it before it was archived has an hour to finish. Never null. */
export const ROWS_MAY_GO = `(s.events_removed_at IS NOT NULL OR s.archived_at IS NOT NULL AND s.archived_at < now() - interval '1 hour' AND EXISTS (
  SELECT 1 FROM archived_sessions a JOIN archive_segments g ON g.project_id = a.project_id AND g.digest = a.segment
  WHERE a.session_id = s.id AND g.checked_at IS NOT NULL AND ${IS_WHOLE}))`

// Not packed, because an empty text must stay one in a page of a single event, too.
const events = batchColumns({
  sessionId: text(),
  seq: int(),
  at: time(),
  receivedAt: time(),
  type: text(),
  verdict: text<string | null>(),
  subject: text<string | null>(),
  summary: text<string | null>(),
  durationMs: int<number | null>(),
  nativeTool: text<string | null>(),
  data: packedJson(),
  config: text<string | null>(),
  trace: text<string | null>(),
  prev: text<string | null>(),
  hash: text(),
})

/** All of a row of `session_events` but its project and day, which its session has. `data` is the stored JSON text. */
export type ArchivedEvent = RowOf<typeof events>

export async function readStoredEvents(
  projectId: AuthorizedProjectId,
  { id, day }: OldSession,
  page: { readonly after: number; readonly limit: number },
): Promise<readonly ArchivedEvent[]> {
  return await readRows<ArchivedEvent>(
    `SELECT session_id AS "sessionId", seq, ${epochMs('at')} AS at, ${epochMs('received_at')} AS "receivedAt", type, verdict,
       subject, summary, duration_ms AS "durationMs", native_tool AS "nativeTool", data::text AS data, config, trace, prev, hash
     FROM session_events WHERE project_id = $1 AND partition_day = $2::date AND session_id = $3 AND seq > $4
     ORDER BY seq LIMIT $5`,
    [projectId, day, id, page.after, page.limit],
  )
}

/** Archives again sessions whose part of a segment still has all of their events. Returns their ids. */
export async function archiveUnchanged(
  projectId: AuthorizedProjectId,
  ids: readonly string[],
): Promise<readonly string[]> {
  const found = await readRows<{ id: string }>(
    `WITH same AS (
       SELECT s.id FROM sessions s JOIN archived_sessions a ON a.session_id = s.id
       WHERE s.project_id = $1 AND s.id = ANY($2) AND s.archived_at IS NULL AND s.events_removed_at IS NULL AND ${IS_WHOLE}
       ORDER BY s.id FOR UPDATE OF s
     ), folded AS (DELETE FROM session_snapshots f USING same WHERE f.session_id = same.id)
     UPDATE sessions s SET archived_at = now() FROM same WHERE s.id = same.id RETURNING s.id`,
    [projectId, ids],
  )
  return found.map(({ id }) => id)
}

/** Records a segment before its file is written, so that an interrupted run leaves no file that no one knows. */
export async function beginSegment(
  projectId: AuthorizedProjectId,
  digest: string,
  sessions: number,
): Promise<void> {
  await database().pool.query(
    `INSERT INTO archive_segments (project_id, digest, sessions) VALUES ($1, $2, $3)
     ON CONFLICT (project_id, digest) DO UPDATE SET created_at = now()`,
    [projectId, digest, sessions],
  )
}

const parts = batchColumns({
  sessionId: text(),
  start: int(),
  bytes: int(),
  digest: text(),
  events: int(),
  semantics: int<number | null>(),
  maxSeq: int(),
  receivedAt: textAs('timestamptz'),
})

export type Part = RowOf<typeof parts>

/** Archives the sessions of a segment whose file is written; omits those that changed meanwhile. Returns the number of sessions. */
export async function settleSegment(
  projectId: AuthorizedProjectId,
  digest: string,
  rows: readonly Part[],
): Promise<number> {
  return await inSqlTransaction(async (sql) => {
    const [count] = await sql.query<{ archived: number }>(
      `WITH n AS (SELECT * FROM ${parts.source(3)}), locked AS (
         SELECT s.id FROM sessions s JOIN n ON n.session_id = s.id
         WHERE s.project_id = $1 AND s.archived_at IS NULL AND s.events_removed_at IS NULL
           AND s.max_seq = n.max_seq AND s.received_at = n.received_at
         ORDER BY s.id FOR UPDATE OF s
       ), placed AS (
         INSERT INTO archived_sessions (project_id, segment, ${parts.names})
         SELECT $1, $2, ${parts.values} FROM n JOIN locked ON locked.id = n.session_id
         ON CONFLICT (session_id) DO UPDATE SET segment = excluded.segment, start = excluded.start, bytes = excluded.bytes,
           digest = excluded.digest, events = excluded.events, semantics = excluded.semantics, max_seq = excluded.max_seq,
           received_at = excluded.received_at
       ), folded AS (DELETE FROM session_snapshots f USING locked WHERE f.session_id = locked.id),
       archived AS (UPDATE sessions s SET archived_at = now() FROM locked WHERE s.id = locked.id RETURNING s.id)
       SELECT count(*)::int AS archived FROM archived`,
      [projectId, digest, ...parts.parameters(rows)],
    )
    await sql.query(
      'UPDATE archive_segments SET written_at = now() WHERE project_id = $1 AND digest = $2',
      [projectId, digest],
    )
    return count?.archived ?? 0
  })
}

export interface ArchivedPlace {
  readonly day: string
  readonly segment: string
  readonly start: number
  readonly bytes: number
  readonly digest: string
}

/** Null: the project has no such session, or its events are rows. */
export async function findArchived(
  projectId: AuthorizedProjectId,
  sessionId: string,
): Promise<ArchivedPlace | null> {
  const [place] = await readRows<ArchivedPlace>(
    `SELECT s.partition_day::text AS day, a.segment, a.start, a.bytes, a.digest FROM sessions s
     JOIN archived_sessions a ON a.session_id = s.id
     WHERE s.project_id = $1 AND s.id = $2 AND s.archived_at IS NOT NULL`,
    [projectId, sessionId],
  )
  return place ?? null
}

export async function listArchived(
  projectId: AuthorizedProjectId,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (ids.length === 0) return []
  const found = await readTuples<readonly [string]>(
    'SELECT id FROM sessions WHERE project_id = $1 AND id = ANY($2) AND archived_at IS NOT NULL',
    [projectId, ids],
  )
  return found.map(([id]) => id)
}

/** In a transaction of its own, because a new partition locks the table until the commit. */
export async function ensurePartition(day: string): Promise<void> {
  await database().pool.query('SELECT signalbox_ensure_event_partition($1::date)', [day])
}

/** False: the session is elsewhere by now, or the day's partition was dropped since it was ensured; look again. */
export async function restoreRows(
  projectId: AuthorizedProjectId,
  { sessionId, place }: { readonly sessionId: string; readonly place: ArchivedPlace },
  pages: AsyncIterable<readonly ArchivedEvent[]>,
): Promise<boolean> {
  try {
    return await inSqlTransaction(async (sql) => {
      const locked = await sql.query(
        `SELECT 1 FROM sessions s JOIN archived_sessions a ON a.session_id = s.id
         WHERE s.project_id = $1 AND s.id = $2 AND s.archived_at IS NOT NULL AND a.digest = $3 FOR UPDATE OF s`,
        [projectId, sessionId, place.digest],
      )
      if (locked.length === 0) return false
      for await (const page of pages) {
        await sql.query(
          `INSERT INTO session_events (project_id, partition_day, ${events.names})
           SELECT $1, $2::date, ${events.values} FROM ${events.source(3)}
           ON CONFLICT (session_id, seq, partition_day) DO NOTHING`,
          [projectId, place.day, ...events.parameters(page)],
        )
      }
      await sql.query('UPDATE sessions SET archived_at = NULL WHERE project_id = $1 AND id = $2', [
        projectId,
        sessionId,
      ])
      await sql.query(
        'UPDATE archived_sessions SET recalled_at = now() WHERE project_id = $1 AND session_id = $2',
        [projectId, sessionId],
      )
      return true
    })
  } catch (error) {
    if (isPartitionGone(error)) return false
    throw error
  }
}

function isPartitionGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23514'
}

export interface Segment {
  readonly projectId: AuthorizedProjectId
  readonly digest: string
}

async function listSystemSegments(
  text: string,
  values: readonly unknown[],
): Promise<readonly Segment[]> {
  const found = await readRows<{ projectId: string; digest: string }>(text, values)
  return found.map(({ projectId, digest }) => ({ projectId: systemProject(projectId), digest }))
}

export async function listUnchecked(limit: number): Promise<readonly Segment[]> {
  return await listSystemSegments(
    `SELECT project_id AS "projectId", digest FROM archive_segments
     WHERE checked_at IS NULL AND written_at < now() - interval '1 hour' ORDER BY written_at LIMIT $1`,
    [limit],
  )
}

export async function markChecked({ projectId, digest }: Segment): Promise<void> {
  await database().pool.query(
    'UPDATE archive_segments SET checked_at = now() WHERE project_id = $1 AND digest = $2',
    [projectId, digest],
  )
}

/** Forgets a segment that was never checked, whose sessions still have all of their rows. */
export async function forgetUnchecked({ projectId, digest }: Segment): Promise<void> {
  await database().pool.query(
    `WITH gone AS (DELETE FROM archived_sessions WHERE project_id = $1 AND segment = $2 RETURNING session_id)
     UPDATE sessions s SET archived_at = NULL FROM gone WHERE s.id = gone.session_id`,
    [projectId, digest],
  )
}

/** At most `limit`. One that was not written completely counts after a day, when no run can still be writing it. */
export async function listOutdated(limit: number): Promise<readonly Segment[]> {
  return await listSystemSegments(
    `SELECT g.project_id AS "projectId", g.digest FROM archive_segments g
     WHERE coalesce(g.written_at, g.created_at + interval '1 day') < now() AND g.sessions > (
       SELECT count(*) FROM archived_sessions a WHERE a.project_id = g.project_id AND a.segment = g.digest)
     ORDER BY g.created_at LIMIT $1`,
    [limit],
  )
}

export interface PlacedPart {
  readonly sessionId: string
  readonly start: number
  readonly bytes: number
}

export async function listParts({ projectId, digest }: Segment): Promise<readonly PlacedPart[]> {
  return await readRows<PlacedPart>(
    `SELECT session_id AS "sessionId", start, bytes FROM archived_sessions
     WHERE project_id = $1 AND segment = $2 ORDER BY start`,
    [projectId, digest],
  )
}

/** Places the sessions of one segment in another, at their new offsets. Its file is written and was read again. */
export async function moveParts(
  projectId: AuthorizedProjectId,
  digests: { readonly from: string; readonly to: string },
  moved: readonly PlacedPart[],
): Promise<void> {
  await inSqlTransaction(async (sql) => {
    await sql.query(
      `UPDATE archive_segments SET written_at = now(), checked_at = (
         SELECT checked_at FROM archive_segments WHERE project_id = $1 AND digest = $2)
       WHERE project_id = $1 AND digest = $3`,
      [projectId, digests.from, digests.to],
    )
    await sql.query(
      `UPDATE archived_sessions a SET segment = $3, start = n.start
       FROM unnest($4::text[], $5::int[]) AS n(id, start)
       WHERE a.session_id = n.id AND a.project_id = $1 AND a.segment = $2`,
      [
        projectId,
        digests.from,
        digests.to,
        moved.map(({ sessionId }) => sessionId),
        moved.map(({ start }) => start),
      ],
    )
  })
}

export async function deleteSegment({ projectId, digest }: Segment): Promise<void> {
  await database().pool.query(
    'DELETE FROM archive_segments WHERE project_id = $1 AND digest = $2',
    [projectId, digest],
  )
}

export async function listSegments(projectId: AuthorizedProjectId): Promise<readonly Segment[]> {
  return await readRows<Segment>(
    'SELECT project_id AS "projectId", digest FROM archive_segments WHERE project_id = $1',
    [projectId],
  )
}

export interface ArchiveSize {
  readonly sessions: number
  readonly events: number
  readonly bytes: number
}

export async function measureArchive(projectId: AuthorizedProjectId): Promise<ArchiveSize> {
  const [size] = await readRows<ArchiveSize>(
    `SELECT count(*)::int AS sessions, coalesce(sum(events), 0)::float8 AS events, coalesce(sum(bytes), 0)::float8 AS bytes
     FROM archived_sessions WHERE project_id = $1`,
    [projectId],
  )
  return size ?? { sessions: 0, events: 0, bytes: 0 }
}
