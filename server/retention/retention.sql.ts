// Marks sessions first, then removes their events. Each step can be interrupted and repeated.
import 'server-only'
import { type OldSession, ROWS_MAY_GO } from '@/server/archive/archive.sql.ts'
import { systemProject } from '@/server/platform/auth/system.ts'
import { database } from '@/server/platform/db/client.ts'
import { inSqlTransaction } from '@/server/platform/db/sql-transaction.ts'
import type { Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { freshId } from '@/server/platform/ids.ts'

/** In days. Null: forever. */
export interface RetentionRule {
  /** Null: events are not archived. */
  readonly archiveDays: number | null
  readonly eventsDays: number | null
  readonly decisionsDays: number | null
}

const KEEP_ALL: RetentionRule = { archiveDays: null, eventsDays: null, decisionsDays: null }

export interface ProjectRule extends RetentionRule {
  readonly projectId: AuthorizedProjectId
}

async function rows<Row extends object>(
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  return (await database().pool.query(text, [...values])).rows
}

export async function findRule(projectId: AuthorizedProjectId, tx?: Tx): Promise<RetentionRule> {
  const { prisma } = database()
  const row = await (tx ?? prisma).retentionRule.findUnique({ where: { projectId } })
  return row ?? KEEP_ALL
}

export async function writeRule(
  tx: Tx,
  { projectId, archiveDays, eventsDays, decisionsDays }: ProjectRule,
): Promise<void> {
  const rule = { archiveDays, eventsDays, decisionsDays, updatedAt: new Date() }
  await tx.retentionRule.upsert({
    where: { projectId },
    create: { projectId, ...rule },
    update: rule,
  })
}

export async function listRules(): Promise<readonly ProjectRule[]> {
  const rules = await rows<RetentionRule & { readonly projectId: string }>(
    `SELECT project_id AS "projectId", archive_days AS "archiveDays", events_days AS "eventsDays",
       decisions_days AS "decisionsDays"
     FROM retention_rules WHERE events_days IS NOT NULL OR archive_days IS NOT NULL`,
  )
  return rules.map(({ projectId, ...rule }) => ({ projectId: systemProject(projectId), ...rule }))
}

/** SQL condition: the session has ended, or no event arrived for a day, so it is not expected to continue. */
const IS_OVER = `(s.ended_at IS NOT NULL OR s.received_at < now() - interval '1 day')`

/** SQL condition: the session is older than `days` (`$2`) full days in UTC. */
const IS_OLD = `s.partition_day < (now() AT TIME ZONE 'utc')::date - $2::int`

export interface RetentionCount {
  readonly sessions: number
  readonly events: number
}

export interface OldRecords extends RetentionCount {
  /** Part of `events` that are rows. */
  readonly rows: number
  readonly archivedBytes: number
}

/** Counts the stored records that removal after `days` days would delete. Events are counted by the sessions' own numbers. */
export async function countOlder(
  projectId: AuthorizedProjectId,
  days: number,
  kind: 'events' | 'decisions',
): Promise<OldRecords> {
  const still = kind === 'events' ? 'AND s.events_removed_at IS NULL' : ''
  const [count] = await rows<OldRecords>(
    `SELECT count(*)::int AS sessions,
       coalesce(sum(s.max_seq) FILTER (WHERE s.events_removed_at IS NULL), 0)::float8 AS events,
       coalesce(sum(s.max_seq) FILTER (WHERE s.events_removed_at IS NULL AND s.archived_at IS NULL), 0)::float8 AS rows,
       coalesce(sum(a.bytes) FILTER (WHERE s.archived_at IS NOT NULL), 0)::float8 AS "archivedBytes"
     FROM sessions s LEFT JOIN archived_sessions a ON a.session_id = s.id
     WHERE s.project_id = $1 AND ${IS_OLD} AND ${IS_OVER} ${still}`,
    [projectId, days],
  )
  return count ?? NO_RECORDS
}

export const NO_RECORDS: OldRecords = { sessions: 0, events: 0, rows: 0, archivedBytes: 0 }

/** `bytesPerEvent`: by PostgreSQL's own counts of rows, because no statement reads two projects; null: it has counted none yet. */
export async function measureRecords(
  projectId: AuthorizedProjectId,
): Promise<RetentionCount & { readonly bytesPerEvent: number | null }> {
  const [size] = await rows<RetentionCount & { bytesPerEvent: number | null }>(
    `SELECT (SELECT count(*)::int FROM sessions WHERE project_id = $1) AS sessions,
       (SELECT coalesce(sum(max_seq), 0)::float8 FROM sessions WHERE project_id = $1 AND events_removed_at IS NULL) AS events,
       (SELECT sum(pg_total_relation_size(i.inhrelid))::float8 FROM pg_inherits i WHERE i.inhparent = 'session_events'::regclass)
         / nullif((SELECT sum(greatest(c.reltuples, pg_stat_get_live_tuples(c.oid))) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
           WHERE i.inhparent = 'session_events'::regclass), 0)::float8 AS "bytesPerEvent"`,
    [projectId],
  )
  return size ?? { sessions: 0, events: 0, bytesPerEvent: null }
}

/** Sessions per statement, so that none holds locks for long. */
export const BATCH = 500

/** Marks at most one batch of sessions whose events are too old. Ingestion waits for it and then finds the mark. */
export async function markOld(projectId: AuthorizedProjectId, days: number): Promise<number> {
  const { rowCount } = await database().pool.query(
    `WITH batch AS (
       SELECT s.id FROM sessions s WHERE s.project_id = $1 AND ${IS_OLD} AND ${IS_OVER} AND s.events_removed_at IS NULL
       ORDER BY s.id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
     ), folded AS (DELETE FROM session_snapshots f USING batch b WHERE f.session_id = b.id),
     archived AS (DELETE FROM archived_sessions a USING batch b WHERE a.session_id = b.id),
     found AS (DELETE FROM preventions p USING batch b WHERE p.session_id = b.id)
     UPDATE sessions s SET events_removed_at = now(), events_removed_days = $2, archived_at = NULL FROM batch b WHERE s.id = b.id`,
    [projectId, days],
  )
  return rowCount ?? 0
}

/** What was learned from sessions of that age: counts, found rules, and changes that would refuse an example. By age, because a search may have written them since. */
export async function deleteLearned(projectId: AuthorizedProjectId, days: number): Promise<void> {
  await database().pool.query(
    `WITH age AS (SELECT now() - make_interval(days => $2::int) AS oldest),
     counted AS (DELETE FROM learn_counts c USING age WHERE c.project_id = $1 AND c.day < age.oldest::date),
     changes AS (DELETE FROM preventions p USING age WHERE p.project_id = $1 AND p.example IS NOT NULL AND p.created_at < age.oldest)
     UPDATE learn_runs r SET findings = NULL FROM age
     WHERE r.project_id = $1 AND (r.findings->>'at')::float8 < extract(epoch FROM age.oldest) * 1000`,
    [projectId, days],
  )
}

/** Sessions per list, because each list sorts all sessions of its day. */
const LISTED = 20_000

/** Omits sessions that a job has yet to count, that wait for an approval, and that came back from the archive within a day. */
export async function listArchivable(
  projectId: AuthorizedProjectId,
  days: number,
  after: Pick<OldSession, 'day' | 'id'>,
): Promise<readonly OldSession[]> {
  return await rows<OldSession>(
    `SELECT s.id, s.partition_day::text AS day, s.max_seq AS "maxSeq", s.received_at::text AS "receivedAt" FROM sessions s
     WHERE s.project_id = $1 AND ${IS_OLD} AND ${IS_OVER} AND s.events_removed_at IS NULL AND s.archived_at IS NULL
       AND s.rolled_seq >= s.contiguous_seq AND s.listed_seq >= s.rolled_seq
       AND (s.partition_day, s.id) > ($3::date, $4)
       AND NOT EXISTS (SELECT 1 FROM archived_sessions a WHERE a.session_id = s.id AND a.recalled_at > now() - interval '1 day')
       AND NOT EXISTS (SELECT 1 FROM call_approvals c WHERE c.session_id = s.id AND c.decision IS NULL AND c.outcome IS NULL
         AND c.waits_until > now())
     ORDER BY s.partition_day, s.id LIMIT ${LISTED}`,
    [projectId, days, after.day, after.id],
  )
}

interface Partition {
  readonly name: string
  readonly day: string
}

/** Days before yesterday that have events, oldest first: only old sessions still add events to them. */
export async function listOldPartitions(): Promise<readonly Partition[]> {
  const found = await rows<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'session_events'::regclass
       AND c.relname < 'session_events_' || to_char((now() AT TIME ZONE 'utc')::date - 1, 'YYYYMMDD') ORDER BY 1`,
  )
  return found.flatMap(({ name }) => {
    const [, year, month, day] = /^session_events_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? []
    return day === undefined ? [] : [{ name, day: `${year}-${month}-${day}` }]
  })
}

/** Drops the day's partition when no row of it is needed. False: some are, or the table is in use. */
export async function dropWhole({ name, day }: Partition): Promise<boolean> {
  try {
    return await inSqlTransaction(async (sql) => {
      const isNeeded = async (): Promise<boolean> => {
        const kept = await sql.query(
          `SELECT 1 FROM sessions s WHERE s.partition_day = $1::date AND NOT ${ROWS_MAY_GO} LIMIT 1`,
          [day],
        )
        return kept.length > 0
      }
      if (await isNeeded()) return false
      // It locks the whole table for a moment. Fail soon rather than wait for a long read, which would block every writer.
      await sql.query("SET LOCAL lock_timeout = '1s'", [])
      await sql.query('LOCK TABLE ONLY session_events IN ACCESS EXCLUSIVE MODE', [])
      // A session that came back from the archive before the lock has rows here.
      if (await isNeeded()) return false
      await sql.query(`DROP TABLE IF EXISTS "${name}"`, [])
      return true
    })
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

function isLockTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === '55P03'
}

/** Deletes unneeded events on a day of which others are needed; at most one batch of sessions. Returns the number of events. */
export async function deleteUnneeded({ day }: Partition): Promise<number> {
  const { rowCount } = await database().pool.query(
    `DELETE FROM session_events e USING (
       SELECT s.id FROM sessions s WHERE s.partition_day = $1::date AND ${ROWS_MAY_GO}
         AND EXISTS (SELECT 1 FROM session_events x WHERE x.partition_day = $1::date AND x.session_id = s.id)
       LIMIT ${BATCH} FOR UPDATE OF s SKIP LOCKED) batch
     WHERE e.partition_day = $1::date AND e.session_id = batch.id`,
    [day],
  )
  return rowCount ?? 0
}

/** Deletes the other records of at most one batch of sessions whose events are already deleted. Returns the number of sessions. */
export async function deleteDecisions(
  projectId: AuthorizedProjectId,
  days: number,
): Promise<number> {
  const of = (table: string): string =>
    `${table}_gone AS (DELETE FROM ${table} x USING batch b WHERE x.session_id = b.id)`
  const { rowCount } = await database().pool.query(
    `WITH batch AS (
       SELECT s.id FROM sessions s WHERE s.project_id = $1 AND ${IS_OLD} AND s.events_removed_at IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM session_events e WHERE e.partition_day = s.partition_day AND e.session_id = s.id)
       ORDER BY s.id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
     ), ${['stops', 'denials', 'deliveries', 'call_approvals', 'session_orders', 'shadow_differences', 'shadow_sessions', 'rollout_sessions', 'annotations', 'session_labels', 'preventions'].map(of).join(', ')}
     DELETE FROM sessions s USING batch b WHERE s.id = b.id`,
    [projectId, days],
  )
  return rowCount ?? 0
}

export async function deleteApplications(
  projectId: AuthorizedProjectId,
  days: number,
): Promise<void> {
  await database().pool.query(
    `DELETE FROM runtime_applications WHERE project_id = $1
     AND greatest(applied_at, rejected_at) < now() - make_interval(days => $2::int)`,
    [projectId, days],
  )
}

export interface Removal {
  readonly at: number
  readonly kind: 'events' | 'decisions'
  readonly days: number
  readonly sessions: number
}

export async function recordRemoval(
  projectId: AuthorizedProjectId,
  { kind, days, sessions }: Omit<Removal, 'at'>,
): Promise<void> {
  await database().prisma.retentionRemoval.create({
    data: { id: freshId('rem'), projectId, kind, days, sessions },
  })
}

/** Newest first, at most 50. */
export async function listRemovals(projectId: AuthorizedProjectId): Promise<readonly Removal[]> {
  return await rows<Removal>(
    `SELECT (extract(epoch FROM at) * 1000)::float8 AS at, kind, days, sessions FROM retention_removals
     WHERE project_id = $1 ORDER BY at DESC LIMIT 50`,
    [projectId],
  )
}
