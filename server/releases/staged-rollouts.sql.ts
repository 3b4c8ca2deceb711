// The environment's pointer names the running rollout, so there is never more than one. Only the holder of its lock writes.
import 'server-only'
import type { JsonValue } from '@signalbox/core'
import { type PointerPlace, wherePointer } from '@/server/environments/environments.sql.ts'
import type { InProject, RowInProject } from '@/server/platform/auth/scope.ts'
import { Prisma } from '@/server/platform/db/generated/client.ts'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import { type AuthorizedProjectId, freshId } from '@/server/platform/ids.ts'
import { countedTerm } from '@/server/platform/sql/counted-term.ts'
import { SESSION_TABLES, STATUS_SQL } from '@/server/sessions/session-columns.sql.ts'

export type RolloutKind = 'staged' | 'watch'
export type RolloutState = 'running' | 'completed' | 'stopped' | 'rolled_back' | 'passed'
export type GuardMetric = 'denials' | 'blocks' | 'overrides'

export interface Guard {
  readonly metric: GuardMetric
  /** Highest allowed multiple of the base's mean, at least 1. */
  readonly ratio: number
  readonly minSessions: number
}

export interface RolloutRow extends Guard, PointerPlace {
  readonly id: string
  readonly environment: string
  readonly ns: string
  readonly key: string
  readonly versionId: string
  readonly baseVersionId: string
  readonly kind: RolloutKind
  readonly state: RolloutState
  /** Per mille. */
  readonly share: number
  /** State of the sequential test, as JSON; null: nothing was evaluated yet. */
  readonly test: JsonValue
  readonly note: string | null
  readonly reason: string | null
  readonly authorId: string
  readonly createdAt: number
  /** Epoch ms; null for `staged`. */
  readonly endsAt: number | null
  readonly settledAt: number | null
  /** Time at which the version was found worse; null: it was not, or is no longer. */
  readonly worseAt: number | null
}

const WITH = {
  environment: { select: { name: true } },
  config: { select: { ns: true, key: true } },
} as const

type Found = Prisma.RolloutGetPayload<{ include: typeof WITH }>

function toRolloutRow(
  { environment, config, ...row }: Found,
  projectId: AuthorizedProjectId,
): RolloutRow {
  return {
    ...row,
    projectId,
    environment: environment.name,
    ...config,
    // The router accepts only these words, and rows are written from its input.
    metric: row.metric as GuardMetric,
    // Prisma's JSON type and ours differ in name only.
    test: row.test as JsonValue,
    createdAt: row.createdAt.getTime(),
    endsAt: row.endsAt?.getTime() ?? null,
    settledAt: row.settledAt?.getTime() ?? null,
    worseAt: row.worseAt?.getTime() ?? null,
  }
}

export async function findRollout(
  where: RowInProject,
  tx: Tx = reader(),
): Promise<RolloutRow | null> {
  const row = await tx.rollout.findFirst({ where, include: WITH })
  return row === null ? null : toRolloutRow(row, where.projectId)
}

export async function listRollouts(
  where: InProject & { readonly configId: string },
  most: number,
): Promise<readonly RolloutRow[]> {
  const rows = await reader().rollout.findMany({
    where,
    include: WITH,
    orderBy: { createdAt: 'desc' },
    take: most,
  })
  return rows.map((row) => toRolloutRow(row, where.projectId))
}

export async function findRollouts(
  { projectId }: InProject,
  ids: readonly string[],
): Promise<readonly RolloutRow[]> {
  const rows = await reader().rollout.findMany({
    where: { projectId, id: { in: [...ids] } },
    include: WITH,
  })
  return rows.map((row) => toRolloutRow(row, projectId))
}

export async function listRunning(): Promise<
  readonly { readonly id: string; readonly projectId: string }[]
> {
  return await reader().rollout.findMany({
    where: { state: 'running' },
    select: { id: true, projectId: true },
    orderBy: { id: 'asc' },
    take: 1_000,
  })
}

export async function findRunningRollout(tx: Tx, place: PointerPlace): Promise<RolloutRow | null> {
  const pointer = await tx.environmentPointer.findFirst({
    where: wherePointer(place),
    select: { rolloutId: true },
  })
  const id = pointer?.rolloutId ?? null
  return id === null ? null : await findRollout({ id, projectId: place.projectId }, tx)
}

export interface NewRollout extends Guard, PointerPlace {
  readonly id: string
  readonly versionId: string
  readonly baseVersionId: string
  readonly kind: RolloutKind
  readonly share: number
  readonly note: string | null
  readonly authorId: string
  readonly endsAt: Date | null
}

export async function insertRollout(tx: Tx, rollout: NewRollout): Promise<void> {
  await tx.rollout.create({ data: rollout })
  await pointTo(tx, rollout, rollout.id)
  if (rollout.kind !== 'staged') return
  // Otherwise sessions of the share would be asked to return to the other version.
  await tx.environmentPointer.updateMany({
    where: wherePointer(rollout),
    data: { tighten: false },
  })
}

async function pointTo(tx: Tx, place: PointerPlace, rolloutId: string | null): Promise<void> {
  await tx.environmentPointer.updateMany({ where: wherePointer(place), data: { rolloutId } })
}

export async function settleRollout(
  tx: Tx,
  rollout: RowInProject & PointerPlace,
  end: { readonly state: Exclude<RolloutState, 'running'>; readonly reason: string | null },
): Promise<void> {
  await tx.rollout.update({
    where: { id: rollout.id, projectId: rollout.projectId },
    data: { ...end, settledAt: new Date() },
  })
  await pointTo(tx, rollout, null)
}

export async function changeRollout(
  tx: Tx,
  { id, projectId }: RowInProject,
  change:
    | { readonly reason: string }
    | { readonly share: number }
    | { readonly test: object; readonly reason: string | null; readonly worseAt: Date | null },
): Promise<void> {
  await tx.rollout.update({ where: { id, projectId }, data: change })
}

export interface RolloutChange {
  readonly rolloutId: string
  readonly projectId: AuthorizedProjectId
  readonly kind: 'started' | 'share' | Exclude<RolloutState, 'running'>
  readonly share: number
  /** Revision of the bundle that carries the change; null: no bundle was made. */
  readonly revision: number | null
  readonly note: string | null
  readonly authorId: string
}

export async function insertChange(tx: Tx, change: RolloutChange): Promise<void> {
  await tx.rolloutChange.create({ data: { id: freshId('rch'), ...change } })
}

const METRIC_COLUMN = {
  denials: Prisma.sql`s.denied`,
  blocks: Prisma.sql`s.stops_blocked`,
  overrides: Prisma.sql`s.overridden`,
} as const satisfies Record<GuardMetric, Prisma.Sql>

export interface JudgedSession {
  readonly id: string
  readonly cohort: 'base' | 'candidate'
  readonly value: number
}

const MOST_AT_ONCE = 2_000
const WATCH_BASE_DAYS = 14

/** Ended or lost, in the order of their ends, at most 2,000. A watch takes pairs: a session of the release, and the newest earlier one. */
export async function takeSessions(tx: Tx, rollout: RolloutRow): Promise<readonly JudgedSession[]> {
  const { id, projectId, environment, ns, key, metric, kind } = rollout
  const isWatch = kind === 'watch'
  const since = new Date(rollout.createdAt)
  const baseSince = isWatch ? new Date(rollout.createdAt - WATCH_BASE_DAYS * 86_400_000) : since
  return await tx.$queryRaw<JudgedSession[]>`
    WITH found AS (
      SELECT s.id, CASE WHEN s.config_digest = v.digest THEN 'candidate' ELSE 'base' END AS cohort,
        ${METRIC_COLUMN[metric]} AS value, coalesce(s.ended_at, s.last_event_at) AS over_at
      FROM ${Prisma.raw(SESSION_TABLES)}
      JOIN config_versions v ON v.id = ${rollout.versionId}
      JOIN config_versions b ON b.id = ${rollout.baseVersionId}
      WHERE s.project_id = ${projectId} AND s.environment = ${environment} AND s.ns = ${ns} AND s.key = ${key}
        AND ${Prisma.raw(STATUS_SQL)} <> 'running' AND ${Prisma.raw(countedTerm('s.id'))}
        AND ((s.config_digest = v.digest AND s.started_at >= ${since})
          OR (s.config_digest = b.digest AND s.started_at >= ${baseSince}))
        AND NOT EXISTS (SELECT 1 FROM rollout_sessions r WHERE r.rollout_id = ${id} AND r.session_id = s.id)
    ), placed AS (
      SELECT f.*, row_number() OVER (PARTITION BY cohort
        ORDER BY CASE WHEN ${isWatch} AND cohort = 'base' THEN -extract(epoch FROM over_at) ELSE extract(epoch FROM over_at) END, id) AS place
      FROM found f
    ), due AS (
      SELECT p.*, row_number() OVER (ORDER BY CASE WHEN ${isWatch} THEN place END, over_at, id) AS turn FROM placed p
      WHERE NOT ${isWatch} OR place <= least((SELECT count(*) FROM found WHERE cohort = 'base'), (SELECT count(*) FROM found WHERE cohort = 'candidate'))
      ORDER BY turn LIMIT ${MOST_AT_ONCE}
    ), taken AS (
      INSERT INTO rollout_sessions (rollout_id, session_id, project_id, cohort, value)
      SELECT ${id}, id, ${projectId}, cohort, value FROM due
      ON CONFLICT DO NOTHING RETURNING session_id
    )
    SELECT d.id, d.cohort, d.value FROM due d JOIN taken t ON t.session_id = d.id ORDER BY d.turn`
}

/** Sets the shadow version of a config in an environment; null ends it. Only for the holder of the environment's lock. */
export async function setShadow(
  tx: Tx,
  place: PointerPlace,
  versionId: string | null,
): Promise<void> {
  await tx.environmentPointer.updateMany({
    where: wherePointer(place),
    data: { shadowVersionId: versionId, shadowSince: versionId === null ? null : new Date() },
  })
}
