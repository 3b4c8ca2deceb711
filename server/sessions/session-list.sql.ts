// The sessions of a project in keyset pages, newest first or most denials first; the same rows by id, for the live list that
// patches what is on screen; how many there are, up to a bound; and which part of the filter leaves out most.
import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/auth/scope.ts'
import { cursorOf, type Place } from '@/server/platform/sql/keyset.ts'
import { readRows } from '@/server/platform/sql/rows.ts'
import {
  SESSION_COLUMNS,
  SESSION_JOINS,
  SESSION_TABLES,
  type SessionFacts,
  WITH_PROMPTS,
} from './session-columns.sql.ts'
import { type FilterPart, partsOf, type SessionFilter, whereOf } from './session-filter.sql.ts'

export type SessionOrder = 'started' | 'denied'

export interface SessionPage {
  readonly sessions: readonly SessionFacts[]
  readonly nextCursor: string | null
}

interface Order {
  readonly by: string
  /** Left of the page that follows. */
  readonly place: (at: string) => string
  readonly sortValue: (session: SessionFacts) => number
  /** Rows that this order leaves out. */
  readonly only: string
}

const ORDER = {
  started: {
    by: 's.started_at',
    place: (at) => `to_timestamp(${at}::float8 / 1000)`,
    sortValue: ({ startedAt }) => startedAt,
    only: 'true',
  },
  // Counts grow while one reads: a session can move to a page that was read already, and is listed once.
  denied: {
    by: 's.denied',
    place: (at) => `${at}::int`,
    sortValue: ({ denied }) => denied,
    only: 's.denied > 0',
  },
} as const satisfies Record<SessionOrder, Order>

export async function listSessions(
  projectId: AuthorizedProjectId,
  filter: SessionFilter,
  page: { readonly after: Place | null; readonly limit: number; readonly order?: SessionOrder },
): Promise<SessionPage> {
  const { text, values, bind } = whereOf(projectId, filter)
  const { by, place, sortValue, only } = ORDER[page.order ?? 'started']
  const behind =
    page.after === null
      ? ''
      : `AND (${by}, s.id) < (${place(bind(page.after.at))}, ${bind(page.after.id)})`
  // The page first, then what its rows show: a filter that few sessions pass reads the rest without looking anything up for them.
  const order = `ORDER BY ${by} DESC, s.id DESC`
  const rows = await readRows<SessionFacts>(
    `SELECT ${SESSION_COLUMNS} FROM (
       SELECT s.* FROM ${SESSION_TABLES} WHERE ${text} AND ${only} ${behind} ${order} LIMIT ${bind(page.limit + 1)}
     ) AS s ${SESSION_JOINS} ${order}`,
    values,
  )
  const sessions = rows.slice(0, page.limit)
  const last = rows.length > page.limit ? sessions.at(-1) : undefined
  return {
    sessions,
    nextCursor: last === undefined ? null : cursorOf({ at: sortValue(last), id: last.id }),
  }
}

export interface SessionPatch extends SessionFacts {
  /** Whether the row belongs to the filtered list, so that a new one may be counted. */
  readonly matches: boolean
}

/** Those of `ids` that exist in the project, in no particular order. */
export async function findSessions(
  projectId: AuthorizedProjectId,
  filter: SessionFilter,
  ids: readonly string[],
): Promise<readonly SessionPatch[]> {
  const { text, values, bind } = whereOf(projectId, filter)
  return await readRows<SessionPatch>(
    `SELECT ${SESSION_COLUMNS}, coalesce(${text}, false) AS matches FROM ${SESSION_TABLES}
     WHERE s.project_id = $1 AND s.id = ANY(${bind(ids)}::text[])`,
    values,
  )
}

/** Sessions are counted up to here; the page then says "10,000+". */
const MOST_COUNTED = 10_000

/** `MOST_COUNTED + 1`: more than are counted. */
export async function countSessions(
  projectId: AuthorizedProjectId,
  filter: SessionFilter,
): Promise<number> {
  const { text, values } = whereOf(projectId, filter)
  const [row] = await readRows<{ count: number }>(
    `SELECT count(*)::int AS count FROM (SELECT 1 FROM ${SESSION_TABLES} WHERE ${text} LIMIT ${MOST_COUNTED + 1}) AS counted`,
    values,
  )
  return row?.count ?? 0
}

const MOST_FREED = 1_000

export interface Narrowing {
  readonly part: FilterPart
  /** Sessions that would be listed without this part; counted up to 1,000. */
  readonly without: number
}

/** Each part of the filter with what would be there without it, the one that leaves out most first. */
export async function narrowings(
  projectId: AuthorizedProjectId,
  filter: SessionFilter,
): Promise<readonly Narrowing[]> {
  const counted = await Promise.all(
    partsOf(filter).map(async (part): Promise<Narrowing> => {
      const rest = { ...filter, [part]: undefined, ...(part === 'since' && { until: undefined }) }
      const { text, values } = whereOf(projectId, rest)
      const [row] = await readRows<{ count: number }>(
        `SELECT count(*)::int AS count FROM (SELECT 1 FROM ${SESSION_TABLES} WHERE ${text} LIMIT ${MOST_FREED}) AS freed`,
        values,
      )
      return { part, without: row?.count ?? 0 }
    }),
  )
  return counted.sort((a, b) => b.without - a.without)
}

/** Prompts that have sessions, for the filter; at most 200, by name. */
export async function listPrompts(
  projectId: AuthorizedProjectId,
): Promise<readonly { readonly ns: string; readonly key: string }[]> {
  return await readRows(`${WITH_PROMPTS} SELECT ns, key FROM prompts WHERE ns <> '?' LIMIT 200`, [
    projectId,
  ])
}
