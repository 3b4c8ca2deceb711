import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import type { SessionFilter } from './session-filter.sql.ts'
import {
  countNarrowings,
  countSessions,
  findSessions,
  type Narrowing,
  type SessionPatch,
} from './session-list.sql.ts'

export interface AskedFilter extends Omit<SessionFilter, 'madeBy'> {
  readonly mine?: boolean | undefined
}

export function filterFor(scope: ProjectScope, { mine, ...filter }: AskedFilter): SessionFilter {
  return mine === true ? { ...filter, madeBy: scope.userId } : filter
}

export async function loadSessionRows(
  scope: ProjectScope,
  filter: AskedFilter,
  ids: readonly string[],
): Promise<readonly SessionPatch[]> {
  return await findSessions(scope.projectId, filterFor(scope, filter), ids)
}

export async function loadSessionTotal(scope: ProjectScope, filter: AskedFilter): Promise<number> {
  return await countSessions(scope.projectId, filterFor(scope, filter))
}

export async function loadNarrowings(
  scope: ProjectScope,
  filter: AskedFilter,
): Promise<readonly Narrowing[]> {
  return await countNarrowings(scope.projectId, filterFor(scope, filter))
}
