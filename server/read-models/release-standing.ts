// Where a release stands: what took its place, and how many runtimes of its environment report that they run it. Joined to a list of
// releases in one statement; services/adoption.ts says what it means.
import 'server-only'
import { DISCONNECTED_AFTER_MS, STALE_AFTER_MS } from '../services/runtime-status.ts'
import { authorName, epochMs, readRows } from './rows.ts'

/** The release of the same config that took this one's place in its environment. */
export interface Successor {
  readonly kind: 'publish' | 'promote' | 'rollback'
  readonly version: number
  readonly author: string | null
  readonly at: number
}

export interface Rejection {
  readonly runtime: string
  /** Null: the runtime named none. */
  readonly reason: string | null
}

/** Counts of connected runtimes; a stale one counts only where it runs the release. All 0 once another release took its place. */
export interface AdoptionCounts {
  readonly applied: number
  readonly rejected: number
  readonly total: number
}

export interface StandingRow extends AdoptionCounts {
  /** Null while the release is current. */
  readonly successor: Successor | null
  /** Of those that rejected it, the first by name. */
  readonly rejection: Rejection | null
}

const silentFor = (ms: number): string => `now() - interval '${ms} milliseconds'`

/** A WITH query: what the runtimes of the project (`$1`) last reported, each distinct report once. */
export const REPORTS = `reports AS MATERIALIZED (
  SELECT environment, applied_revision, rejected_revision, last_seen_at >= ${silentFor(STALE_AFTER_MS)} AS is_heard,
    count(*)::int AS runtimes, min(ARRAY[name, rejected_reason] COLLATE "C") AS first
  FROM runtimes
  WHERE project_id = $1 AND stopped_at IS NULL AND last_seen_at >= ${silentFor(DISCONNECTED_AFTER_MS)}
  GROUP BY 1, 2, 3, 4)`

const NEXT = `SELECT json_build_object('kind', n.kind::text, 'version', nv.number, 'author', ${authorName('n.author_id')},
    'at', ${epochMs('n.created_at')}) AS successor
  FROM releases n JOIN config_versions nv ON nv.id = n.version_id
  WHERE n.environment_id = r.environment_id AND n.config_id = r.config_id AND n.revision > r.revision
  ORDER BY n.revision LIMIT 1`

const counted = (which: string): string => `coalesce(sum(runtimes) FILTER (WHERE ${which}), 0)::int`

/** Behind `REPORTS`, a release `r` and its environment `e`. */
export const STANDING_JOINS = `LEFT JOIN LATERAL (${NEXT}) next ON true
  LEFT JOIN LATERAL (
    SELECT ${counted('runs_it')} AS applied, ${counted('refused')} AS rejected, ${counted('runs_it OR is_heard')} AS total,
      min(first) FILTER (WHERE refused) AS first
    FROM reports
    CROSS JOIN LATERAL (SELECT coalesce(applied_revision >= r.revision, false) AS runs_it) runs
    CROSS JOIN LATERAL (SELECT is_heard AND NOT runs_it AND coalesce(rejected_revision >= r.revision, false) AS refused) refuses
    WHERE reports.environment = e.name
  ) told ON next.successor IS NULL`

export const STANDING_COLUMNS = `next.successor, coalesce(told.applied, 0) AS applied, coalesce(told.rejected, 0) AS rejected,
  coalesce(told.total, 0) AS total, CASE WHEN told.first IS NOT NULL
    THEN json_build_object('runtime', told.first[1], 'reason', told.first[2]) END AS rejection`

/** Null while the release is current. */
export async function findSuccessor(
  projectId: string,
  releaseId: string,
): Promise<Successor | null> {
  const rows = await readRows<{ readonly successor: Successor }>(
    `SELECT next.successor FROM releases r CROSS JOIN LATERAL (${NEXT}) next WHERE r.project_id = $1 AND r.id = $2`,
    [projectId, releaseId],
  )
  return rows[0]?.successor ?? null
}
