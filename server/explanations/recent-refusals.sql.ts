import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { countedTermOn } from '@/server/platform/sql/counted-term.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { STOP_COLUMNS, type StopFacts } from './stop-list.sql.ts'

export interface RecentDenial {
  readonly id: string
  readonly sessionId: string
  readonly seq: number
  readonly at: number
  readonly environment: string
  readonly tool: string
  /** denied | error */
  readonly decision: 'denied' | 'error'
  readonly rule: string
  readonly reason: string
}

export interface RefusalFilter {
  readonly ns: string
  readonly key: string
  /** Null: all environments. */
  readonly environment: string | null
}

const MOST = 10

/** Newest first, at most 10. `rule` not null: only of this rule. */
export async function listRecentDenials(
  projectId: AuthorizedProjectId,
  { ns, key, environment, rule }: RefusalFilter & { readonly rule: string | null },
): Promise<readonly RecentDenial[]> {
  const bound = [projectId, ns, key, environment]
  const ruleFilter = rule === null ? '' : `AND rule = $${bound.push(rule)}`
  return await readRows<RecentDenial>(
    `SELECT id, session_id AS "sessionId", seq, ${epochMs('at')} AS at, environment, tool, decision, rule, reason
     FROM denials WHERE project_id = $1 AND ns = $2 AND key = $3 AND ($4::text IS NULL OR environment = $4) ${ruleFilter}
       AND ${countedTermOn(ns, 'session_id')}
     ORDER BY at DESC, id DESC LIMIT ${MOST}`,
    bound,
  )
}

/** Stops that were blocked or could not be evaluated, newest first, at most 10. */
export async function listRefusedStops(
  projectId: AuthorizedProjectId,
  { ns, key, environment }: RefusalFilter,
): Promise<readonly StopFacts[]> {
  const newest = (verdict: 'blocked' | 'error') => `(SELECT ${STOP_COLUMNS} FROM stops
    WHERE project_id = $1 AND ns = $2 AND key = $3 AND verdict = '${verdict}' AND via <> 'final' AND ($4::text IS NULL OR environment = $4)
      AND ${countedTermOn(ns, 'session_id')}
    ORDER BY stops.at DESC, stops.id DESC LIMIT ${MOST})`
  return await readRows<StopFacts>(
    `SELECT * FROM (${newest('blocked')} UNION ALL ${newest('error')}) AS refused
     ORDER BY at DESC, id DESC LIMIT ${MOST}`,
    [projectId, ns, key, environment],
  )
}
