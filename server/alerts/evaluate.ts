// Each alert fires once, for any number of replicas and runs; its messages are jobs of the same transaction.

import { requestApprovalEvaluation } from '@/server/ingest/request-evaluation.ts'
import type { InProject } from '@/server/platform/auth/scope.ts'
import { systemProject } from '@/server/platform/auth/system.ts'
import { env } from '@/server/platform/base/env.ts'
import { inTransaction, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { freshId } from '@/server/platform/ids.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { enqueue } from '@/server/platform/queue/enqueue.ts'
import {
  type AlertMoment,
  findNextLapse,
  isWaitingSignal,
  readMoments,
} from './alert-moments.sql.ts'
import {
  type AlertRuleRow,
  fireAlert,
  insertDeliveries,
  listFiringAlerts,
  listRules,
  resolveAlert,
} from './alerts.sql.ts'
import { type Condition, valueAt } from './episodes.ts'
import { alertSentence, alertSignal } from './signals.kinds.ts'

/** Attempts of one message. With the queue's back-off (e^n seconds), the last one is about an hour after the first. */
const MESSAGE_ATTEMPTS = 8

/** Firing alerts of a rule about waiting calls: an agent can ask for thousands, and each alert is a message to every destination. */
const MOST_WAITING = 50

export function readCondition({
  signal,
  windowMinutes,
  threshold,
}: Pick<AlertRuleRow, 'signal' | 'windowMinutes' | 'threshold'>): Condition {
  return {
    windowMs: windowMinutes * 60_000,
    threshold,
    isRate: alertSignal(signal).measure === 'share',
  }
}

/** The database's clock may be ahead of this process's. */
export function limitToNow(moments: readonly AlertMoment[], now: number): readonly AlertMoment[] {
  return moments.map((moment) => ({ ...moment, at: Math.min(moment.at, now) }))
}

export function byScope(
  moments: readonly AlertMoment[],
): ReadonlyMap<string, readonly AlertMoment[]> {
  const scopes = new Map<string, AlertMoment[]>()
  for (const moment of moments) {
    const list = scopes.get(moment.scope) ?? []
    scopes.set(moment.scope, list)
    list.push(moment)
  }
  return scopes
}

/** Evaluates one project or, if undefined, all; `now` in epoch ms. A failing rule does not block the others. */
export async function evaluateAlerts(
  projectId: AuthorizedProjectId | undefined,
  {
    now,
    signal,
    only,
  }: {
    readonly now: number
    readonly signal: AbortSignal
    /** `approvals`: only rules about calls that wait for approval. */
    readonly only?: 'approvals' | undefined
  },
): Promise<void> {
  const failures: unknown[] = []
  const waiting = new Set<AuthorizedProjectId>()
  for (const stored of await listRules(projectId)) {
    const rule = { ...stored, projectId: systemProject(stored.projectId) }
    if (signal.aborted) throw new Error('The server stops.')
    const isWaiting = isWaitingSignal(rule.signal)
    if (!rule.enabled || (only !== undefined && !isWaiting)) continue
    if (isWaiting) waiting.add(rule.projectId)
    await evaluate(rule, now).catch((error: unknown) => failures.push(error))
  }
  for (const project of waiting) {
    await requestAtNextLapse(project).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
}

/** No event reports that half of a call's time is over, or all of it. */
async function requestAtNextLapse(projectId: AuthorizedProjectId): Promise<void> {
  const at = await findNextLapse(projectId)
  if (at !== null) await inTransaction((tx) => requestApprovalEvaluation(tx, projectId, at))
}

type OwnRule = AlertRuleRow & InProject

async function evaluate(rule: OwnRule, now: number): Promise<void> {
  const condition = readCondition(rule)
  const scopes = byScope(
    await readMoments(rule.projectId, rule.signal, {
      ...rule,
      since: now - condition.windowMs,
    }),
  )
  const open = await listFiringAlerts(rule.id)
  const isFiring = new Set(open.map(({ scope }) => scope))
  let room = isWaitingSignal(rule.signal) ? MOST_WAITING - open.length : Number.POSITIVE_INFINITY
  for (const [scope, moments] of scopes) {
    const value = valueAt(limitToNow(moments, now), condition, now)
    if (value < rule.threshold) continue
    if (!isFiring.has(scope) && room > 0) {
      await fire(rule, { scope, value, moments, now })
      room -= 1
    }
    isFiring.delete(scope)
  }
  for (const { id, scope } of open) if (isFiring.has(scope)) await resolve(rule, id)
}

interface Found {
  readonly scope: string
  readonly value: number
  readonly moments: readonly AlertMoment[]
  readonly now: number
}

async function fire(rule: OwnRule, { scope, value, moments, now }: Found): Promise<void> {
  const { projectId, id: ruleId, threshold } = rule
  const newest = moments.findLast(({ count }) => count > 0)
  const muted = rule.mutedUntil !== null && rule.mutedUntil > now
  const id = freshId('alr')
  const reason = alertSentence(rule, { value, reason: newest?.reason ?? null })
  const evidence = newest?.evidence ?? '/alerts'
  await inTransaction(async (tx) => {
    const alert = { id, projectId, ruleId, scope, value, threshold, reason, evidence, muted }
    if (!(await fireAlert(tx, alert))) return
    if (!muted) await queueDeliveries(tx, rule, { alertId: id, event: 'firing' })
    await notify(tx, { project: projectId, kind: 'alert', id })
  })
}

async function resolve(rule: OwnRule, id: string): Promise<void> {
  await inTransaction(async (tx) => {
    if (!(await resolveAlert(tx, { id, projectId: rule.projectId }))) return
    const sent = await tx.alertDelivery.count({ where: { alertId: id } })
    // A destination that was not notified of the start is not notified of the end.
    if (sent > 0) await queueDeliveries(tx, rule, { alertId: id, event: 'resolved' })
    await notify(tx, { project: rule.projectId, kind: 'alert', id })
  })
}

async function queueDeliveries(
  tx: Tx,
  { projectId, destinations }: OwnRule,
  about: { readonly alertId: string; readonly event: 'firing' | 'resolved' },
): Promise<void> {
  const rows = destinations.map((destination) => ({
    id: freshId('dlv'),
    projectId,
    ...about,
    ...destination,
  }))
  await insertDeliveries(tx, rows)
  for (const { id: deliveryId } of rows) {
    await enqueue(tx, {
      task: 'alerts.deliver',
      payload: { deliveryId },
      maxAttempts: MESSAGE_ATTEMPTS,
    })
  }
}

export function linkTo(path: string): string {
  return `${env().SIGNALBOX_URL}${path}`
}
