// One alert fires per rule and scope: the unique key (rule, scope, firing) decides between replicas that evaluate at the same time.
import 'server-only'
import type { InProject, RowInProject } from '@/server/platform/auth/scope.ts'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import type { DestinationKind } from './destination.kinds.ts'
import type { AlertSignal } from './signals.kinds.ts'

export interface AlertDestination {
  readonly kind: DestinationKind
  /** For email, `mailto:` and the address. For PagerDuty, the address of its Events API, `#` and the routing key. */
  readonly url: string
}

export interface NewAlertRule {
  readonly id: string
  readonly projectId: string
  readonly name: string
  readonly signal: AlertSignal
  readonly environment: string | null
  readonly ns: string | null
  readonly key: string | null
  /** Name of a runtime; null: any. */
  readonly runtime: string | null
  /** Reason code; null: any. */
  readonly code: string | null
  readonly windowMinutes: number
  readonly threshold: number
  readonly enabled: boolean
  /** Epoch ms; null: it is not muted. */
  readonly mutedUntil: number | null
  readonly destinations: readonly AlertDestination[]
}

export interface AlertRuleRow extends NewAlertRule {
  /** Epoch ms. */
  readonly createdAt: number
}

interface StoredRule {
  readonly signal: string
  readonly mutedUntil: Date | null
  readonly destinations: unknown
  readonly createdAt: Date
}

function toAlertRule<Row extends StoredRule>(row: Row) {
  return {
    ...row,
    signal: row.signal as AlertSignal,
    mutedUntil: row.mutedUntil?.getTime() ?? null,
    createdAt: row.createdAt.getTime(),
    destinations: row.destinations as readonly AlertDestination[],
  }
}

/** Oldest first. `projectId` absent: rules of every project, for the job. */
export async function listRules(projectId?: AuthorizedProjectId): Promise<readonly AlertRuleRow[]> {
  const rows = await reader().alertRule.findMany({
    ...(projectId === undefined ? {} : { where: { projectId } }),
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
  return rows.map(toAlertRule)
}

export async function lockRules(
  tx: Tx,
  projectId: AuthorizedProjectId,
): Promise<readonly AlertRuleRow[]> {
  await tx.$queryRaw`SELECT 1 FROM alert_rules WHERE project_id = ${projectId} ORDER BY id FOR UPDATE`
  const rows = await tx.alertRule.findMany({
    where: { projectId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
  return rows.map(toAlertRule)
}

export async function findRule(tx: Tx, where: RowInProject): Promise<AlertRuleRow | null> {
  const row = await tx.alertRule.findFirst({ where })
  return row === null ? null : toAlertRule(row)
}

export async function insertRule(
  tx: Tx,
  rule: NewAlertRule & InProject,
  createdBy: string,
): Promise<void> {
  const { destinations, mutedUntil, ...row } = rule
  await tx.alertRule.create({
    data: {
      ...row,
      createdBy,
      destinations: destinations.map((each) => ({ ...each })),
      mutedUntil: mutedUntil === null ? null : new Date(mutedUntil),
    },
  })
}

/** False: there is no such rule. */
export async function changeRule(
  tx: Tx,
  where: RowInProject,
  change: Partial<Omit<NewAlertRule, 'id' | 'projectId'>>,
): Promise<boolean> {
  const { destinations, mutedUntil, ...row } = change
  const { count } = await tx.alertRule.updateMany({
    where,
    data: {
      ...row,
      ...(destinations === undefined
        ? {}
        : { destinations: destinations.map((each) => ({ ...each })) }),
      ...(mutedUntil === undefined
        ? {}
        : { mutedUntil: mutedUntil === null ? null : new Date(mutedUntil) }),
    },
  })
  return count === 1
}

/** Deletes the rule with its alerts. False: there is no such rule. */
export async function deleteRule(tx: Tx, where: RowInProject): Promise<boolean> {
  return (await tx.alertRule.deleteMany({ where })).count === 1
}

/** Alerts of each rule since `since`, epoch ms; rules without one are missing. */
export async function countFirings(
  projectId: AuthorizedProjectId,
  since: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await reader().alert.groupBy({
    by: ['ruleId'],
    where: { projectId, firedAt: { gte: new Date(since) } },
    _count: true,
  })
  return new Map(rows.map(({ ruleId, _count }) => [ruleId, _count]))
}

export interface RuleFirings {
  /** Number of alerts that fire now. */
  readonly firing: number
  readonly lastFiredAt: number
}

/** By rule, of alerts since `since`, epoch ms; rules without one are missing. */
export async function loadFirings(
  projectId: AuthorizedProjectId,
  since: number,
): Promise<ReadonlyMap<string, RuleFirings>> {
  const rows = await reader().alert.groupBy({
    by: ['ruleId', 'firing'],
    where: { projectId, firedAt: { gte: new Date(since) } },
    _count: true,
    _max: { firedAt: true },
  })
  const firings = new Map<string, RuleFirings>()
  for (const { ruleId, firing, _count, _max } of rows) {
    const known = firings.get(ruleId) ?? { firing: 0, lastFiredAt: 0 }
    firings.set(ruleId, {
      firing: known.firing + (firing ? _count : 0),
      lastFiredAt: Math.max(known.lastFiredAt, _max.firedAt?.getTime() ?? 0),
    })
  }
  return firings
}

export interface FiringAlert {
  readonly id: string
  readonly scope: string
}

export async function listFiringAlerts(ruleId: string): Promise<readonly FiringAlert[]> {
  return await reader().alert.findMany({
    where: { ruleId, firing: true },
    select: { id: true, scope: true },
  })
}

export interface NewAlert {
  readonly id: string
  readonly projectId: AuthorizedProjectId
  readonly ruleId: string
  readonly scope: string
  readonly value: number
  readonly threshold: number
  readonly reason: string
  readonly evidence: string
  readonly muted: boolean
}

/** False: it already fires, because another replica was first. */
export async function fireAlert(tx: Tx, alert: NewAlert): Promise<boolean> {
  const { count } = await tx.alert.createMany({
    data: [{ ...alert, firing: true }],
    skipDuplicates: true,
  })
  return count === 1
}

/** False: it was already resolved. */
export async function resolveAlert(tx: Tx, where: RowInProject): Promise<boolean> {
  const { count } = await tx.alert.updateMany({
    where: { ...where, firing: true },
    data: { firing: null, resolvedAt: new Date() },
  })
  return count === 1
}

/** False: there is no such alert, or it was already acknowledged. */
export async function acknowledgeAlert(
  tx: Tx,
  where: RowInProject,
  by: { readonly userId: string; readonly name: string; readonly note: string | null },
): Promise<boolean> {
  const { count } = await tx.alert.updateMany({
    where: { ...where, acknowledgedAt: null },
    data: {
      acknowledgedBy: by.userId,
      acknowledgedName: by.name,
      acknowledgedNote: by.note,
      acknowledgedAt: new Date(),
    },
  })
  return count === 1
}

/** Withdraws this user's acknowledgment. False: there is no such alert, or another user acknowledged it. */
export async function unacknowledgeAlert(
  tx: Tx,
  where: RowInProject,
  userId: string,
): Promise<boolean> {
  const none = { acknowledgedBy: null, acknowledgedName: null, acknowledgedNote: null }
  const { count } = await tx.alert.updateMany({
    where: { ...where, acknowledgedBy: userId },
    data: { ...none, acknowledgedAt: null },
  })
  return count === 1
}

export interface NewDelivery {
  readonly id: string
  readonly projectId: AuthorizedProjectId
  readonly alertId: string
  readonly event: 'firing' | 'resolved'
  readonly kind: AlertDestination['kind']
  readonly url: string
}

export async function insertDeliveries(tx: Tx, rows: readonly NewDelivery[]): Promise<void> {
  await tx.alertDelivery.createMany({ data: rows.map((row) => ({ ...row })) })
}

export async function findDelivery(id: string) {
  const row = await reader().alertDelivery.findUnique({
    where: { id },
    include: { alert: { include: { rule: true } } },
  })
  if (row === null) return null
  const { rule, ...alert } = row.alert
  // The table's check constraint admits only these kinds.
  const kind = row.kind as AlertDestination['kind']
  return { ...row, kind, alert, rule: toAlertRule(rule) }
}

export interface Attempt {
  readonly last: string
  /** `again`: another attempt follows. */
  readonly state: 'delivered' | 'again' | 'failed'
}

/** Records an attempt. False: the message had already arrived. */
export async function recordAttempt(
  tx: Tx,
  where: RowInProject,
  { last, state }: Attempt,
): Promise<boolean> {
  const now = new Date()
  const { count } = await tx.alertDelivery.updateMany({
    where: { ...where, deliveredAt: null },
    data: {
      attempts: { increment: 1 },
      last,
      ...(state === 'delivered' ? { deliveredAt: now } : {}),
      ...(state === 'failed' ? { failedAt: now } : {}),
    },
  })
  return count === 1
}
