import { type EnvironmentRow, listEnvironments } from '@/server/environments/environments.sql.ts'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import { type Connection, computeConnection, computeSync, type Sync } from './runtime-status.ts'
import { listRuntimes, type RuntimeRow } from './runtimes.sql.ts'

const WEEK_MS = 7 * 86_400_000

export interface ListedRuntime extends RuntimeRow {
  readonly connection: Connection
  readonly sync: Sync
  readonly expectedRevision: number
}

/** Last seen first. `environment` absent: all. */
export async function loadRuntimes(
  scope: ConfigReader,
  environment?: string,
): Promise<readonly ListedRuntime[]> {
  const now = Date.now()
  const [rows, environments] = await Promise.all([
    listRuntimes(scope, { environment, seenSince: now - WEEK_MS }),
    listEnvironments(scope.projectId),
  ])
  const revisions = new Map(environments.map(({ name, revision }) => [name, revision]))
  return rows.map((row) => {
    const expectedRevision = revisions.get(row.environment) ?? 0
    const sync = computeSync(row, expectedRevision)
    return { ...row, expectedRevision, sync, connection: computeConnection(row, now) }
  })
}

export type ListedEnvironment = Omit<EnvironmentRow, 'projectId'>

export async function loadRuntimeEnvironments(
  scope: ConfigReader,
): Promise<readonly ListedEnvironment[]> {
  const rows = await listEnvironments(scope.projectId)
  return rows.map(({ projectId: _projectId, ...environment }) => environment)
}
