// A release is live when every connected runtime that hosts its prompt reports that it applied the release's revision or a later one, or
// when such a runtime applied it and has left since (specs/releases.md). Bundles that were only sent do not count.
import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { authorName, epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { selectColumns } from '@/server/platform/sql/sql-list.ts'
import { DISCONNECTED_AFTER_MS, STALE_AFTER_MS } from '@/server/runtimes/runtime-status.ts'

export interface Successor {
  readonly id: string
  readonly kind: 'publish' | 'promote' | 'rollback'
  readonly version: number
  readonly author: string | null
  readonly note: string | null
  readonly at: number
}

export interface LastApplied {
  readonly runtime: string
  readonly at: number
}

export interface Rejection {
  readonly id: string
  readonly runtime: string
  /** Null: the runtime gave none. */
  readonly reason: string | null
}

/** A stale runtime counts only if it runs the release. All 0 once another release has followed. */
export interface AdoptionCounts {
  readonly applied: number
  readonly rejected: number
  readonly total: number
}

/** Time in which runtimes normally apply a release. One that has not by then is reported like one that rejected it. */
const PROMPTLY = "interval '60 seconds'"

/** `waiting`: no runtime that hosts the prompt is connected, and none has applied it. */
export type ReleaseStatus =
  | 'publishing'
  | 'waiting'
  | 'live'
  | 'partial'
  | 'superseded'
  | 'rolled_back'

export interface Standing extends AdoptionCounts {
  readonly status: ReleaseStatus
  /** The release is older than a minute. */
  readonly isLate: boolean
  /** Null while the release is current. */
  readonly successor: Successor | null
  /** Rejection by the runtime whose name sorts first. */
  readonly rejection: Rejection | null
  /** Newest application by a runtime that has left; null: one is connected, or none ever applied it. */
  readonly lastApplied: LastApplied | null
}

const silentFor = (ms: number): string => `now() - interval '${ms} milliseconds'`

/** WITH query for the last reports of the project's (`$1`) runtimes, each distinct report once. */
export const REPORTS = `reports AS MATERIALIZED (
  SELECT environment, prompts, applied_revision, rejected_revision, last_seen_at >= ${silentFor(STALE_AFTER_MS)} AS is_heard,
    count(*)::int AS runtimes, min(ARRAY[name, rejected_reason, id] COLLATE "C") AS first
  FROM runtimes
  WHERE project_id = $1 AND stopped_at IS NULL AND last_seen_at >= ${silentFor(DISCONNECTED_AFTER_MS)}
  GROUP BY 1, 2, 3, 4, 5)`

const NEXT = `SELECT json_build_object('id', n.id, 'kind', n.kind::text, 'version', nv.number, 'author', ${authorName('n.author_id')},
    'note', n.note, 'at', ${epochMs('n.created_at')}) AS successor
  FROM releases n JOIN config_versions nv ON nv.id = n.version_id
  WHERE n.environment_id = r.environment_id AND n.config_id = r.config_id AND n.revision > r.revision
  ORDER BY n.revision LIMIT 1`

const counted = (which: string): string => `coalesce(sum(runtimes) FILTER (WHERE ${which}), 0)::int`

export const hostsPrompt = (row: string): string => `c.ns || '/' || c.key = ANY(${row}.prompts)`

/** Joins that need `REPORTS`, a release `r`, its environment `e` and its config `c`. */
export const STANDING_JOINS = `LEFT JOIN LATERAL (${NEXT}) next ON true
  LEFT JOIN LATERAL (
    SELECT ${counted('runs_it')} AS applied, ${counted('refused')} AS rejected, ${counted('runs_it OR is_heard')} AS total,
      min(first) FILTER (WHERE refused) AS first
    FROM reports
    CROSS JOIN LATERAL (SELECT coalesce(applied_revision >= r.revision, false) AS runs_it) runs
    CROSS JOIN LATERAL (SELECT is_heard AND NOT runs_it AND coalesce(rejected_revision >= r.revision, false) AS refused) refuses
    WHERE reports.environment = e.name AND ${hostsPrompt('reports')}
  ) told ON next.successor IS NULL
  LEFT JOIN LATERAL (
    SELECT json_build_object('runtime', y.name, 'at', ${epochMs('a.applied_at')}) AS applied
    FROM runtime_applications a JOIN runtimes y ON y.id = a.runtime_id
    WHERE next.successor IS NULL AND coalesce(told.total, 0) = 0 AND a.project_id = $1 AND a.environment = e.name
      AND a.revision >= r.revision AND a.applied_at IS NOT NULL AND ${hostsPrompt('y')}
    ORDER BY a.applied_at DESC LIMIT 1
  ) last ON true`

const STATUS = `CASE
  WHEN next.successor ->> 'kind' = 'rollback' THEN 'rolled_back'
  WHEN next.successor IS NOT NULL THEN 'superseded'
  WHEN coalesce(told.total, 0) = 0 AND last.applied IS NULL THEN 'waiting'
  WHEN coalesce(told.total, 0) = 0 OR told.applied = told.total THEN 'live'
  WHEN told.rejected > 0 THEN 'partial'
  ELSE 'publishing' END`

const IS_LATE = `(r.created_at < now() - ${PROMPTLY})`

/** Condition for the releases that the console calls partly applied. */
export const PARTLY_APPLIED = `(CASE ${STATUS} WHEN 'partial' THEN true WHEN 'publishing' THEN ${IS_LATE} ELSE false END)`

/** The state that the console shows: a release that is applied late is partly applied. */
export const SHOWN_STATUS = `(CASE WHEN ${PARTLY_APPLIED} THEN 'partial' ELSE ${STATUS} END)`

export const STANDING = {
  status: STATUS,
  isLate: IS_LATE,
  successor: 'next.successor',
  applied: 'coalesce(told.applied, 0)',
  rejected: 'coalesce(told.rejected, 0)',
  total: 'coalesce(told.total, 0)',
  rejection: `CASE WHEN told.first IS NOT NULL
    THEN json_build_object('id', told.first[3], 'runtime', told.first[1], 'reason', told.first[2]) END`,
  lastApplied: 'last.applied',
} as const satisfies Record<keyof Standing, string>

export const STANDING_COLUMNS = selectColumns(STANDING)

export async function findStanding(
  projectId: AuthorizedProjectId,
  releaseId: string,
): Promise<(Standing & { readonly ns: string; readonly key: string }) | null> {
  const rows = await readRows<Standing & { readonly ns: string; readonly key: string }>(
    `WITH ${REPORTS} SELECT c.ns, c.key, ${STANDING_COLUMNS}
     FROM releases r JOIN configs c ON c.id = r.config_id JOIN environments e ON e.id = r.environment_id
     ${STANDING_JOINS}
     WHERE r.project_id = $1 AND r.id = $2`,
    [projectId, releaseId],
  )
  return rows[0] ?? null
}
