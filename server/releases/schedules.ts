// Planning asks for what no one can give later (note, typed name); every gate is evaluated at that time (specs/releases.md).

import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction, type Tx } from '@/server/platform/db/transaction.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { enqueue } from '@/server/platform/queue/enqueue.ts'
import { removeJob } from '@/server/platform/queue/jobs.sql.ts'
import { listCustomTypes } from '@/server/runtimes/runtimes.sql.ts'
import { archivedGates, contentGates, demandGates, refusalBy } from './place-gates.ts'
import type { Asking } from './release-input.ts'
import { type Refusal, refuse } from './release-outcome.ts'
import { lockPlace, type Place, type PlaceName, toPointerPlace } from './release-place.ts'
import { requireRelease } from './release-right.ts'
import { readContent, type Subject } from './release-subject.ts'
import {
  cancelSchedule,
  findSchedule,
  findWaiting,
  insertSchedule,
  moveSchedule,
  type PlacedSchedule,
} from './schedules.sql.ts'

const YEAR_MS = 366 * 86_400_000

export interface Instant {
  readonly dueAt: number
  readonly zone: string
}

/** Rejects with `invalid` for a time in the past, more than a year away, or in a zone that does not exist. */
function requireInstant({ dueAt, zone }: Instant): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
  } catch {
    throw new ServiceError('invalid', `There is no time zone "${zone}".`, 'zone')
  }
  const now = Date.now()
  if (dueAt <= now) throw new ServiceError('invalid', 'Choose a time in the future.', 'dueAt')
  if (dueAt > now + YEAR_MS) {
    throw new ServiceError('invalid', 'Choose a time within a year.', 'dueAt')
  }
}

const jobKey = (id: string): string => `schedule:${id}`

async function requireFree(tx: Tx, place: Place, except?: string): Promise<void> {
  const { environment, config } = place
  const other = await findWaiting(toPointerPlace(place), tx)
  if (other === null || other.id === except) return
  throw new ServiceError(
    'conflict',
    `A release of ${config.ns}/${config.key} to ${environment.name} is planned already. Cancel it or move it.`,
  )
}

interface AuditedSchedule {
  readonly action: 'release.scheduled' | 'release.rescheduled' | 'release.schedule_cancelled'
  readonly id: string
  readonly place: PlaceName
  readonly after?: { readonly [name: string]: string | number | null }
}

async function record(tx: Tx, scope: ProjectScope, told: AuditedSchedule): Promise<void> {
  const { action, id: target, place, after } = told
  const { ns, key, environment } = place
  await recordAudit(tx, {
    projectId: scope.projectId,
    ...toAuditActor(scope),
    action,
    target,
    after: { config: `${ns}/${key}`, environment, ...after },
  })
  await notify(tx, { project: scope.projectId, kind: 'config' })
}

function instantFields({ dueAt, zone }: Instant) {
  return { due_at: new Date(dueAt).toISOString(), zone }
}

function storedNote(note: string | null): string | null {
  const text = (note ?? '').trim()
  return text === '' ? null : text
}

export interface ScheduleRequest extends PlaceName, Instant {
  readonly subject: Subject
  readonly note: string | null
  readonly typedName: string | null
  readonly acknowledged?: readonly Asking[]
}

export type ScheduleResult = { readonly ok: true; readonly id: string } | Refusal

/** Rejects with `conflict` when another release of the config to the environment is planned. */
export async function scheduleRelease(
  scope: ProjectScope,
  request: ScheduleRequest,
): Promise<ScheduleResult> {
  await requireRelease(scope, request.environment)
  requireInstant(request)
  const { projectId, userId } = scope
  const { subject, dueAt, zone, acknowledged = [] } = request
  const customTypes = await listCustomTypes(scope)
  return await inTransaction(async (tx) => {
    const place = await lockPlace(tx, scope, request)
    const { environment, config, live } = place
    const archived = refusalBy(archivedGates(place), request)
    if (archived !== null) return archived
    const read = await readContent(tx, { projectId, config, customTypes }, subject)
    if (!read.ok) return refuse(read.reason, read.message, read.problems)
    const { digest } = read.content
    const kind = subject.kind === 'draft' ? 'publish' : 'promote'
    // The draft may still be updated until then.
    const judged = contentGates(place, read.content, kind).filter(({ id }) => id !== 'behind')
    const missing = refusalBy([...judged, ...demandGates(environment)], request)
    if (missing !== null) return missing
    await requireFree(tx, place)
    const note = storedNote(request.note)
    const id = await insertSchedule(tx, {
      projectId,
      environmentId: environment.id,
      configId: config.id,
      digest,
      note,
      acknowledged,
      dueAt,
      zone,
      createdBy: userId,
      liveVersion: live?.number ?? null,
      draftId: subject.kind === 'draft' ? subject.draftId : null,
      version: subject.kind === 'version' ? subject.version : null,
    })
    await enqueue(tx, {
      task: 'release.scheduled',
      payload: { scheduleId: id },
      runAt: dueAt,
      key: jobKey(id),
    })
    const after = { ...instantFields(request), digest, note }
    await record(tx, scope, { action: 'release.scheduled', id, place: request, after })
    return { ok: true, id }
  })
}

async function requireSchedule(scope: ProjectScope, id: string): Promise<PlacedSchedule> {
  const schedule = await findSchedule({ id, projectId: scope.projectId })
  if (schedule === null) throw new ServiceError('not_found', 'There is no such plan.')
  return schedule
}

const TOO_LATE = 'It was already released or canceled.'

/** Also dismisses a refused plan. Rejects with `conflict` when it was already released or canceled. */
export async function cancelScheduled(scope: ProjectScope, id: string): Promise<void> {
  const schedule = await requireSchedule(scope, id)
  await requireRelease(scope, schedule.environment)
  await inTransaction(async (tx) => {
    await lockPlace(tx, scope, schedule)
    if (!(await cancelSchedule(tx, { id, projectId: scope.projectId })))
      throw new ServiceError('conflict', TOO_LATE)
    await removeJob(tx, jobKey(id))
    await record(tx, scope, { action: 'release.schedule_cancelled', id, place: schedule })
  })
}

/** A held or refused plan can move, too. `expectedLive`: live version that the user saw; rejects with `conflict` when it changed. */
export async function reschedule(
  scope: ProjectScope,
  input: Instant & { readonly id: string; readonly expectedLive: number | null },
): Promise<void> {
  requireInstant(input)
  const { id, dueAt, zone, expectedLive } = input
  const schedule = await requireSchedule(scope, id)
  await requireRelease(scope, schedule.environment)
  await inTransaction(async (tx) => {
    const place = await lockPlace(tx, scope, schedule)
    await requireFree(tx, place, id)
    const liveVersion = place.live?.number ?? null
    if (liveVersion !== expectedLive) {
      const runs = liveVersion === null ? 'nothing' : `v${liveVersion}`
      throw new ServiceError(
        'conflict',
        `${schedule.environment} runs ${runs} now. Review the plan again.`,
      )
    }
    const { projectId } = scope
    if (!(await moveSchedule(tx, { id, projectId }, { dueAt, zone, liveVersion }))) {
      throw new ServiceError('conflict', TOO_LATE)
    }
    await enqueue(tx, {
      task: 'release.scheduled',
      payload: { scheduleId: id },
      runAt: dueAt,
      key: jobKey(id),
    })
    const after = instantFields(input)
    await record(tx, scope, { action: 'release.rescheduled', id, place: schedule, after })
  })
}
