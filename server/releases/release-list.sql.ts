import 'server-only'
import {
  hostsPrompt,
  PARTLY_APPLIED,
  REPORTS,
  SHOWN_STATUS,
  STANDING,
  STANDING_JOINS,
} from '@/server/configs/release-standing.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import type { RowOf } from '@/server/platform/list/define-list.ts'
import { countedTerm, countedTermOn } from '@/server/platform/sql/counted-term.ts'
import { authorName, epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { sqlList } from '@/server/platform/sql/sql-list.ts'
import { RELEASES } from './releases.list.ts'

export type ListedRelease = RowOf<typeof RELEASES>

const PROMPT = "c.ns || '/' || c.key"

const IS_CURRENT = 'EXISTS (SELECT FROM environment_pointers o WHERE o.release_id = r.id)'

const JOINS = `JOIN configs c ON c.id = r.config_id JOIN environments e ON e.id = r.environment_id
  JOIN config_versions v ON v.id = r.version_id
  LEFT JOIN config_versions pv ON pv.id = r.previous_version_id
  ${STANDING_JOINS}`

export const releaseList = sqlList(RELEASES, {
  queries: () => REPORTS,
  // Left joins, because PostgreSQL omits those that no filter reads.
  tables: `releases r JOIN environments e ON e.id = r.environment_id LEFT JOIN configs c ON c.id = r.config_id
    LEFT JOIN config_versions v ON v.id = r.version_id`,
  row: 'r',
  joins: JOINS,
  columns: {
    id: 'r.id',
    prompt: PROMPT,
    ns: 'c.ns',
    key: 'c.key',
    environment: 'e.name',
    kind: 'r.kind::text',
    version: 'v.number',
    previousVersion: 'pv.number',
    ...STANDING,
    author: authorName('r.author_id'),
    note: 'r.note',
    revision: 'r.revision',
    createdAt: epochMs('r.created_at'),
  },
  params: {
    environment: (name, bind) => `e.name = ${bind(name)}`,
    // A release that another has followed cannot have the other states, so its reports are not counted.
    status: (status, bind) =>
      `${status === 'superseded' || status === 'rolled_back' ? '' : `${IS_CURRENT} AND `}
       (SELECT ${SHOWN_STATUS} FROM (SELECT) AS one ${STANDING_JOINS}) = ${bind(status)}`,
  },
  fields: {
    texts: {},
    choices: {},
    numbers: {},
    row: `${PROMPT} || ' v' || v.number || ' ' || coalesce(r.note, '')`,
  },
  orders: { newest: 'r.created_at', oldest: 'r.created_at' },
  range: 'r.created_at',
})

const MOST_IN_PROGRESS = 100

/** Current releases that a connected runtime rejected, or has not applied in a minute; newest first, at most 100. */
export async function listPartlyApplied(scope: ProjectScope): Promise<readonly ListedRelease[]> {
  return await readRows<ListedRelease>(
    `WITH ${REPORTS} SELECT ${releaseList.columns}
     FROM environments p JOIN environment_pointers o ON o.environment_id = p.id JOIN releases r ON r.id = o.release_id ${JOINS}
     WHERE p.project_id = $1 AND r.project_id = $1 AND ${PARTLY_APPLIED}
     ORDER BY r.created_at DESC, r.id DESC LIMIT ${MOST_IN_PROGRESS}`,
    [scope.projectId],
  )
}

export interface CountedApproval {
  readonly person_id: string
  readonly person: string | null
  readonly at: number
  readonly note: string | null
}

export interface ReleaseFacts extends ListedRelease {
  readonly configId: string
  readonly digest: string
  readonly approvals: readonly CountedApproval[]
  readonly approvalSkipped: boolean
  readonly acknowledged: readonly string[]
  readonly scheduleId: string | null
  readonly tighten: boolean
  readonly tightened: number
}

export async function findReleaseFacts(
  scope: ProjectScope,
  id: string,
): Promise<ReleaseFacts | null> {
  const rows = await readRows<ReleaseFacts>(
    `WITH ${REPORTS} SELECT ${releaseList.columns}, r.config_id AS "configId", v.digest, r.approvals, r.approval_skipped AS "approvalSkipped",
       r.acknowledged, r.schedule_id AS "scheduleId", r.tighten,
       CASE WHEN r.tighten THEN (SELECT count(*)::int FROM sessions s WHERE s.project_id = r.project_id AND s.ns = c.ns
         AND s.key = c.key AND s.environment = e.name AND s.governing_digest = v.digest AND s.config_digest <> v.digest
         AND ${countedTerm('s.id')})
         ELSE 0 END AS tightened
     FROM releases r ${JOINS} WHERE r.project_id = $1 AND r.id = $2`,
    [scope.projectId, id],
  )
  return rows[0] ?? null
}

/** One time per runtime that hosts the prompt, for the revision or a later one. Epoch ms, ascending, at most 2,000. */
export async function firstApplications(
  scope: ProjectScope,
  where: { readonly environment: string; readonly revision: number; readonly configId: string },
): Promise<readonly number[]> {
  const rows = await readRows<{ readonly at: number }>(
    `SELECT ${epochMs('min(a.applied_at)')} AS at FROM runtime_applications a
     JOIN runtimes y ON y.id = a.runtime_id JOIN configs c ON c.project_id = a.project_id AND c.id = $4
     WHERE a.project_id = $1 AND a.environment = $2 AND a.revision >= $3 AND a.applied_at IS NOT NULL AND ${hostsPrompt('y')}
     GROUP BY a.runtime_id ORDER BY 1 LIMIT 2000`,
    [scope.projectId, where.environment, where.revision, where.configId],
  )
  return rows.map(({ at }) => at)
}

export interface BehaviorBucket {
  readonly environment: string
  /** Start, epoch ms. */
  readonly at: number
  readonly sessions: number
  readonly calls: number
  readonly denied: number
  readonly stops: number
  readonly blocked: number
}

/** Sums over the sessions of the prompt that started in each bucket. Buckets without sessions are omitted. */
export async function loadBehavior(
  scope: ProjectScope,
  where: {
    readonly ns: string
    readonly key: string
    readonly since: number
    readonly bucketMs: number
  },
): Promise<readonly BehaviorBucket[]> {
  return await readRows<BehaviorBucket>(
    `SELECT environment, floor((extract(epoch FROM started_at) * 1000 - $4) / $5)::float8 * $5 + $4 AS at,
       count(*)::int AS sessions, sum(calls)::int AS calls, sum(denied)::int AS denied,
       sum(stop_attempts)::int AS stops, sum(stops_blocked)::int AS blocked
     FROM sessions WHERE project_id = $1 AND ns = $2 AND key = $3 AND ${countedTermOn(where.ns, 'id')}
       AND started_at >= to_timestamp($4::float8 / 1000)
     GROUP BY 1, 2 ORDER BY 1, 2`,
    [scope.projectId, where.ns, where.key, where.since, where.bucketMs],
  )
}
