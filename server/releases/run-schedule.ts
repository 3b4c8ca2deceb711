// Made under the same gates as any other release, for the user who planned it. A refused one stays visible with its reason.

import { recordAudit } from '@/server/platform/auth/audit.sql.ts'
import { mayReleaseTo } from '@/server/platform/auth/permissions.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { loadMemberScope } from '@/server/platform/auth/standing-order.ts'
import { SYSTEM_ACTOR, systemProject } from '@/server/platform/auth/system.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { ASKING, type Asking } from './release-input.ts'
import type { ReleaseResult } from './release-outcome.ts'
import { promoteVersion, publishDraft } from './releases.ts'
import { findSchedule, type PlacedSchedule, refuseSchedule } from './schedules.sql.ts'

/** Tolerance in ms: jobs are never early, but clocks differ slightly. */
const EARLY_MS = 1_000

/** May run again after a crash: only a plan that still waits is executed, and its release settles it in the same transaction. */
export async function runSchedule(id: string): Promise<void> {
  const schedule = await findSchedule({ id })
  if (schedule === null || schedule.state !== 'pending') return
  if (schedule.dueAt > Date.now() + EARLY_MS) return
  const { projectId, createdBy: userId } = schedule
  const scope = await loadMemberScope({ projectId, userId })
  if (scope === null || !mayReleaseTo(scope, schedule.environment)) {
    const reason = 'The user who planned it may no longer release.'
    return await giveUp(schedule, reason)
  }
  const result = await attempt(scope, schedule)
  if (!result.ok) await giveUp(schedule, result.message)
}

async function attempt(
  scope: ProjectScope,
  schedule: PlacedSchedule,
): Promise<ReleaseResult | { ok: false; message: string }> {
  const { ns, key, environment, note, draftId, version, digest } = schedule
  const acknowledged = ASKING.filter((id): id is Asking => schedule.acknowledged.includes(id))
  // The name was typed and checked when the release was planned.
  const asked = { ns, key, environment, note, typedName: environment, acknowledged }
  const from = { ...asked, scheduleId: schedule.id }
  try {
    if (draftId !== null)
      return await publishDraft(scope, { ...from, draftId, revision: { digest } })
    return await promoteVersion(scope, {
      ...from,
      version: version ?? 0,
      expectedLive: schedule.liveVersion,
    })
  } catch (error) {
    // An error meant for users becomes the reason. Any other is a fault, and the job is retried.
    if (error instanceof ServiceError && error.code !== 'unavailable') {
      return { ok: false, message: error.message }
    }
    throw error
  }
}

/** Does nothing if the plan was canceled or held meanwhile. */
async function giveUp(schedule: PlacedSchedule, reason: string): Promise<void> {
  const { id, ns, key, environment } = schedule
  const projectId = systemProject(schedule.projectId)
  await inTransaction(async (tx) => {
    if (!(await refuseSchedule(tx, { id, projectId }, reason))) return
    await recordAudit(tx, {
      projectId,
      ...SYSTEM_ACTOR,
      action: 'release.schedule_refused',
      target: id,
      after: { config: `${ns}/${key}`, environment, reason },
    })
    await notify(tx, { project: projectId, kind: 'config' })
  })
}
