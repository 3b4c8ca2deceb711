import { plural } from '@signalbox/core/analysis'
import { type ArchiveSize, measureArchive } from '@/server/archive/archive.sql.ts'
import { archiveSessions, checkSegments, sweepSegments } from '@/server/archive/archive-sessions.ts'
import { lockEnvironmentList } from '@/server/environments/environments.sql.ts'
import { deleteOldLetters } from '@/server/event-log/dead-letters.sql.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { enqueue } from '@/server/platform/queue/enqueue.ts'
import { skipRemovedDecisions } from '@/server/webhook-streams/streams.ts'
import {
  BATCH,
  countOlder,
  deleteApplications,
  deleteDecisions,
  deleteLearned,
  deleteUnneeded,
  dropWhole,
  findRule,
  listArchivable,
  listOldPartitions,
  listRemovals,
  listRules,
  markOld,
  measureRecords,
  NO_RECORDS,
  type ProjectRule,
  type Removal,
  type RetentionCount,
  type RetentionRule,
  recordRemoval,
  writeRule,
} from './retention.sql.ts'

export interface RetentionOverview {
  readonly rule: RetentionRule
  readonly all: RetentionCount & { readonly bytesPerEvent: number | null }
  readonly archived: ArchiveSize
  readonly removals: readonly Removal[]
}

export async function loadRetention({ projectId }: ProjectScope): Promise<RetentionOverview> {
  const [rule, all, archived, removals] = await Promise.all([
    findRule(projectId),
    measureRecords(projectId),
    measureArchive(projectId),
    listRemovals(projectId),
  ])
  return { rule, all, archived, removals }
}

export interface RetentionPreview {
  readonly events: RetentionCount
  readonly decisions: number
  /** Estimated size of the removed events, by the average event of the database and the files of the archive; null: there is no average. */
  readonly bytes: number | null
  readonly all: RetentionCount
  /** Text that confirms the change; null: the rule removes nothing that the current one keeps. */
  readonly confirm: string | null
}

/** Records that the rule would remove now. Pinned cases have copies of their own, and running sessions are kept. */
export async function previewRetention(
  { projectId }: ProjectScope,
  rule: RetentionRule,
): Promise<RetentionPreview> {
  requireInOrder(rule)
  const { eventsDays, decisionsDays } = rule
  const [old, events, decisions, all] = await Promise.all([
    findRule(projectId),
    eventsDays === null ? NO_RECORDS : countOlder(projectId, eventsDays, 'events'),
    decisionsDays === null ? NO_RECORDS : countOlder(projectId, decisionsDays, 'decisions'),
    measureRecords(projectId),
  ])
  const bytes =
    events.rows > 0 && all.bytesPerEvent === null
      ? null
      : events.rows * (all.bytesPerEvent ?? 0) + events.archivedBytes
  const { sessions, events: count } = all
  const confirm = isShorter(rule, old)
    ? `remove ${plural(Math.max(events.sessions, decisions.sessions), 'session')}`
    : null
  const stored = { sessions, events: count }
  const removed = { sessions: events.sessions, events: events.events }
  return { events: removed, decisions: decisions.sessions, bytes, all: stored, confirm }
}

function requireInOrder({ archiveDays, eventsDays, decisionsDays }: RetentionRule): void {
  if (archiveDays !== null && eventsDays !== null && archiveDays >= eventsDays) {
    const message =
      'Events cannot be archived after they are removed. Archive them earlier, or keep them for longer.'
    throw new ServiceError('invalid', message, 'archiveDays')
  }
  if (decisionsDays === null) return
  if (eventsDays === null || eventsDays > decisionsDays) {
    const message =
      'Decisions cannot be removed before the events that led to them. Keep decisions at least as long as events.'
    throw new ServiceError('invalid', message, 'decisionsDays')
  }
}

function isShorter(rule: RetentionRule, old: RetentionRule): boolean {
  const days = (value: number | null): number => value ?? Number.POSITIVE_INFINITY
  return (
    days(rule.eventsDays) < days(old.eventsDays) ||
    days(rule.decisionsDays) < days(old.decisionsDays)
  )
}

/** Removes in a job. Rejects with `invalid` when decisions would go before events, or without the current number for a shorter rule. */
export async function changeRetention(
  scope: ProjectScope,
  { typed, ...rule }: RetentionRule & { readonly typed: string | null },
): Promise<void> {
  const { projectId } = scope
  const { confirm } = await previewRetention(scope, rule)
  if (confirm !== null && typed !== confirm)
    throw new ServiceError('invalid', `Type "${confirm}" to remove them.`, 'typed')
  await inTransaction(async (tx) => {
    await lockEnvironmentList(tx, projectId)
    const old = await findRule(projectId, tx)
    if (confirm === null && isShorter(rule, old))
      throw new ServiceError(
        'conflict',
        'Another user changed the rule meanwhile. Review it again.',
      )
    await writeRule(tx, { projectId, ...rule })
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(scope),
      action: 'retention.changed',
      target: projectId,
      before: toAuditFields(old),
      after: toAuditFields(rule),
    })
    await enqueue(tx, { task: 'retention.run', payload: {}, key: 'retention' })
  })
}

function toAuditFields({ archiveDays, eventsDays, decisionsDays }: RetentionRule) {
  return { archive_days: archiveDays, events_days: eventsDays, decisions_days: decisionsDays }
}

async function inBatches(step: () => Promise<number>, signal: AbortSignal): Promise<number> {
  let total = 0
  for (;;) {
    signal.throwIfAborted()
    const count = await step()
    total += count
    if (count === 0) return total
  }
}

async function markOldEvents(
  { projectId, eventsDays }: ProjectRule,
  signal: AbortSignal,
): Promise<void> {
  if (eventsDays === null) return
  const sessions = await inBatches(() => markOld(projectId, eventsDays), signal)
  await deleteLearned(projectId, eventsDays)
  if (sessions > 0) await recordRemoval(projectId, { kind: 'events', days: eventsDays, sessions })
}

async function deleteOldDecisions(
  { projectId, decisionsDays }: ProjectRule,
  signal: AbortSignal,
): Promise<void> {
  if (decisionsDays === null) return
  const sessions = await inBatches(() => deleteDecisions(projectId, decisionsDays), signal)
  await deleteApplications(projectId, decisionsDays)
  await skipRemovedDecisions(projectId)
  if (sessions > 0)
    await recordRemoval(projectId, { kind: 'decisions', days: decisionsDays, sessions })
}

/** `since`: oldest day that has events. Returns the number of sessions that are archived now and were not before. */
async function archiveOldEvents(
  { projectId, archiveDays }: ProjectRule,
  since: string,
  signal: AbortSignal,
): Promise<number> {
  if (archiveDays === null) return 0
  let archived = 0
  let after = { day: since, id: '' }
  for (;;) {
    const old = await listArchivable(projectId, archiveDays, after)
    for (let from = 0; from < old.length; from += BATCH)
      archived += await archiveSessions(projectId, old.slice(from, from + BATCH), signal)
    const last = old.at(-1)
    if (last === undefined) break
    after = last
  }
  return archived
}

/** The rows of archived sessions go an hour after their file was written. */
const ROWS_GO_AFTER_MS = 65 * 60_000

/** May be killed at any point and run again: marked sessions keep their mark, and their events are found again. */
export async function runRetention(signal: AbortSignal): Promise<void> {
  const rules = await listRules()
  for (const rule of rules) await markOldEvents(rule, signal)
  const partitions = await listOldPartitions()
  const [oldest] = partitions
  let archived = 0
  for (const rule of rules) {
    if (oldest !== undefined) archived += await archiveOldEvents(rule, oldest.day, signal)
  }
  if (archived > 0) {
    const runAt = Date.now() + ROWS_GO_AFTER_MS
    await inTransaction((tx) =>
      enqueue(tx, { task: 'retention.run', payload: {}, key: 'retention.rows', runAt }),
    )
  }
  await checkSegments(signal)
  for (const partition of partitions) {
    if (!(await dropWhole(partition))) await inBatches(() => deleteUnneeded(partition), signal)
  }
  for (const rule of rules) {
    await deleteOldDecisions(rule, signal)
    if (rule.eventsDays !== null) await deleteOldLetters(rule.projectId, rule.eventsDays)
  }
  await sweepSegments(signal)
}
