import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { type GroupQuery, groupStops, type StopGroup } from './stop-groups.sql.ts'
import { computeStanding, type StopStanding } from './stop-standing.ts'

export interface ShownGroup extends Omit<StopGroup, 'versions'> {
  /** Null: it still occurs, or there is no proof. */
  readonly standing: StopStanding | null
}

const DAY_MS = 86_400_000
const SPARK_MS = 30 * DAY_MS

export async function stopGroups(
  { projectId }: ProjectScope,
  { filter, by }: Pick<GroupQuery, 'filter' | 'by'>,
): Promise<readonly ShownGroup[]> {
  const to = Date.now()
  const from = Math.min(filter.since ?? to - SPARK_MS, to - 1)
  const groups = await groupStops(projectId, { filter, by, from, to })
  return groups.map(({ versions, ...group }) => ({
    ...group,
    // An allowed stop is not a problem, so it cannot be gone.
    standing: group.verdict === 'allowed' ? null : computeStanding(versions),
  }))
}
