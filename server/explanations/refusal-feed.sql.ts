// Keyset pages over (at, id). Each page reads one page of each table by its index.
import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { countedTerm } from '@/server/platform/sql/counted-term.ts'
import { formatCursor, type Place } from '@/server/platform/sql/keyset.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'

export interface Refusal {
  /** `dec_…` or `stop_…`, the id of its explanation. */
  readonly id: string
  readonly kind: 'call' | 'stop'
  readonly sessionId: string
  readonly seq: number
  readonly at: number
  readonly environment: string
  readonly ns: string
  readonly key: string
  /** Null for a stop. */
  readonly tool: string | null
  /** `error`: it could not be evaluated, so it was refused. */
  readonly verdict: 'denied' | 'blocked' | 'error'
  readonly reason: string
}

export interface RefusalFeedFilter {
  readonly environment?: string | undefined
  readonly session?: string | undefined
}

export interface RefusalPage {
  readonly refusals: readonly Refusal[]
  readonly nextCursor: string | null
}

export async function listRefusals(
  projectId: AuthorizedProjectId,
  filter: RefusalFeedFilter,
  page: { readonly after: Place | null; readonly limit: number },
): Promise<RefusalPage> {
  const values: unknown[] = [projectId]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const terms = ['project_id = $1']
  if (filter.environment !== undefined) terms.push(`environment = ${bind(filter.environment)}`)
  terms.push(
    filter.session === undefined
      ? countedTerm('session_id')
      : `session_id = ${bind(filter.session)}`,
  )
  if (page.after !== null) {
    const { at, id } = page.after
    terms.push(`(at, id) < (to_timestamp(${bind(at)}::float8 / 1000), ${bind(id)})`)
  }
  const where = terms.join(' AND ')
  const limit = bind(page.limit + 1)
  const common = 'id, session_id, seq, at, environment, ns, key, reason'
  const rows = await readRows<Refusal>(
    `SELECT id, kind, session_id AS "sessionId", seq, ${epochMs('at')} AS at, environment, ns, key, tool, verdict, reason
     FROM (
       (SELECT ${common}, 'call' AS kind, tool, decision AS verdict FROM denials WHERE ${where}
        ORDER BY at DESC, id DESC LIMIT ${limit})
       UNION ALL
       (SELECT ${common}, 'stop', NULL, verdict FROM stops WHERE ${where} AND verdict IN ('blocked', 'error') AND via <> 'final'
        ORDER BY at DESC, id DESC LIMIT ${limit})
     ) AS refused ORDER BY at DESC, id DESC LIMIT ${limit}`,
    values,
  )
  const refusals = rows.slice(0, page.limit)
  const last = rows.length > page.limit ? refusals.at(-1) : undefined
  return { refusals, nextCursor: last === undefined ? null : formatCursor(last) }
}
