// Scheduled releases. Each change of state names the states that it may follow, so that of a concurrent job and user exactly one succeeds.
import 'server-only'
import type { PointerPlace } from '@/server/environments/environments.sql.ts'
import type { InProject, RowInProject } from '@/server/platform/auth/scope.ts'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import { type AuthorizedProjectId, freshId } from '@/server/platform/ids.ts'

export type ScheduleState = 'pending' | 'held' | 'released' | 'refused' | 'cancelled'

export interface ScheduleRow {
  readonly id: string
  readonly projectId: string
  readonly environmentId: string
  readonly configId: string
  readonly draftId: string | null
  readonly version: number | null
  readonly digest: string
  readonly liveVersion: number | null
  readonly note: string | null
  readonly acknowledged: readonly string[]
  readonly dueAt: number
  readonly zone: string
  readonly state: ScheduleState
  /** Explanation of the refusal or hold; null: neither. */
  readonly reason: string | null
  readonly createdBy: string
}

interface StoredSchedule extends Omit<ScheduleRow, 'dueAt'> {
  readonly dueAt: Date
}

const COLUMNS = {
  id: true,
  projectId: true,
  environmentId: true,
  configId: true,
  draftId: true,
  version: true,
  digest: true,
  liveVersion: true,
  note: true,
  acknowledged: true,
  dueAt: true,
  zone: true,
  state: true,
  reason: true,
  createdBy: true,
} as const

function toScheduleRow(row: StoredSchedule): ScheduleRow {
  return { ...row, dueAt: row.dueAt.getTime() }
}

export interface PlacedSchedule extends ScheduleRow {
  readonly ns: string
  readonly key: string
  readonly environment: string
}

/** `projectId` absent: for the job, which acts for the user who planned the release. */
export async function findSchedule(
  where: { readonly id: string; readonly projectId?: AuthorizedProjectId },
  tx: Tx = reader(),
): Promise<PlacedSchedule | null> {
  const row = await tx.scheduledRelease.findFirst({
    where,
    select: {
      ...COLUMNS,
      config: { select: { ns: true, key: true } },
      environment: { select: { name: true } },
    },
  })
  if (row === null) return null
  const { config, environment, ...rest } = row
  return { ...toScheduleRow(rest), ...config, environment: environment.name }
}

/** The pending or held plan for the config in the environment, of which there is at most one; null: none. */
export async function findWaiting(where: PointerPlace, tx: Tx): Promise<ScheduleRow | null> {
  const row = await tx.scheduledRelease.findFirst({
    where: { ...where, state: { in: ['pending', 'held'] } },
    select: COLUMNS,
  })
  return row === null ? null : toScheduleRow(row)
}

export type NewSchedule = Omit<ScheduleRow, 'id' | 'state' | 'reason'> & InProject

/** Only for the holder of the environment's lock. Returns the new id. */
export async function insertSchedule(tx: Tx, row: NewSchedule): Promise<string> {
  const id = freshId('sch')
  const { dueAt, acknowledged, ...rest } = row
  await tx.scheduledRelease.create({
    data: { id, ...rest, acknowledged: [...acknowledged], dueAt: new Date(dueAt) },
  })
  return id
}

/** True: it was pending and is released now. */
export async function settleSchedule(
  tx: Tx,
  { id, projectId }: RowInProject,
  releaseId: string,
): Promise<boolean> {
  const { count } = await tx.scheduledRelease.updateMany({
    where: { id, projectId, state: 'pending' },
    data: { state: 'released', releaseId, settledAt: new Date() },
  })
  return count === 1
}

/** True: it was pending and is refused now. It stays visible until a user cancels or moves it. */
export async function refuseSchedule(
  tx: Tx,
  { id, projectId }: RowInProject,
  reason: string,
): Promise<boolean> {
  const { count } = await tx.scheduledRelease.updateMany({
    where: { id, projectId, state: 'pending' },
    data: { state: 'refused', reason, settledAt: new Date() },
  })
  return count === 1
}

/** False: it was already released or canceled. */
export async function cancelSchedule(tx: Tx, { id, projectId }: RowInProject): Promise<boolean> {
  const { count } = await tx.scheduledRelease.updateMany({
    where: { id, projectId, state: { in: ['pending', 'held', 'refused'] } },
    data: { state: 'cancelled', settledAt: new Date() },
  })
  return count === 1
}

/** True: it is pending for the new time, even if it was held or refused. */
export async function moveSchedule(
  tx: Tx,
  { id, projectId }: RowInProject,
  change: Pick<ScheduleRow, 'dueAt' | 'zone' | 'liveVersion'>,
): Promise<boolean> {
  const { dueAt, zone, liveVersion } = change
  const { count } = await tx.scheduledRelease.updateMany({
    where: { id, projectId, state: { in: ['pending', 'held', 'refused'] } },
    data: {
      zone,
      liveVersion,
      dueAt: new Date(dueAt),
      state: 'pending',
      reason: null,
      heldBy: null,
      settledAt: null,
    },
  })
  return count === 1
}

/** After a rollback, holds every pending plan of the config, in all environments. */
export async function holdSchedules(
  tx: Tx,
  change: InProject & {
    readonly configId: string
    readonly releaseId: string
    readonly reason: string
  },
): Promise<void> {
  const { projectId, configId, releaseId: heldBy, reason } = change
  await tx.scheduledRelease.updateMany({
    where: { projectId, configId, state: 'pending' },
    data: { state: 'held', heldBy, reason },
  })
}

/** Resumes plans that a rollback there held. A plan that missed its time is refused, because no one expects it anymore. */
export async function resumeSchedules(
  tx: Tx,
  { projectId, environmentId, configId }: PointerPlace,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE scheduled_releases s SET
      state = CASE WHEN s.due_at > now() THEN 'pending'::schedule_state ELSE 'refused'::schedule_state END,
      reason = CASE WHEN s.due_at > now() THEN NULL ELSE 'Its time passed while it was held. Schedule it again.' END,
      settled_at = CASE WHEN s.due_at > now() THEN NULL ELSE now() END, held_by = NULL
    FROM releases r
    WHERE s.project_id = ${projectId} AND s.config_id = ${configId} AND s.state = 'held' AND r.id = s.held_by AND r.environment_id = ${environmentId}`
}
