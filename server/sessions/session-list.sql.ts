import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { readRows } from '@/server/platform/sql/rows.ts'
import {
  SESSION_COLUMNS,
  SESSION_TABLES,
  type SessionFacts,
  WITH_PROMPTS,
} from './session-columns.sql.ts'
import {
  type FilterPart,
  listSetParts,
  type SessionFilter,
  sessionList,
} from './session-filter.sql.ts'
import { MOST_COUNTED, MOST_FREED } from './sessions.list.ts'

export interface SessionPatch extends SessionFacts {
  readonly matches: boolean
}

export async function findSessions(
  projectId: AuthorizedProjectId,
  filter: SessionFilter,
  ids: readonly string[],
): Promise<readonly SessionPatch[]> {
  const { text, values, bind } = sessionList.where(projectId, filter)
  return await readRows<SessionPatch>(
    `SELECT ${SESSION_COLUMNS}, coalesce(${text}, false) AS matches FROM ${SESSION_TABLES}
     WHERE s.project_id = $1 AND s.id = ANY(${bind(ids)}::text[])`,
    values,
  )
}

/** `MOST_COUNTED + 1`: more than are counted. */
export async function countSessions(
  projectId: AuthorizedProjectId,
  filter: SessionFilter,
): Promise<number> {
  const { text, values } = sessionList.where(projectId, filter)
  const [row] = await readRows<{ count: number }>(
    `SELECT count(*)::int AS count FROM (SELECT 1 FROM ${SESSION_TABLES} WHERE ${text} LIMIT ${MOST_COUNTED + 1}) AS counted`,
    values,
  )
  return row?.count ?? 0
}

export interface Narrowing {
  readonly part: FilterPart
  /** Number of sessions without this part of the filter, at most `MOST_FREED`. */
  readonly without: number
}

export async function countNarrowings(
  projectId: AuthorizedProjectId,
  filter: SessionFilter,
): Promise<readonly Narrowing[]> {
  const counted = await Promise.all(
    listSetParts(filter).map(async (part): Promise<Narrowing> => {
      const rest = { ...filter, [part]: undefined, ...(part === 'since' && { until: undefined }) }
      const { text, values } = sessionList.where(projectId, rest)
      const [row] = await readRows<{ count: number }>(
        `SELECT count(*)::int AS count FROM (SELECT 1 FROM ${SESSION_TABLES} WHERE ${text} LIMIT ${MOST_FREED}) AS freed`,
        values,
      )
      return { part, without: row?.count ?? 0 }
    }),
  )
  return counted.sort((a, b) => b.without - a.without)
}

/** Prompts with sessions, at most 200, by name. */
export async function listPrompts(
  projectId: AuthorizedProjectId,
): Promise<readonly { readonly ns: string; readonly key: string }[]> {
  return await readRows(`${WITH_PROMPTS} SELECT ns, key FROM prompts WHERE ns <> '?' LIMIT 200`, [
    projectId,
  ])
}
