import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import {
  listGroupRuntimes,
  listRuntimeGroups,
  type RuntimeFilter,
  readRuntime,
  readRuntimeNames,
} from './runtime-pages.sql.ts'
import { DISCONNECTED_AFTER_MS, HEARTBEAT_SECONDS, STALE_AFTER_MS } from './runtime-status.ts'

const THRESHOLDS = {
  heartbeatSeconds: HEARTBEAT_SECONDS,
  staleAfterSeconds: STALE_AFTER_MS / 1000,
  disconnectedAfterSeconds: DISCONNECTED_AFTER_MS / 1000,
}

/** With more runtimes, the page groups them by deployment. */
const MOST_UNGROUPED = 50

/** `alone`: runtimes that are listed one by one. `isGrouped`: groups with several members are listed as one row. */
export async function loadRuntimeGroups(scope: ProjectScope, filter: RuntimeFilter) {
  const { projectId } = scope
  const groups = await listRuntimeGroups(projectId, filter)
  const isGrouped = groups.reduce((sum, { total }) => sum + total, 0) > MOST_UNGROUPED
  const single = groups.filter(({ total }) => total === 1).map(({ name }) => name)
  const alone =
    isGrouped && single.length === 0
      ? []
      : await listGroupRuntimes(projectId, filter, isGrouped ? single : undefined)
  return { groups, alone, isGrouped, thresholds: THRESHOLDS }
}

const MOST_NAMES = 200

export interface RuntimeNames {
  readonly names: readonly string[]
  readonly isCut: boolean
}

/** `environment` absent: all. */
export async function loadRuntimeNames(
  { projectId }: ProjectScope,
  environment?: string,
): Promise<RuntimeNames> {
  const names = await readRuntimeNames(projectId, environment ?? null, MOST_NAMES + 1)
  return { names: names.slice(0, MOST_NAMES), isCut: names.length > MOST_NAMES }
}

/** Rejects with `not_found` for a runtime of another project, or one that was not seen for a week. */
export async function loadRuntimeDetail(scope: ProjectScope, id: string) {
  const runtime = await readRuntime(scope.projectId, id)
  if (runtime === null) throw new ServiceError('not_found', 'There is no such runtime.')
  return { ...runtime, thresholds: THRESHOLDS }
}

/** Notifies the runtime, which polls and reports immediately. A runtime that does not listen does so at its next heartbeat. */
export async function refreshRuntime(scope: ProjectScope, id: string): Promise<void> {
  const { environmentId } = await loadRuntimeDetail(scope, id)
  const { projectId: project } = scope
  await inTransaction((tx) =>
    notify(tx, { project, kind: 'refresh', id, environment: environmentId }),
  )
}
