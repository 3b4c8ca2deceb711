// A revision counts as applied only when it is reported (specs/data-plane.md).
import type { HeartbeatRequest, RegisterRequest } from '@signalbox/wire'
import { loadCurrentBundle } from '@/server/bundles/bundles.ts'
import { keyRecords } from '@/server/bundles/key-records.ts'
import { bundlePublicKey } from '@/server/bundles/signing-seed.ts'
import type { KeyScope } from '@/server/platform/auth/scope.ts'
import { registerCache } from '@/server/platform/base/process-memory.ts'
import { inSqlTransaction } from '@/server/platform/db/sql-transaction.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { freshId } from '@/server/platform/ids.ts'
import type { ChangeNotification } from '@/server/platform/live/change-notification.ts'
import { notify, notifySoon } from '@/server/platform/live/live-bus.ts'
import { writeTogether } from '@/server/platform/write-together.ts'
import {
  type Heartbeat,
  moveSessions,
  type UnrecordedOrder,
  writeHeartbeats,
} from './heartbeats.sql.ts'
import { HEARTBEAT_SECONDS } from './runtime-status.ts'
import { insertRuntime, type RuntimeReport, updateRegistration } from './runtimes.sql.ts'

/** A lost notification costs one heartbeat, so a poll only helps a runtime whose heartbeats and stream both fail. */
const POLL_SECONDS = 300

/** Each transaction takes as long as the reports of fifty runtimes. */
const GATHER_MS = 100
/** Further pauses while every waiting heartbeat reports what its runtime reported before. */
const CALM_RESTS = 9

/** Returns the runtime's id: the given one if it is known here, or else a new one. */
export async function registerRuntime(scope: KeyScope, request: RegisterRequest) {
  const now = new Date()
  const { projectId, environment } = scope
  const { project } = await loadCurrentBundle(scope)
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
    public_key: await bundlePublicKey(projectId),
    server_time: now.getTime(),
    poll_seconds: POLL_SECONDS,
    heartbeat_seconds: HEARTBEAT_SECONDS,
    keys: (await keyRecords(projectId)).digest,
    orders: true,
  }
}

function toRuntimeReport(request: HeartbeatRequest, now: number): RuntimeReport {
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

/** By runtime: the part of its last report here that a page shows at once. */
const reported = registerCache(new Map<string, string>())
const MOST_REMEMBERED = 20_000

function describeReport(beat: Heartbeat): string {
  const { appliedRevision, appliedSource, rejectedRevision, rejectedReason, parts, keys } = beat
  const rejected = [rejectedRevision, rejectedReason]
  return JSON.stringify([appliedRevision, appliedSource, ...rejected, parts, ...keys])
}

const isNews = (beat: Heartbeat): boolean =>
  beat.isStopping || reported.get(beat.id) !== describeReport(beat)

function remember(beats: readonly Heartbeat[]): void {
  if (reported.size > MOST_REMEMBERED) reported.clear()
  for (const beat of beats) {
    if (beat.isStopping) reported.delete(beat.id)
    else reported.set(beat.id, describeReport(beat))
  }
}

interface Desired {
  readonly revision: number
  readonly keys: string
  readonly orders: readonly UnrecordedOrder[]
}

/** One statement, because after a release every runtime reports at once; it also reads the answers. Null: the runtime is not known here. */
const write = writeTogether<Heartbeat, Desired | null>({
  selectKeys: ({ id }) => [id],
  most: 500,
  restMs: GATHER_MS,
  calm: { rests: CALM_RESTS, isUrgent: isNews },
  isOnesFault: isDataError,
  async write(beats) {
    if (beats.some(({ movedSessions }) => movedSessions.length > 0))
      await inSqlTransaction((sql) => moveSessions(sql, beats))
    const rows = await inSqlTransaction((sql) => writeHeartbeats(sql, beats))
    remember(beats)
    const written = new Map(rows.map((row) => [row.id, row]))
    notifySoon(toNotifications(beats.filter(({ id }) => written.get(id)?.isNews === true)))
    const projects = [...new Set(beats.map(({ projectId }) => projectId))]
    const read = projects.map(async (id) => [id, (await keyRecords(id)).digest] as const)
    const keys = new Map(await Promise.all(read))
    return beats.map(({ id, projectId }) => {
      const row = written.get(id)
      return row === undefined
        ? null
        : {
            revision: row.desiredRevision,
            keys: keys.get(projectId) ?? '',
            orders: row.orders ?? [],
          }
    })
  },
})

/** More changed runtimes than this share one notification. */
const MANY = 10

function toNotifications(beats: readonly Heartbeat[]): readonly ChangeNotification[] {
  return [...new Set(beats.map(({ projectId }) => projectId))].flatMap(
    (project): readonly ChangeNotification[] => {
      const news = beats.filter(({ projectId }) => projectId === project)
      return news.length > MANY
        ? [{ project, kind: 'runtime' }]
        : news.map(({ id }) => ({ project, kind: 'runtime', id }))
    },
  )
}

/** True: PostgreSQL refused a value, which is the fault of the row that contains it. */
function isDataError(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    /^2[23]/.test(error.code)
  )
}

/** Null: the runtime is not known here and must register (again). */
export async function recordHeartbeat(
  scope: KeyScope,
  request: HeartbeatRequest,
): Promise<(Desired & { readonly serverTime: number }) | null> {
  const now = new Date()
  const { projectId, environment } = scope
  const desired = await write({
    ...toRuntimeReport(request, now.getTime()),
    id: request.runtime_id,
    projectId,
    environment,
    now,
    isStopping: request.stopping === true,
    keys: request.keys ?? [],
    takesOrders: request.orders === true,
    movedSessions: request.moved_sessions ?? [],
    parts: request.parts === undefined ? null : JSON.stringify(request.parts),
  })
  return desired === null ? null : { ...desired, serverTime: now.getTime() }
}
