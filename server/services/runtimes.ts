// Runtimes report themselves: what they are (register) and what they run (heartbeat). The answer of a heartbeat names the
// revision that they should run; what they do run is only ever what they report (specs/data-plane.md).
import type { HeartbeatRequest, RegisterRequest } from '@signalbox/wire'
import type { KeyScope } from '../auth/scope.ts'
import { ServiceError } from '../errors.ts'
import { freshId } from '../ids.ts'
import {
  insertRuntime,
  lockReport,
  type RuntimeReport,
  updateRegistration,
  writeReport,
} from '../repositories/runtimes.ts'
import { inTransaction } from '../repositories/transaction.ts'
import { bundlePublicKey, currentBundle } from './bundles.ts'
import { notify } from './live-bus.ts'
import { HEARTBEAT_SECONDS } from './runtime-status.ts'

const POLL_SECONDS = 15

/** Answers with the runtime's id: the one it named when that is known here, else a new one. */
export async function registerRuntime(scope: KeyScope, request: RegisterRequest) {
  const now = new Date()
  const { projectId, environment } = scope
  const { project } = await currentBundle(scope)
  const registration = {
    projectId,
    environment,
    apiKeyId: scope.keyId,
    name: request.name,
    sdkVersion: request.sdk_version,
    harness: request.harness,
    prompts: request.prompts,
    capabilities: request.capabilities,
    posture: request.posture,
    clockSkewMs: request.now - now.getTime(),
    now,
  }
  const id = await inTransaction(async (tx) => {
    const named = request.runtime_id
    const isKnown =
      named !== undefined && (await updateRegistration(tx, { ...registration, id: named }))
    const known = isKnown ? named : freshId('rt')
    if (!isKnown) await insertRuntime(tx, { ...registration, id: known })
    await notify(tx, { project: projectId, kind: 'runtime', id: known })
    return known
  })
  return {
    runtime_id: id,
    project,
    environment,
    public_key: bundlePublicKey(),
    server_time: now.getTime(),
    poll_seconds: POLL_SECONDS,
    heartbeat_seconds: HEARTBEAT_SECONDS,
  }
}

function reportOf(request: HeartbeatRequest, now: number): RuntimeReport {
  return {
    appliedRevision: request.applied?.revision ?? null,
    appliedDigest: request.applied?.digest ?? null,
    appliedSource: request.applied?.source ?? null,
    rejectedRevision: request.rejected?.revision ?? null,
    rejectedReason: request.rejected?.reason ?? null,
    liveSessions: request.live_sessions,
    spooledEvents: request.spooled_events,
    clockSkewMs: request.now - now,
  }
}

/** Whether a person who looks at the runtime would see something else than before. */
function hasChanged(before: RuntimeReport, after: RuntimeReport): boolean {
  return (
    before.appliedRevision !== after.appliedRevision ||
    before.appliedDigest !== after.appliedDigest ||
    before.appliedSource !== after.appliedSource ||
    before.rejectedRevision !== after.rejectedRevision ||
    before.rejectedReason !== after.rejectedReason ||
    before.liveSessions !== after.liveSessions ||
    before.spooledEvents !== after.spooledEvents
  )
}

/** Rejects with `not_found` for a runtime that must register (again). */
export async function recordHeartbeat(scope: KeyScope, request: HeartbeatRequest) {
  const now = new Date()
  const { projectId, environment } = scope
  const id = request.runtime_id
  const report = reportOf(request, now.getTime())
  const isStopping = request.stopping === true
  await inTransaction(async (tx) => {
    const before = await lockReport(tx, { id, projectId, environment })
    if (before === null) {
      throw new ServiceError('not_found', 'This runtime is not known here. Register it first.')
    }
    const isNewlyApplied =
      report.appliedRevision !== null && report.appliedRevision !== before.appliedRevision
    await writeReport(tx, { ...report, id, now, isNewlyApplied, isStopping })
    if (hasChanged(before, report) || isStopping || before.stoppedAt !== null) {
      await notify(tx, { project: projectId, kind: 'runtime', id })
    }
  })
  const { revision } = await currentBundle(scope)
  return { desired_revision: revision, server_time: now.getTime() }
}
