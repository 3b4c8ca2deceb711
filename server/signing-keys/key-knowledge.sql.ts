import 'server-only'
import { DEMO_RUNTIME } from '@signalbox/wire'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'

export interface KeyKnowledge {
  readonly environment: string
  readonly total: number
  readonly knows: number
  /** Number of connected runtimes that do not trust it because their version does not support key records. */
  readonly silent: number
  /** Number of runtimes that are not connected, were seen within a week, and did not trust it then. */
  readonly away: number
}

export interface UnawareRuntime {
  readonly id: string
  readonly name: string
  readonly environment: string
  readonly sdkVersion: string
  /** The runtime reports no trusted keys: its SDK version does not support key records. */
  readonly isSilent: boolean
}

export interface KeyQuestion {
  readonly projectId: AuthorizedProjectId
  readonly id: string
  readonly connectedSince: Date
  readonly knownSince: Date
}

/** In promotion order; includes environments without runtimes. */
export async function readKeyKnowledge(
  { projectId, id, connectedSince, knownSince }: KeyQuestion,
  tx: Tx = reader(),
): Promise<readonly KeyKnowledge[]> {
  return await tx.$queryRaw<KeyKnowledge[]>`
    SELECT e.name AS environment,
      count(r.id) FILTER (WHERE r.connected)::int AS total,
      count(r.id) FILTER (WHERE r.connected AND r.knows)::int AS knows,
      count(r.id) FILTER (WHERE r.connected AND r.silent)::int AS silent,
      count(r.id) FILTER (WHERE NOT r.connected AND NOT r.knows)::int AS away
    FROM environments e LEFT JOIN (
      SELECT id, environment, ${id} = ANY(keys) AS knows, cardinality(keys) = 0 AS silent,
        last_seen_at >= ${connectedSince} AS connected
      FROM runtimes
      WHERE project_id = ${projectId} AND stopped_at IS NULL AND name <> ${DEMO_RUNTIME} AND last_seen_at >= ${knownSince}
    ) r ON r.environment = e.name
    WHERE e.project_id = ${projectId}
    GROUP BY e.name, e.position
    ORDER BY e.position`
}

export async function readUnaware(
  { projectId, id, connectedSince }: KeyQuestion,
  limit: number,
): Promise<readonly UnawareRuntime[]> {
  return await reader().$queryRaw<UnawareRuntime[]>`
    SELECT id, name, environment, sdk_version AS "sdkVersion", cardinality(keys) = 0 AS "isSilent"
    FROM runtimes
    WHERE project_id = ${projectId} AND stopped_at IS NULL AND name <> ${DEMO_RUNTIME} AND last_seen_at >= ${connectedSince}
      AND NOT ${id} = ANY(keys)
    ORDER BY environment, name, id
    LIMIT ${limit}`
}
