// Raising a share requires what the environment demands of a release. Lowering and stopping require nothing, like a rollback.

import { publishBundle } from '@/server/bundles/bundles.ts'
import { findConfigById } from '@/server/configs/configs.sql.ts'
import { findVersion, findVersionById } from '@/server/configs/versions.sql.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import type { Actor } from '@/server/platform/auth/scope.ts'
import { readActorId } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction, type Tx } from '@/server/platform/db/transaction.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { demandGates, refusalBy } from '@/server/releases/place-gates.ts'
import { type Refusal, refuse } from '@/server/releases/release-outcome.ts'
import {
  lockPlace,
  type Place,
  type PlaceName,
  toPointerPlace,
} from '@/server/releases/release-place.ts'
import { requireRelease } from '@/server/releases/release-right.ts'
import { findCurrentRelease, findRelease } from '@/server/releases/releases.sql.ts'
import {
  beginWatch,
  changeShadow,
  endRollout,
  type Watch,
} from '@/server/releases/staged-rollout-life.ts'
import {
  changeRollout,
  findRollout,
  findRunningRollout,
  insertChange,
  type RolloutRow,
} from '@/server/releases/staged-rollouts.sql.ts'

export type CohortResult = { readonly ok: true } | Refusal

interface Locked {
  readonly place: Place
  readonly rollout: RolloutRow
}

/** Null: it has ended. Rejects with `not_found` for a rollout of another project. */
async function lockRollout(tx: Tx, actor: Actor, id: string): Promise<Locked | null> {
  const { projectId } = actor
  const seen = await findRollout({ id, projectId }, tx)
  if (seen === null) throw new ServiceError('not_found', 'There is no such rollout.')
  await requireRelease(actor, seen.environment)
  const place = await lockPlace(tx, actor, seen)
  const rollout = await findRollout({ id, projectId }, tx)
  return rollout?.state === 'running' ? { place, rollout } : null
}

const OVER = 'This rollout has ended: another user or its guard ended it. Reload the page.'

export interface ShareRequest {
  readonly rolloutId: string
  /** Per mille, 1 to 999. */
  readonly share: number
  readonly note: string | null
  readonly typedName: string | null
}

export async function changeShare(actor: Actor, request: ShareRequest): Promise<CohortResult> {
  const { rolloutId, share, note } = request
  return await inTransaction(async (tx) => {
    const locked = await lockRollout(tx, actor, rolloutId)
    if (locked === null) return refuse('moved', OVER)
    const { place, rollout } = locked
    if (rollout.kind !== 'staged')
      throw new ServiceError('invalid', 'Every session has this version already.')
    const { name } = place.environment
    const demands = share > rollout.share ? demandGates(place.environment) : []
    const missing = refusalBy(demands, { ...request, environment: name })
    if (missing !== null) return missing
    if (share === rollout.share) return refuse('unchanged', `The share is ${share / 10}% already.`)
    await changeRollout(tx, rollout, { share })
    const { revision } = await publishBundle(tx, rollout)
    const { projectId } = actor
    const { environment, ns, key } = rollout
    await insertChange(tx, {
      rolloutId,
      projectId,
      kind: 'share',
      share,
      revision,
      note,
      authorId: readActorId(actor),
    })
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(actor),
      action: 'rollout.share_changed',
      target: rolloutId,
      before: { config: `${ns}/${key}`, environment, share_per_mille: rollout.share },
      after: { config: `${ns}/${key}`, environment, share_per_mille: share, note, revision },
    })
    await notify(tx, { project: projectId, kind: 'config', id: rollout.configId })
    return { ok: true }
  })
}

/** New sessions get the live version again; running ones keep theirs. A watch ends, and its release stays. */
export async function stopRollout(
  actor: Actor,
  { rolloutId, note }: { readonly rolloutId: string; readonly note: string | null },
): Promise<CohortResult> {
  return await inTransaction(async (tx) => {
    const locked = await lockRollout(tx, actor, rolloutId)
    if (locked === null) return refuse('moved', OVER)
    const { rollout } = locked
    const end = { state: 'stopped', reason: null, note } as const
    await endRollout(tx, actor, { rollout, end, newBundle: rollout.kind === 'staged' })
    return { ok: true }
  })
}

export interface WatchRequest {
  readonly releaseId: string
  readonly watch: Watch
  readonly note: string | null
}

export async function watchRelease(
  actor: Actor,
  { releaseId, watch, note }: WatchRequest,
): Promise<CohortResult> {
  const { projectId } = actor
  const release = await findRelease(actor, releaseId)
  if (release === null) throw new ServiceError('not_found', 'There is no such release.')
  await requireRelease(actor, release.environment)
  return await inTransaction(async (tx) => {
    const prompt = await findConfigById({ projectId, id: release.configId }, tx)
    if (prompt === null) throw new ServiceError('not_found', 'There is no such config.')
    const place = await lockPlace(tx, actor, { ...prompt, environment: release.environment })
    const where = toPointerPlace(place)
    const current = await findCurrentRelease(where, tx)
    if (current?.id !== releaseId || place.live === null)
      return refuse(
        'moved',
        `Another version is live in ${release.environment} now. Reload the page.`,
      )
    const running = await findRunningRollout(tx, where)
    if (running !== null)
      return refuse('unchanged', 'A rollout of this config runs here already. Stop it first.')
    const { previousId: id } = release
    const base = id === null ? null : await findVersionById({ projectId, id }, tx)
    if (base === null)
      return refuse('nothing_before', `Nothing ran in ${release.environment} before this release.`)
    await beginWatch(tx, actor, { ...place, version: place.live, base, note, watch })
    return { ok: true }
  })
}

/** `version` null ends it. */
export async function setShadowVersion(
  actor: Actor,
  request: PlaceName & { readonly version: number | null },
): Promise<CohortResult> {
  await requireRelease(actor, request.environment)
  return await inTransaction(async (tx) => {
    const { environment, config, live } = await lockPlace(tx, actor, request)
    const number = request.version
    if (number === null) {
      await changeShadow(tx, actor, { environment, config, version: null })
      return { ok: true }
    }
    const version = await findVersion({ configId: config.id, number }, tx)
    if (version === null)
      throw new ServiceError('not_found', `There is no version ${number}.`, 'version')
    if (live === null)
      return refuse(
        'nothing_before',
        `${environment.name} has no live version to compare it with. Publish one there first.`,
      )
    if (live.digest === version.digest)
      return refuse(
        'unchanged',
        `${environment.name} runs exactly this content, as v${live.number}.`,
      )
    await changeShadow(tx, actor, { environment, config, version })
    return { ok: true }
  })
}
