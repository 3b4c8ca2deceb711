// Stop attempts of a project: grouped by verdict and reason code (400 blocked stops are a handful of reasons), or one by one
// in keyset pages over (at, id).
import 'server-only'
import { cursorOf, type Place } from './keyset.ts'
import { epochMs, readRows } from './rows.ts'

export type StopVerdictName = 'allowed' | 'blocked' | 'bypassed' | 'no_checker' | 'error'

export interface StopFacts {
  readonly id: string
  readonly sessionId: string
  readonly seq: number
  readonly attempt: number
  readonly at: number
  readonly environment: string
  readonly ns: string
  readonly key: string
  readonly via: string
  readonly verdict: StopVerdictName
  readonly bypass: 'deadline' | 'budget' | 'max_blocks' | null
  readonly code: string
  readonly reason: string
}

export interface StopGroup {
  readonly verdict: StopVerdictName
  readonly code: string
  /** Of the newest stop in the group. */
  readonly reason: string
  readonly newestId: string
  readonly stops: number
  readonly sessions: number
  readonly firstAt: number
  readonly lastAt: number
  /** Sessions of the group in which a later stop was allowed. */
  readonly allowedLater: number
}

export interface StopFilter {
  readonly environment?: string | undefined
  readonly verdict?: StopVerdictName | undefined
  readonly code?: string | undefined
  /** Epoch ms; only stops from then on. */
  readonly since?: number | undefined
}

export const STOP_COLUMNS = `id, session_id AS "sessionId", seq, attempt, ${epochMs('at')} AS at, environment, ns, key,
  via, verdict, bypass, code, reason`

function whereOf(projectId: string, filter: StopFilter) {
  const values: unknown[] = [projectId]
  const terms = ['project_id = $1']
  const bind = (value: unknown): string => `$${values.push(value)}`
  if (filter.environment !== undefined) terms.push(`environment = ${bind(filter.environment)}`)
  if (filter.verdict !== undefined) terms.push(`verdict = ${bind(filter.verdict)}`)
  if (filter.code !== undefined) terms.push(`code = ${bind(filter.code)}`)
  if (filter.since !== undefined) {
    terms.push(`at >= to_timestamp(${bind(filter.since)}::float8 / 1000)`)
  }
  return { text: terms.join(' AND '), values }
}

/** Most stops first, allowed ones last; at most 100 groups. */
export async function groupStops(
  projectId: string,
  filter: StopFilter,
): Promise<readonly StopGroup[]> {
  const { text, values } = whereOf(projectId, filter)
  return await readRows<StopGroup>(
    `WITH chosen AS (SELECT * FROM stops WHERE ${text}),
     released AS (SELECT session_id, max(seq) AS seq FROM stops
       WHERE project_id = $1 AND verdict = 'allowed' GROUP BY session_id)
     SELECT c.verdict, c.code, (array_agg(c.reason ORDER BY c.at DESC, c.id DESC))[1] AS reason,
       (array_agg(c.id ORDER BY c.at DESC, c.id DESC))[1] AS "newestId",
       count(*)::int AS stops, count(DISTINCT c.session_id)::int AS sessions,
       ${epochMs('min(c.at)')} AS "firstAt", ${epochMs('max(c.at)')} AS "lastAt",
       (count(DISTINCT c.session_id) FILTER (WHERE r.seq > c.seq))::int AS "allowedLater"
     FROM chosen c LEFT JOIN released r ON r.session_id = c.session_id
     GROUP BY c.verdict, c.code ORDER BY c.verdict = 'allowed', stops DESC, c.verdict, c.code LIMIT 100`,
    values,
  )
}

export interface StopPage {
  readonly stops: readonly StopFacts[]
  readonly nextCursor: string | null
}

export async function listStops(
  projectId: string,
  filter: StopFilter,
  page: { readonly after: Place | null; readonly limit: number },
): Promise<StopPage> {
  const { text, values } = whereOf(projectId, filter)
  const bound = [...values]
  let behind = ''
  if (page.after !== null) {
    bound.push(page.after.at, page.after.id)
    behind = `AND (at, id) < (to_timestamp($${bound.length - 1}::float8 / 1000), $${bound.length})`
  }
  bound.push(page.limit + 1)
  const rows = await readRows<StopFacts>(
    `SELECT ${STOP_COLUMNS} FROM stops WHERE ${text} ${behind} ORDER BY at DESC, id DESC LIMIT $${bound.length}`,
    bound,
  )
  const stops = rows.slice(0, page.limit)
  const last = rows.length > page.limit ? stops.at(-1) : undefined
  return { stops, nextCursor: last === undefined ? null : cursorOf(last) }
}
