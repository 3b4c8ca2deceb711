// The sessions of a project, newest first, in keyset pages over (started_at, id); and the same rows by id, for the live
// list that patches what is on screen.
import 'server-only'
import { cursorOf, type Place } from './keyset.ts'
import { readRows } from './rows.ts'
import {
  SESSION_COLUMNS,
  SESSION_TABLES,
  type SessionFacts,
  type SessionStatus,
  STATUS_SQL,
} from './session-columns.ts'

export type SessionVerdict = 'denied' | 'blocked' | 'bypassed' | 'warning'

export interface SessionFilter {
  readonly environment?: string | undefined
  readonly status?: SessionStatus | undefined
  readonly prompt?: { readonly ns: string; readonly key: string } | undefined
  /** Sessions in which this happened at least once; `bypassed`: whose newest stop was. */
  readonly verdict?: SessionVerdict | undefined
  /** `not`: what could not be enforced is known. A session without a known beginning is neither. */
  readonly enforced?: 'fully' | 'not' | undefined
  /** Id of the runtime that ran them. */
  readonly runtime?: string | undefined
}

export interface SessionPage {
  readonly sessions: readonly SessionFacts[]
  readonly nextCursor: string | null
}

const VERDICT_SQL = {
  denied: 's.denied > 0',
  blocked: 's.stops_blocked > 0',
  bypassed: "s.last_verdict = 'bypassed'",
  warning: 's.warnings > 0',
} as const satisfies Record<SessionVerdict, string>

const ENFORCED_SQL = {
  fully: "s.enforcement = 'full'",
  not: "s.enforcement IN ('gap', 'breach')",
} as const

interface Where {
  readonly text: string
  readonly values: readonly unknown[]
}

function whereOf(projectId: string, filter: SessionFilter): Where {
  const values: unknown[] = [projectId]
  const terms = ['s.project_id = $1']
  const bind = (value: unknown): string => `$${values.push(value)}`
  if (filter.environment !== undefined) terms.push(`s.environment = ${bind(filter.environment)}`)
  if (filter.status !== undefined) {
    if (filter.status !== 'ended') terms.push('s.ended_at IS NULL')
    terms.push(`${STATUS_SQL} = ${bind(filter.status)}`)
  }
  if (filter.prompt !== undefined) {
    terms.push(`s.ns = ${bind(filter.prompt.ns)}`, `s.key = ${bind(filter.prompt.key)}`)
  }
  if (filter.verdict !== undefined) terms.push(VERDICT_SQL[filter.verdict])
  if (filter.enforced !== undefined) terms.push(ENFORCED_SQL[filter.enforced])
  if (filter.runtime !== undefined) terms.push(`s.runtime_id = ${bind(filter.runtime)}`)
  return { text: terms.join(' AND '), values }
}

export async function listSessions(
  projectId: string,
  filter: SessionFilter,
  page: { readonly after: Place | null; readonly limit: number },
): Promise<SessionPage> {
  const { text, values } = whereOf(projectId, filter)
  const bound = [...values]
  let behind = ''
  if (page.after !== null) {
    bound.push(page.after.at, page.after.id)
    behind = `AND (s.started_at, s.id) < (to_timestamp($${bound.length - 1}::float8 / 1000), $${bound.length})`
  }
  bound.push(page.limit + 1)
  const rows = await readRows<SessionFacts>(
    `SELECT ${SESSION_COLUMNS} FROM ${SESSION_TABLES} WHERE ${text} ${behind}
     ORDER BY s.started_at DESC, s.id DESC LIMIT $${bound.length}`,
    bound,
  )
  const sessions = rows.slice(0, page.limit)
  const last = rows.length > page.limit ? sessions.at(-1) : undefined
  return {
    sessions,
    nextCursor: last === undefined ? null : cursorOf({ at: last.startedAt, id: last.id }),
  }
}

export interface SessionPatch extends SessionFacts {
  /** Whether the row belongs to the filtered list, so that a new one may be counted. */
  readonly matches: boolean
}

/** Those of `ids` that exist in the project, in no particular order. */
export async function findSessions(
  projectId: string,
  filter: SessionFilter,
  ids: readonly string[],
): Promise<readonly SessionPatch[]> {
  const { text, values } = whereOf(projectId, filter)
  return await readRows<SessionPatch>(
    `SELECT ${SESSION_COLUMNS}, (${text}) AS matches FROM ${SESSION_TABLES}
     WHERE s.project_id = $1 AND s.id = ANY($${values.length + 1}::text[])`,
    [...values, ids],
  )
}

/** Prompts that have sessions, for the filter; at most 200, by name. */
export async function listPrompts(
  projectId: string,
): Promise<readonly { readonly ns: string; readonly key: string }[]> {
  return await readRows(
    `SELECT DISTINCT ns, key FROM sessions WHERE project_id = $1 AND ns <> '?' ORDER BY ns, key LIMIT 200`,
    [projectId],
  )
}
