// Retention of session records (specs/records.md): a project's rule with its effect, and the daily removal.
import { plural } from '@signalbox/core/analysis'
import { lockEnvironmentList } from '@/server/environments/environments.sql.ts'
import { deleteOldLetters } from '@/server/event-log/dead-letters.sql.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { ServiceError } from '@/server/platform/errors.ts'
import { enqueue } from '@/server/platform/queue/enqueue.ts'
import {
  countOlder,
  deleteApplications,
  deleteDecisions,
  deleteMarked,
  dropWhole,
  findRule,
  listRemovals,
  listRules,
  markOld,
  measureRecords,
  oldPartitions,
  type ProjectRule,
  type Removal,
  type RetentionCount,
  type RetentionRule,
  recordRemoval,
  writeRule,
} from './retention.sql.ts'

export interface RetentionOverview {
  readonly rule: RetentionRule
  readonly all: RetentionCount
  readonly removals: readonly Removal[]
}

export async function loadRetention({ projectId }: ProjectScope): Promise<RetentionOverview> {
  const [rule, all, removals] = await Promise.all([
    findRule(projectId),
    measureRecords(projectId),
    listRemovals(projectId),
  ])
  return { rule, all: { sessions: all.sessions, events: all.events }, removals }
}

export interface RetentionPreview {
  /** Sessions whose events would be removed, and these events. */
  readonly events: RetentionCount
  /** Number of sessions that would be removed completely. */
  readonly decisions: number
  /** Estimated size of those events, by the average event of the database; null: no event is stored. */
  readonly bytes: number | null
  readonly all: RetentionCount
  /** Text that confirms the change; null: the rule removes nothing that the current one keeps. */
  readonly confirm: string | null
}

const NOTHING: RetentionCount = { sessions: 0, events: 0 }

/** Records that the rule would remove now. Pinned cases have copies of their own, and running sessions are kept. */
export async function previewRetention(
  { projectId }: ProjectScope,
  rule: RetentionRule,
): Promise<RetentionPreview> {
  requireInOrder(rule)
  const { eventsDays, decisionsDays } = rule
  const [old, events, decisions, all] = await Promise.all([
    findRule(projectId),
    eventsDays === null ? NOTHING : countOlder(projectId, eventsDays, 'events'),
    decisionsDays === null ? NOTHING : countOlder(projectId, decisionsDays, 'decisions'),
    measureRecords(projectId),
  ])
  const bytes = all.bytesPerEvent === null ? null : events.events * all.bytesPerEvent
  const { sessions, events: count } = all
  const confirm = isShorter(rule, old)
    ? `remove ${plural(Math.max(events.sessions, decisions.sessions), 'session')}`
    : null
  const stored = { sessions, events: count }
  return { events, decisions: decisions.sessions, bytes, all: stored, confirm }
}

function requireInOrder({ eventsDays, decisionsDays }: RetentionRule): void {
  if (decisionsDays === null) return
  if (eventsDays === null || eventsDays > decisionsDays) {
    const message =
      'Decisions cannot be removed before the events that led to them. Keep decisions at least as long as events.'
    throw new ServiceError('invalid', message, 'decisionsDays')
  }
}

/** True when the rule removes something that the old one kept. */
function isShorter(rule: RetentionRule, old: RetentionRule): boolean {
  const days = (value: number | null): number => value ?? Number.POSITIVE_INFINITY
  return (
    days(rule.eventsDays) < days(old.eventsDays) ||
    days(rule.decisionsDays) < days(old.decisionsDays)
  )
}

/**
 * Removes what is too old immediately, in a job. Rejects with `invalid` when decisions would be removed before events, or when a shorter rule
 * is not confirmed with the current number.
 */
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
      before: { events_days: old.eventsDays, decisions_days: old.decisionsDays },
      after: { events_days: rule.eventsDays, decisions_days: rule.decisionsDays },
    })
    await enqueue(tx, { task: 'retention.run', payload: {}, key: 'retention' })
  })
}

/** Repeats `step` until it returns 0; returns the sum. */
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
  if (sessions > 0) await recordRemoval(projectId, { kind: 'events', days: eventsDays, sessions })
}

async function deleteOldDecisions(
  { projectId, decisionsDays }: ProjectRule,
  signal: AbortSignal,
): Promise<void> {
  if (decisionsDays === null) return
  const sessions = await inBatches(() => deleteDecisions(projectId, decisionsDays), signal)
  await deleteApplications(projectId, decisionsDays)
  if (sessions > 0)
    await recordRemoval(projectId, { kind: 'decisions', days: decisionsDays, sessions })
}

/**
 * Removes what is too old by each project's rule. May be killed at any point and run again: marked sessions keep their mark, and their
 * events are found again.
 */
export async function runRetention(signal: AbortSignal): Promise<void> {
  const rules = await listRules()
  for (const rule of rules) await markOldEvents(rule, signal)
  if (rules.length > 0) {
    for (const partition of await oldPartitions()) {
      if (!(await dropWhole(partition))) await inBatches(() => deleteMarked(partition), signal)
    }
  }
  for (const rule of rules) {
    await deleteOldDecisions(rule, signal)
    if (rule.eventsDays !== null) await deleteOldLetters(rule.projectId, rule.eventsDays)
  }
}
