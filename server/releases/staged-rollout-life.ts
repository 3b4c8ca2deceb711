// Always by the holder of the environment's lock, in one transaction (specs/staged-rollouts.md).

import type { JsonObject } from '@signalbox/core'
import { publishBundle } from '@/server/bundles/bundles.ts'
import type { VersionRow } from '@/server/configs/versions.sql.ts'
import { wherePointer } from '@/server/environments/environments.sql.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { type Actor, type InProject, readActorId } from '@/server/platform/auth/scope.ts'
import type { Tx } from '@/server/platform/db/transaction.ts'
import { freshId, SYSTEM_ID } from '@/server/platform/ids.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { toPointerPlace } from './release-place.ts'
import {
  findRunningRollout,
  type Guard,
  insertChange,
  insertRollout,
  type RolloutRow,
  type RolloutState,
  setShadow,
  settleRollout,
} from './staged-rollouts.sql.ts'

export interface Stage {
  /** Per mille, 1 to 999. */
  readonly share: number
  readonly guard: Guard
}

export interface Watch {
  readonly hours: number
  readonly guard: Guard
}

export interface RolloutPlace {
  readonly environment: InProject & { readonly id: string; readonly name: string }
  readonly config: { readonly id: string; readonly ns: string; readonly key: string }
}

interface Begun extends RolloutPlace {
  readonly version: VersionRow
  readonly base: VersionRow
  readonly note: string | null
}

/** Starts a rollout; the previous one must have ended. Returns its id and the revision that carries it. */
export async function beginStage(
  tx: Tx,
  actor: Actor,
  { stage, ...begun }: Begun & { readonly stage: Stage },
): Promise<{ readonly id: string; readonly revision: number }> {
  const { share, guard } = stage
  const id = await insert(tx, actor, { ...begun, kind: 'staged', share, guard, endsAt: null })
  const { revision } = await publishBundle(tx, toPointerPlace(begun))
  await tell(tx, actor, { id, ...begun, share, revision, guard })
  return { id, revision }
}

export async function beginWatch(
  tx: Tx,
  actor: Actor,
  { watch, ...begun }: Begun & { readonly watch: Watch },
): Promise<void> {
  const { guard } = watch
  const endsAt = new Date(Date.now() + watch.hours * 3_600_000)
  const id = await insert(tx, actor, { ...begun, kind: 'watch', share: 1000, guard, endsAt })
  await tell(tx, actor, { id, ...begun, share: 1000, revision: null, guard })
}

async function insert(
  tx: Tx,
  actor: Actor,
  begun: Begun & {
    readonly kind: 'staged' | 'watch'
    readonly share: number
    readonly guard: Guard
    readonly endsAt: Date | null
  },
): Promise<string> {
  const { environment, config, version, base, note, kind, share, guard, endsAt } = begun
  const id = freshId('roll')
  await insertRollout(tx, {
    id,
    ...toPointerPlace({ environment, config }),
    kind,
    share,
    note,
    endsAt,
    ...guard,
    versionId: version.id,
    baseVersionId: base.id,
    authorId: readActorId(actor),
  })
  return id
}

async function tell(
  tx: Tx,
  actor: Actor,
  told: Begun & {
    readonly id: string
    readonly share: number
    readonly revision: number | null
    readonly guard: Guard
  },
): Promise<void> {
  const { id, environment, config, version, base, note, share, revision, guard } = told
  const { projectId } = actor
  const authorId = readActorId(actor)
  await insertChange(tx, {
    rolloutId: id,
    projectId,
    kind: 'started',
    share,
    revision,
    note,
    authorId,
  })
  await recordAudit(tx, {
    projectId,
    ...toAuditActor(actor),
    action: 'rollout.started',
    target: id,
    after: {
      ...toRolloutSubject({ environment, config }),
      version: version.number,
      beside: base.number,
      share_per_mille: share,
      note,
      revision,
      guard: { metric: guard.metric, ratio: guard.ratio, min_sessions: guard.minSessions },
    },
  })
  await notify(tx, { project: projectId, kind: 'config', id: config.id })
}

function toRolloutSubject({ environment, config }: RolloutPlace): JsonObject {
  return { config: `${config.ns}/${config.key}`, environment: environment.name }
}

const ACTION = {
  completed: 'rollout.completed',
  stopped: 'rollout.stopped',
  rolled_back: 'rollout.rolled_back',
  passed: 'rollout.passed',
} as const satisfies Record<Exclude<RolloutState, 'running'>, string>

export interface RolloutEnd {
  readonly state: Exclude<RolloutState, 'running'>
  /** Explanation of the end; null: the state needs none. */
  readonly reason: string | null
  readonly note: string | null
}

/** `newBundle` false: the caller makes the bundle that carries the change. */
export async function endRollout(
  tx: Tx,
  actor: Actor,
  ended: { readonly rollout: RolloutRow; readonly end: RolloutEnd; readonly newBundle: boolean },
): Promise<void> {
  const { rollout, end, newBundle } = ended
  const { projectId } = actor
  const { configId, share } = rollout
  await settleRollout(tx, rollout, { state: end.state, reason: end.reason })
  const revision = newBundle ? (await publishBundle(tx, rollout)).revision : null
  await insertChange(tx, {
    rolloutId: rollout.id,
    projectId,
    kind: end.state,
    share,
    revision,
    note: end.reason ?? end.note,
    authorId: readActorId(actor),
  })
  const { environment, ns, key } = rollout
  await recordAudit(tx, {
    projectId,
    ...toAuditActor(actor),
    action: ACTION[end.state],
    target: rollout.id,
    after: {
      config: `${ns}/${key}`,
      environment,
      share_per_mille: share,
      reason: end.reason,
      note: end.note,
      revision,
    },
  })
  await notify(tx, { project: projectId, kind: 'config', id: configId })
}

/** Call before a release makes its bundle. Ends the running rollout of the config, and the shadow version if it goes live. */
export async function endForRelease(
  tx: Tx,
  actor: Actor,
  { environment, config, version }: RolloutPlace & { readonly version: VersionRow },
): Promise<void> {
  const place = toPointerPlace({ environment, config })
  const rollout = await findRunningRollout(tx, place)
  if (rollout !== null) {
    const state = findEnd(rollout, { version, isBySystem: readActorId(actor) === SYSTEM_ID })
    const reason = {
      completed: null,
      rolled_back: rollout.reason,
      stopped: `v${version.number} was released.`,
    }[state]
    await endRollout(tx, actor, { rollout, end: { state, reason, note: null }, newBundle: false })
  }
  await tx.environmentPointer.updateMany({
    where: { ...wherePointer(place), shadowVersionId: version.id },
    data: { shadowVersionId: null, shadowSince: null },
  })
}

/** A running watch has a reason once its version is worse; the job then releases the version before it. */
function findEnd(
  { kind, versionId, baseVersionId, reason }: RolloutRow,
  { version, isBySystem }: { readonly version: VersionRow; readonly isBySystem: boolean },
): 'completed' | 'rolled_back' | 'stopped' {
  if (kind === 'staged') return versionId === version.id ? 'completed' : 'stopped'
  const isRolledBack = isBySystem && reason !== null && baseVersionId === version.id
  return isRolledBack ? 'rolled_back' : 'stopped'
}

/** Starts, replaces or (null) ends the shadow version, and publishes a bundle with the change. */
export async function changeShadow(
  tx: Tx,
  actor: Actor,
  { environment, config, version }: RolloutPlace & { readonly version: VersionRow | null },
): Promise<void> {
  const place = toPointerPlace({ environment, config })
  await setShadow(tx, place, version?.id ?? null)
  const { revision } = await publishBundle(tx, place)
  const { projectId } = actor
  await recordAudit(tx, {
    projectId,
    ...toAuditActor(actor),
    action: version === null ? 'shadow.stopped' : 'shadow.started',
    target: config.id,
    after: {
      ...toRolloutSubject({ environment, config }),
      ...(version === null ? {} : { version: version.number, digest: version.digest }),
      revision,
    },
  })
  await notify(tx, { project: projectId, kind: 'config', id: config.id })
}
