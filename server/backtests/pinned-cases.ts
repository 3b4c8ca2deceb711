// Pinning copies the events that make up the state, up to the decision, because the session may be removed before the case is.
import { FOLDED_EVENT_TYPES } from '@signalbox/core/analysis'
import { parseEventId } from '@signalbox/wire'
import { findConfig } from '@/server/configs/configs.sql.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { type Actor, type ProjectScope, readActorId } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import type { LogPlace } from '@/server/sessions/log/session-log.sql.ts'
import { findRecordedEvent } from '@/server/sessions/recorded-event.ts'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'
import { isSeen } from './backtests.ts'
import { type Decided, explainMisfit, readDecided } from './decided.ts'
import { findCase, findPinnedCase, type PinnedCase } from './pinned-case-list.sql.ts'
import {
  type CaseVerdict,
  copyLog,
  deleteCase,
  insertCase,
  type NewCase,
  updateCase,
} from './pinned-cases.sql.ts'

/** A longer log is not copied, because a case should depend only on what led to it. */
const MOST_EVENTS = 50_000

interface Found {
  readonly session: SessionHead
  readonly place: LogPlace
  readonly seq: number
  readonly decided: Decided & { readonly configDigest: string | null }
}

/** `id`: id of a stop (`stop_…`) or a decision (`dec_…`). */
async function requireDecided(scope: Actor, id: string): Promise<Found> {
  const found = id.startsWith('evt_') ? null : await findRecordedEvent(scope, id)
  const missing = new ServiceError('not_found', `There is no stop or decision ${id}.`)
  if (found === null) throw missing
  const { session, place, row, event } = found
  const decided = readDecided(event)
  if (decided === null) throw missing
  return {
    session,
    place,
    seq: event.seq,
    decided: { ...decided, configDigest: row.config ?? place.configDigest },
  }
}

/** Null: it is not pinned, or there is no such record. */
export async function loadCase(scope: ProjectScope, id: string): Promise<PinnedCase | null> {
  const parsed = parseEventId(id)
  return parsed === null ? null : await findPinnedCase(scope.projectId, parsed)
}

export interface Pin {
  readonly id: string
  /** Absent: as recorded. */
  readonly expected?: CaseVerdict | undefined
  readonly note?: string | undefined
}

/** Pinning the same decision again returns the first case. Rejects with `not_found`, `invalid` or, without a config, `conflict`. */
export async function pinCase(scope: Actor, pin: Pin): Promise<PinnedCase> {
  const { projectId } = scope
  const { session, place, seq, decided } = await requireDecided(scope, pin.id)
  const { ns, key, environment } = session
  const config = await findConfig(scope, { ns, key })
  if (config === null) {
    throw new ServiceError(
      'conflict',
      `There is no config "${ns}/${key}" to test. Create it first.`,
    )
  }
  if (seq > MOST_EVENTS) {
    throw new ServiceError(
      'limit',
      `The decision is event ${seq} of its session, and cases rest on the first ${MOST_EVENTS} at most.`,
    )
  }
  const { sentence: name, ...what } = decided
  const expected = pin.expected ?? decided.recorded
  requireFitting(decided.kind, expected)
  const row: NewCase = {
    projectId,
    configId: config.id,
    sessionId: session.id,
    seq,
    ...what,
    name,
    expected,
    note: pin.note ?? null,
    environment,
    createdBy: readActorId(scope),
  }
  await inTransaction(async (tx) => {
    const id = await insertCase(tx, row)
    if (id === null) return
    const { sessionId, partitionDay } = place
    const log = { projectId, sessionId, partitionDay, upTo: seq, types: FOLDED_EVENT_TYPES }
    await copyLog(tx, log)
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(scope),
      action: 'case.pinned',
      target: id,
      after: { config: `${ns}/${key}`, event: pin.id, expected },
    })
    await notify(tx, { project: projectId, kind: 'backtest' })
  })
  const made = await findPinnedCase(projectId, { session: session.id, seq })
  if (made === null) throw new ServiceError('conflict', 'The case was removed in the meantime.')
  return made
}

function requireFitting(kind: Decided['kind'], expected: CaseVerdict): void {
  const sentence = explainMisfit(kind, expected)
  if (sentence !== null) throw new ServiceError('invalid', sentence, 'expected')
}

async function requireCase(scope: Actor, id: string): Promise<PinnedCase> {
  const found = await findCase(scope.projectId, id)
  if (found !== null && isSeen(scope, found.environment)) return found
  throw new ServiceError('not_found', `There is no pinned case ${id}.`)
}

/** Rejects with `not_found` or `invalid`. */
export async function changeCase(
  scope: Actor,
  change: {
    readonly id: string
    /** Absent: unchanged. */
    readonly expected?: CaseVerdict | undefined
    readonly note?: string | null | undefined
  },
): Promise<void> {
  const { projectId } = scope
  const { kind, expected, note } = await requireCase(scope, change.id)
  const after = {
    expected: change.expected ?? expected,
    note: change.note === undefined ? note : change.note,
  }
  requireFitting(kind, after.expected)
  await inTransaction(async (tx) => {
    await updateCase(tx, { id: change.id, ...after, projectId })
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(scope),
      action: 'case.changed',
      target: change.id,
      before: { expected, note },
      after,
    })
    await notify(tx, { project: projectId, kind: 'backtest' })
  })
}

/** Deletes the case, and the part of its log that no other case needs. Rejects with `not_found`. */
export async function unpinCase(scope: Actor, id: string): Promise<void> {
  const { projectId } = scope
  const { sessionId, seq } = await requireCase(scope, id)
  await inTransaction(async (tx) => {
    await deleteCase(tx, { id, projectId, sessionId })
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(scope),
      action: 'case.unpinned',
      target: id,
      before: { session: sessionId, seq },
    })
    await notify(tx, { project: projectId, kind: 'backtest' })
  })
}
