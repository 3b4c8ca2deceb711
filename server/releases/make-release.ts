// Runs in the transaction of the checks (specs/releases.md).

import { omitUndefined } from '@signalbox/core'
import { publishBundle } from '@/server/bundles/bundles.ts'
import { findVersionOrigins } from '@/server/configs/inheritance.ts'
import type { VersionRow } from '@/server/configs/versions.sql.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { type Actor, readActorId } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import type { Tx } from '@/server/platform/db/transaction.ts'
import { freshId } from '@/server/platform/ids.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import type { ApprovalStanding } from './release-approval-standing.ts'
import { deleteRequest } from './release-approvals.sql.ts'
import type { ReleaseResult } from './release-outcome.ts'
import { type Place, toPointerPlace } from './release-place.ts'
import { insertRelease, type ReleaseKind, setPointer } from './releases.sql.ts'
import type { NamedRequest } from './repeated-request.ts'
import { holdSchedules, resumeSchedules, settleSchedule } from './schedules.sql.ts'
import { endForRelease } from './staged-rollout-life.ts'

const ACTION = {
  publish: 'release.published',
  promote: 'release.promoted',
  rollback: 'release.rolled_back',
} as const satisfies Record<ReleaseKind, string>

export interface Move extends Place {
  readonly version: VersionRow
  readonly kind: ReleaseKind
  readonly note: string | null
  readonly approvals: ApprovalStanding
  readonly isApprovalSkipped: boolean
  readonly acknowledged: readonly string[]
  /** Schedule that makes the release; null: a user or key does. */
  readonly scheduleId: string | null
  /** Null: the request has no idempotency key. */
  readonly named: NamedRequest | null
  readonly tighten: boolean
}

function circumstances(move: Move) {
  const { approvals, isApprovalSkipped, acknowledged, scheduleId, tighten } = move
  const names = approvals.counted.map(({ person, personId }) => person ?? personId)
  return {
    ...omitUndefined({
      approved_by: names.length === 0 ? undefined : names,
      approval: isApprovalSkipped ? 'skipped by the policy of the environment' : undefined,
      acknowledged: acknowledged.length === 0 ? undefined : [...acknowledged],
      schedule: scheduleId ?? undefined,
      tighten: tighten || undefined,
    }),
  }
}

/** Call only with both locks of the place held. */
export async function makeRelease(tx: Tx, actor: Actor, move: Move): Promise<ReleaseResult> {
  const { config, live, environment, version, kind } = move
  const { projectId } = actor
  const note = move.note === null || move.note.trim() === '' ? null : move.note.trim()
  const id = freshId('rel')
  const place = toPointerPlace(move)
  const ids = { ...place, versionId: version.id }
  await setPointer(tx, { ...ids, releaseId: id, tighten: move.tighten })
  await endForRelease(tx, actor, { environment, config, version })
  const { revision } = await publishBundle(tx, place)
  await insertRelease(tx, {
    ...ids,
    id,
    kind,
    revision,
    note,
    authorId: readActorId(actor),
    previousId: live?.id ?? null,
    approvals: move.approvals.counted.map(({ personId, person, at, note: words }) => ({
      person_id: personId,
      person,
      at,
      note: words,
    })),
    approvalSkipped: move.isApprovalSkipped,
    acknowledged: move.acknowledged,
    scheduleId: move.scheduleId,
    requestKey: move.named?.key ?? null,
    requestDigest: move.named?.digest ?? null,
    tighten: move.tighten,
  })
  await settleAround(tx, move, id)
  const subject = { config: `${config.ns}/${config.key}`, environment: environment.name }
  const inherited = await findVersionOrigins({ projectId }, version, tx)
  await recordAudit(tx, {
    projectId,
    ...toAuditActor(actor),
    action: ACTION[kind],
    target: id,
    before: { ...subject, version: live?.number ?? null },
    after: {
      ...subject,
      version: version.number,
      digest: version.digest,
      revision,
      note,
      ...(inherited === null ? {} : { extends: inherited.extends, rules: inherited.origins }),
      ...circumstances(move),
    },
  })
  await notify(tx, { project: projectId, kind: 'config', id: config.id })
  const previousVersion = live?.number ?? null
  const made = { id, environment: environment.name, version: version.number, previousVersion }
  return { ok: true, release: { ...made, revision, rolloutId: null } }
}

/** Closes the approval request that the release answers. A rollback holds planned releases, and a manual release resumes them. */
async function settleAround(tx: Tx, move: Move, releaseId: string): Promise<void> {
  const { environment, version, live, kind, scheduleId } = move
  const place = toPointerPlace(move)
  const { projectId, configId } = place
  await deleteRequest(tx, { ...place, digest: version.digest })
  if (scheduleId !== null) {
    if (await settleSchedule(tx, { id: scheduleId, projectId }, releaseId)) return
    throw new ServiceError('conflict', 'The planned release was canceled in the meantime.')
  }
  if (kind === 'rollback') {
    const from = live === null ? '' : ` from v${live.number}`
    const reason = `${environment.name} was rolled back${from} to v${version.number}`
    await holdSchedules(tx, { projectId, configId, releaseId, reason })
    return
  }
  await resumeSchedules(tx, place)
}
