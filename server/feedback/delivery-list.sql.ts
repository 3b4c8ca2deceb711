// Feedback that agents were given in a project, newest first, in keyset pages over (at, id); and how much of it the list cannot have.
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
import { OF_SESSION, VERSION_OF_DIGEST } from '@/server/sessions/recorded-fields.sql.ts'

export const SEVERITIES = ['info', 'caution', 'warning'] as const

/** What became of the act that a delivery suggested (specs/analytics.md). */
export const FOLLOWED = ['yes', 'no', 'ended', 'open'] as const

export interface DeliveryFacts {
  /** Of the event. */
  readonly id: string
  readonly sessionId: string
  readonly seq: number
  readonly at: number
  readonly environment: string
  readonly ns: string
  readonly key: string
  readonly provider: string
  readonly name: string
  readonly severity: (typeof SEVERITIES)[number]
  /** Its beginning. */
  readonly says: string
  /** Null: no act that can be seen was suggested. */
  readonly followed: (typeof FOLLOWED)[number] | null
}

export interface DeliveryFilter {
  readonly environment?: string | undefined
  readonly prompt?: PromptPlace | undefined
  /** Number of a version of the prompt; nothing without one. */
  readonly version?: number | undefined
  readonly provider?: string | undefined
  readonly name?: string | undefined
  readonly severity?: DeliveryFacts['severity'] | undefined
  /** `any`: whatever became of it, of those that suggested an act. */
  readonly followed?: (typeof FOLLOWED)[number] | 'any' | undefined
  /** Epoch ms; `until` is not included. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** All of them. */
  readonly terms?: readonly FilterTerm[] | undefined
}

type Bind = (value: unknown) => string

const PROMPT = "ns || '/' || key"

const isFollowed = (word: string, bind: Bind): string =>
  word === 'any' ? 'followed IS NOT NULL' : `followed = ${bind(word)}`

/** Of the filter text, over `deliveries`; `$1` is the project. */
const FIELDS: FilterFields = {
  texts: { provider: 'provider', name: 'name', prompt: PROMPT, env: 'environment', ...OF_SESSION },
  choices: {
    severity: (severity, bind) => `severity = ${bind(severity)}`,
    followed: isFollowed,
  },
  numbers: { version: VERSION_OF_DIGEST, at: epochMs('at') },
  row: `says || ' ' || name || ' ' || provider || ' ' || ${PROMPT}`,
}

export interface DeliveryPage {
  readonly deliveries: readonly DeliveryFacts[]
  readonly nextCursor: string | null
}

function whereOf(projectId: AuthorizedProjectId, filter: DeliveryFilter, after: Place | null) {
  const values: unknown[] = [projectId]
  const terms = ['project_id = $1']
  const bind: Bind = (value) => `$${values.push(value)}`
  for (const column of ['environment', 'provider', 'name', 'severity'] as const) {
    const value = filter[column]
    if (value !== undefined) terms.push(`${column} = ${bind(value)}`)
  }
  const { since, until, followed } = filter
  if (followed !== undefined) terms.push(isFollowed(followed, bind))
  if (since !== undefined) terms.push(`at >= to_timestamp(${bind(since)}::float8 / 1000)`)
  if (until !== undefined) terms.push(`at < to_timestamp(${bind(until)}::float8 / 1000)`)
  terms.push(...promptTerms(filter, bind))
  terms.push(...filterTerms(filter.terms ?? [], FIELDS, bind))
  if (after !== null) {
    terms.push(`(at, id) < (to_timestamp(${bind(after.at)}::float8 / 1000), ${bind(after.id)})`)
  }
  return { text: terms.join(' AND '), values, bind }
}

const COLUMNS = `id, session_id AS "sessionId", seq, ${epochMs('at')} AS at, environment, ns, key, provider, name,
  severity, says, followed`

export async function findDelivery(
  projectId: AuthorizedProjectId,
  id: string,
): Promise<DeliveryFacts | null> {
  const [delivery] = await readRows<DeliveryFacts>(
    `SELECT ${COLUMNS} FROM deliveries WHERE project_id = $1 AND id = $2`,
    [projectId, id],
  )
  return delivery ?? null
}

export async function listDeliveries(
  projectId: AuthorizedProjectId,
  filter: DeliveryFilter,
  { after, limit }: { readonly after: Place | null; readonly limit: number },
): Promise<DeliveryPage> {
  const { text, values, bind } = whereOf(projectId, filter, after)
  const rows = await readRows<DeliveryFacts>(
    `SELECT ${COLUMNS} FROM deliveries WHERE ${text} ORDER BY deliveries.at DESC, deliveries.id DESC LIMIT ${bind(limit + 1)}`,
    values,
  )
  const deliveries = rows.slice(0, limit)
  const last = rows.length > limit ? deliveries.at(-1) : undefined
  return { deliveries, nextCursor: last === undefined ? null : cursorOf(last) }
}

const MOST_UNLISTED = 1_000

/** Sessions with feedback of before there was this list, each at most `MOST_UNLISTED`. */
export interface UnlistedSessions {
  /** A job has still to list them. */
  readonly waiting: number
  /** Their events were removed before it could. */
  readonly gone: number
}

export async function unlistedSessions(projectId: AuthorizedProjectId): Promise<UnlistedSessions> {
  const [found = { waiting: 0, gone: 0 }] = await readRows<UnlistedSessions>(
    `SELECT count(*) FILTER (WHERE events_removed_at IS NULL)::int AS waiting,
       count(*) FILTER (WHERE events_removed_at IS NOT NULL)::int AS gone
     FROM (SELECT events_removed_at FROM sessions WHERE project_id = $1 AND listed_seq < rolled_seq
       ORDER BY id LIMIT ${MOST_UNLISTED}) behind`,
    [projectId],
  )
  return found
}
