// Stop attempts of a project one by one, in keyset pages over (at, id).
import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/auth/scope.ts'
import {
  type FilterFields,
  type FilterTerm,
  filterTerms,
} from '@/server/platform/sql/filter-terms.ts'
import { cursorOf, type Place, type PromptPlace } from '@/server/platform/sql/keyset.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { promptTerms } from '@/server/sessions/prompt-terms.sql.ts'
import {
  importedTerm,
  OF_SESSION,
  VERSION_OF_DIGEST,
} from '@/server/sessions/recorded-fields.sql.ts'

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

export interface StopFilter {
  readonly environment?: string | undefined
  readonly verdict?: StopVerdictName | undefined
  readonly code?: string | undefined
  readonly prompt?: PromptPlace | undefined
  /** Number of a version of the prompt; nothing without one. */
  readonly version?: number | undefined
  /** Epoch ms; only stops from then on, and before `until`. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** All of them. */
  readonly terms?: readonly FilterTerm[] | undefined
}

const PROMPT = "ns || '/' || key"

/** Of the filter text, over `stops`; `$1` is the project. */
const FIELDS: FilterFields = {
  texts: { code: 'code', check: 'checker', prompt: PROMPT, env: 'environment', ...OF_SESSION },
  choices: {
    verdict: (verdict, bind) => `verdict = ${bind(verdict.replaceAll('-', '_'))}`,
    bypass: (bypass, bind) => `bypass = ${bind(bypass.replaceAll('-', '_'))}`,
    imported: importedTerm('session_id'),
    via: (via, bind) => `via = ${bind(via.replaceAll('-', '_'))}`,
  },
  numbers: { version: VERSION_OF_DIGEST, attempt: 'attempt', attempts: 'until', at: epochMs('at') },
  row: `reason || ' ' || code || ' ' || ${PROMPT}`,
}

export const STOP_COLUMNS = `id, session_id AS "sessionId", seq, attempt, ${epochMs('at')} AS at, environment, ns, key,
  via, verdict, bypass, code, reason`

/** Stop attempts over `stops`, `$1` the project. Final verifications are left out unless the filter names how stops were attempted. */
export function stopTerms(filter: StopFilter, bind: (value: unknown) => string): readonly string[] {
  const terms = ['project_id = $1']
  if (!(filter.terms ?? []).some(({ field }) => field === 'via')) terms.push("via <> 'final'")
  if (filter.environment !== undefined) terms.push(`environment = ${bind(filter.environment)}`)
  if (filter.verdict !== undefined) terms.push(`verdict = ${bind(filter.verdict)}`)
  if (filter.code !== undefined) terms.push(`code = ${bind(filter.code)}`)
  terms.push(...promptTerms(filter, bind))
  terms.push(...filterTerms(filter.terms ?? [], FIELDS, bind))
  if (filter.since !== undefined) {
    terms.push(`at >= to_timestamp(${bind(filter.since)}::float8 / 1000)`)
  }
  if (filter.until !== undefined) {
    terms.push(`at < to_timestamp(${bind(filter.until)}::float8 / 1000)`)
  }
  return terms
}

export function whereOfStops(projectId: AuthorizedProjectId, filter: StopFilter) {
  const values: unknown[] = [projectId]
  const bind = (value: unknown): string => `$${values.push(value)}`
  return { text: stopTerms(filter, bind).join(' AND '), values, bind }
}

export interface StopPage {
  readonly stops: readonly StopFacts[]
  readonly nextCursor: string | null
}

export async function listStops(
  projectId: AuthorizedProjectId,
  filter: StopFilter,
  page: { readonly after: Place | null; readonly limit: number },
): Promise<StopPage> {
  const { text, values } = whereOfStops(projectId, filter)
  const bound = [...values]
  let behind = ''
  if (page.after !== null) {
    bound.push(page.after.at, page.after.id)
    behind = `AND (at, id) < (to_timestamp($${bound.length - 1}::float8 / 1000), $${bound.length})`
  }
  bound.push(page.limit + 1)
  // By the column: `at` alone would be the number that is selected, which no index holds.
  const rows = await readRows<StopFacts>(
    `SELECT ${STOP_COLUMNS} FROM stops WHERE ${text} ${behind}
     ORDER BY stops.at DESC, stops.id DESC LIMIT $${bound.length}`,
    bound,
  )
  const stops = rows.slice(0, page.limit)
  const last = rows.length > page.limit ? stops.at(-1) : undefined
  return { stops, nextCursor: last === undefined ? null : cursorOf(last) }
}
