// Calls of a project that were not let through, newest first, in keyset pages over (at, id).
import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/auth/scope.ts'
import {
  type FilterFields,
  type FilterTerm,
  filterTerms,
} from '@/server/platform/sql/filter-terms.ts'
import { cursorOf, type Place } from '@/server/platform/sql/keyset.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { promptTerms } from '@/server/sessions/prompt-terms.sql.ts'
import {
  importedTerm,
  OF_SESSION,
  VERSION_OF_DIGEST,
} from '@/server/sessions/recorded-fields.sql.ts'

export interface DenialFacts {
  readonly id: string
  readonly sessionId: string
  readonly seq: number
  readonly at: number
  readonly environment: string
  readonly ns: string
  readonly key: string
  readonly tool: string
  readonly decision: 'denied' | 'error'
  /** Of the rule that decided; empty: none did. */
  readonly rule: string
  readonly code: string
  readonly reason: string
}

export interface DenialFilter {
  readonly environment?: string | undefined
  readonly prompt?: { readonly ns: string; readonly key: string } | undefined
  /** Number of a version of the prompt; nothing without one. */
  readonly version?: number | undefined
  readonly rule?: string | undefined
  readonly tool?: string | undefined
  readonly decision?: 'denied' | 'error' | undefined
  /** Epoch ms; `until` is not included. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** All of them. */
  readonly terms?: readonly FilterTerm[] | undefined
}

const PROMPT = "ns || '/' || key"

/** Of the filter text, over `denials`; `$1` is the project. */
const FIELDS: FilterFields = {
  texts: {
    tool: 'tool',
    rule: 'rule',
    code: 'code',
    prompt: PROMPT,
    env: 'environment',
    ...OF_SESSION,
  },
  choices: {
    decision: (decision, bind) => `decision = ${bind(decision)}`,
    imported: importedTerm('session_id'),
    class: (name, bind) => `reason_class = ${bind(name.replaceAll('-', '_'))}`,
  },
  numbers: { version: VERSION_OF_DIGEST, at: epochMs('at') },
  row: `reason || ' ' || code || ' ' || tool || ' ' || rule || ' ' || ${PROMPT}`,
}

export interface DenialPage {
  readonly denials: readonly DenialFacts[]
  readonly nextCursor: string | null
}

function whereOf(projectId: AuthorizedProjectId, filter: DenialFilter, after: Place | null) {
  const values: unknown[] = [projectId]
  const terms = ['project_id = $1']
  const bind = (value: unknown): string => `$${values.push(value)}`
  for (const name of ['environment', 'rule', 'tool', 'decision'] as const) {
    const value = filter[name]
    if (value !== undefined) terms.push(`${name} = ${bind(value)}`)
  }
  const { since, until } = filter
  if (since !== undefined) terms.push(`at >= to_timestamp(${bind(since)}::float8 / 1000)`)
  if (until !== undefined) terms.push(`at < to_timestamp(${bind(until)}::float8 / 1000)`)
  terms.push(...promptTerms(filter, bind))
  terms.push(...filterTerms(filter.terms ?? [], FIELDS, bind))
  if (after !== null) {
    terms.push(`(at, id) < (to_timestamp(${bind(after.at)}::float8 / 1000), ${bind(after.id)})`)
  }
  return { text: terms.join(' AND '), values, bind }
}

export async function listDenials(
  projectId: AuthorizedProjectId,
  filter: DenialFilter,
  { after, limit }: { readonly after: Place | null; readonly limit: number },
): Promise<DenialPage> {
  const { text, values, bind } = whereOf(projectId, filter, after)
  const rows = await readRows<DenialFacts>(
    `SELECT id, session_id AS "sessionId", seq, ${epochMs('at')} AS at, environment, ns, key, tool, decision, rule, code, reason
     FROM denials WHERE ${text} ORDER BY denials.at DESC, denials.id DESC LIMIT ${bind(limit + 1)}`,
    values,
  )
  const denials = rows.slice(0, limit)
  const last = rows.length > limit ? denials.at(-1) : undefined
  return { denials, nextCursor: last === undefined ? null : cursorOf(last) }
}
