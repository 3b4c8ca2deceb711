// Neighbors of a stop or a denial in a list of its kind, newest first: two index look-ups, for a list of any length.
import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { countedTerm } from '@/server/platform/sql/counted-term.ts'
import { readRows } from '@/server/platform/sql/rows.ts'

export interface Neighbors {
  /** Null: it is the newest, or the oldest. */
  readonly newer: string | null
  readonly older: string | null
}

interface Beside {
  readonly id: string
  readonly at: number
}

const NONE: Neighbors = { newer: null, older: null }

export async function findStopsBeside(
  projectId: AuthorizedProjectId,
  { id, at }: Beside,
): Promise<Neighbors> {
  const side = (sign: '<' | '>', order: 'ASC' | 'DESC'): string =>
    `SELECT c.id FROM unnest(ARRAY['blocked', 'error']) AS v(verdict) CROSS JOIN LATERAL (
       SELECT id, at FROM stops WHERE project_id = $1 AND verdict = v.verdict AND ${countedTerm('session_id')}
         AND (at, id) ${sign} (to_timestamp($2::float8 / 1000), $3) ORDER BY at ${order}, id ${order} LIMIT 1) AS c
     ORDER BY c.at ${order}, c.id ${order} LIMIT 1`
  const rows = await readRows<Neighbors>(
    `SELECT (${side('>', 'ASC')}) AS newer, (${side('<', 'DESC')}) AS older`,
    [projectId, at, id],
  )
  return rows[0] ?? NONE
}

export async function findDenialsBeside(
  projectId: AuthorizedProjectId,
  { id, at }: Beside,
): Promise<Neighbors> {
  const side = (sign: '<' | '>', order: 'ASC' | 'DESC'): string =>
    `SELECT id FROM denials WHERE project_id = $1 AND ${countedTerm('session_id')} AND (at, id) ${sign} (to_timestamp($2::float8 / 1000), $3)
     ORDER BY at ${order}, id ${order} LIMIT 1`
  const rows = await readRows<Neighbors>(
    `SELECT (${side('>', 'ASC')}) AS newer, (${side('<', 'DESC')}) AS older`,
    [projectId, at, id],
  )
  return rows[0] ?? NONE
}
