import { requestEvaluation } from '@/server/ingest/request-evaluation.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import type { ProjectScope, RowInProject } from '@/server/platform/auth/scope.ts'
import { env } from '@/server/platform/base/env.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction, type Tx } from '@/server/platform/db/transaction.ts'
import { freshId } from '@/server/platform/ids.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { type AlertRuleInput, findRuleProblems } from './alert-input.ts'
import { isWaitingSignal, MOST_MOMENTS, readMoments, readWaits } from './alert-moments.sql.ts'
import {
  type AlertRuleRow,
  acknowledgeAlert,
  changeRule,
  deleteRule,
  findRule,
  insertRule,
  listRules,
  loadFirings,
  type RuleFirings,
  unacknowledgeAlert,
} from './alerts.sql.ts'
import { hideKey, requireUsablePlace, revealKey, shownPlace } from './destinations.ts'
import { computeEpisodes } from './episodes.ts'
import { byScope, limitToNow, readCondition } from './evaluate.ts'
import { webhookSecret } from './message.ts'
import { alertSignal, FIRINGS_DAYS } from './signals.kinds.ts'

export type ListedRule = Omit<AlertRuleRow, 'projectId'>

/** With routing keys, which must not leave the server. */
export async function storedAlertRules({
  projectId,
}: ProjectScope): Promise<readonly ListedRule[]> {
  const rows = await listRules(projectId)
  return rows.map(({ projectId: _projectId, ...rule }) => rule)
}

const DAY_MS = 86_400_000
export interface RuleWithFirings extends ListedRule {
  /** Null: it did not fire in the last `FIRINGS_DAYS`. */
  readonly firings: RuleFirings | null
}

export async function alertRules(scope: ProjectScope): Promise<readonly RuleWithFirings[]> {
  const [rules, firings] = await Promise.all([
    storedAlertRules(scope),
    loadFirings(scope.projectId, Date.now() - FIRINGS_DAYS * DAY_MS),
  ])
  return rules.map((rule) => ({
    ...rule,
    destinations: rule.destinations.map(hideKey),
    firings: firings.get(rule.id) ?? null,
  }))
}

/** Rejects with `invalid`, naming the field. */
function requireUsable(input: AlertRuleInput): void {
  const [problem] = findRuleProblems(input)
  if (problem !== undefined) throw new ServiceError('invalid', problem.message, problem.field)
  input.destinations.forEach((destination, at) => {
    requireUsablePlace(destination, `destinations.${at}.url`)
  })
}

async function record(
  tx: Tx,
  scope: ProjectScope,
  entry: { readonly action: string; readonly id: string; readonly after?: AlertRuleInput },
) {
  const { action, id: target, after } = entry
  const shown =
    after === undefined
      ? {}
      : {
          after: {
            ...after,
            destinations: after.destinations.map((each) => ({
              kind: each.kind,
              to: shownPlace(each),
            })),
          },
        }
  await recordAudit(tx, {
    projectId: scope.projectId,
    ...toAuditActor(scope),
    action,
    target,
    ...shown,
  })
  await notify(tx, { project: scope.projectId, kind: 'alert' })
}

export async function createRule(
  scope: ProjectScope,
  input: AlertRuleInput,
): Promise<{ readonly id: string }> {
  requireUsable(input)
  const id = freshId('alrule')
  await inTransaction(async (tx) => {
    const row = {
      ...input,
      name: input.name.trim(),
      id,
      projectId: scope.projectId,
      enabled: true,
      mutedUntil: null,
    }
    await insertRule(tx, row, scope.userId)
    await requestEvaluation(tx, scope.projectId)
    await record(tx, scope, { action: 'alert_rule.created', id, after: input })
  })
  return { id }
}

export async function updateRule(
  scope: ProjectScope,
  id: string,
  input: AlertRuleInput,
): Promise<void> {
  const stored = (await listRules(scope.projectId)).find((rule) => rule.id === id)
  const known = stored?.destinations ?? []
  const after = { ...input, destinations: input.destinations.map((each) => revealKey(each, known)) }
  requireUsable(after)
  const change = { ...after, name: after.name.trim() }
  await changing(scope, change, { id, action: 'alert_rule.changed', after })
}

/** `until`: epoch ms; null ends the mute. */
export async function muteRule(
  scope: ProjectScope,
  id: string,
  until: number | null,
): Promise<void> {
  const action = until === null ? 'alert_rule.unmuted' : 'alert_rule.muted'
  await changing(scope, { mutedUntil: until }, { id, action })
}

export async function setEnabled(scope: ProjectScope, id: string, enabled: boolean): Promise<void> {
  const action = enabled ? 'alert_rule.enabled' : 'alert_rule.disabled'
  await changing(scope, { enabled }, { id, action })
}

async function changing(
  scope: ProjectScope,
  change: Parameters<typeof changeRule>[2],
  entry: { readonly id: string; readonly action: string; readonly after?: AlertRuleInput },
): Promise<void> {
  const { id } = entry
  await inTransaction(async (tx) => {
    if (!(await changeRule(tx, { id, projectId: scope.projectId }, change))) throw unknown()
    await requestEvaluation(tx, scope.projectId)
    await record(tx, scope, entry)
  })
}

export async function removeRule(scope: ProjectScope, id: string): Promise<void> {
  await inTransaction(async (tx) => {
    if (!(await deleteRule(tx, { id, projectId: scope.projectId }))) throw unknown()
    await record(tx, scope, { action: 'alert_rule.removed', id })
  })
}

function unknown(): ServiceError {
  return new ServiceError('not_found', 'This alert rule does not exist.')
}

export async function ruleSecret(
  scope: ProjectScope,
  id: string,
): Promise<{ readonly secret: string }> {
  return await inTransaction(async (tx) => {
    if ((await findRule(tx, { id, projectId: scope.projectId })) === null) throw unknown()
    await record(tx, scope, { action: 'alert_rule.secret_shown', id })
    return { secret: webhookSecret(env().SIGNALBOX_AUTH_SECRET, id) }
  })
}

const WEEK_MS = 7 * 86_400_000
const MOST_SHOWN = 50

export interface Preview {
  /** Null: this signal has no history. */
  readonly fired: number | null
  readonly times: readonly {
    readonly scope: string
    readonly from: number
    readonly until: number | null
    readonly peak: number
  }[]
  /** More moments exist than were read, so earlier times may be missing. */
  readonly isCut: boolean
}

export async function previewRule(
  { projectId }: ProjectScope,
  rule: Omit<AlertRuleInput, 'name' | 'destinations'>,
): Promise<Preview> {
  if (alertSignal(rule.signal).measure === 'standing')
    return { fired: null, times: [], isCut: false }
  const now = Date.now()
  const since = now - WEEK_MS
  if (isWaitingSignal(rule.signal)) {
    const waits = await readWaits(projectId, rule.signal, { ...rule, since })
    return {
      fired: waits.length,
      times: waits.slice(0, MOST_SHOWN).map((wait) => ({ ...wait, peak: 1 })),
      isCut: waits.length >= MOST_MOMENTS,
    }
  }
  const condition = readCondition(rule)
  const read = await readMoments(projectId, rule.signal, { ...rule, since })
  const times = [...byScope(limitToNow(read, now))]
    .flatMap(([scope, of]) =>
      computeEpisodes(of, condition, now).map((episode) => ({ scope, ...episode })),
    )
    .sort((one, other) => other.from - one.from)
  return {
    fired: times.length,
    times: times.slice(0, MOST_SHOWN),
    isCut: read.length >= MOST_MOMENTS,
  }
}

/** Rejects with `conflict` when it was already acknowledged. */
export async function acknowledge(
  scope: ProjectScope,
  id: string,
  note: string | null,
): Promise<void> {
  const { projectId, userId, userName: name } = scope
  await inTransaction(async (tx) => {
    await requireAlert(tx, { id, projectId })
    const by = { userId, name, note: (note ?? '').trim() || null }
    if (!(await acknowledgeAlert(tx, { id, projectId }, by))) {
      throw new ServiceError('conflict', 'This alert is already acknowledged.')
    }
    const entry = { projectId, ...toAuditActor(scope), target: id }
    await recordAudit(tx, { ...entry, action: 'alert.acknowledged', after: { note: by.note } })
    await notify(tx, { project: projectId, kind: 'alert', id })
  })
}

/** Rejects with `conflict` when another user acknowledged it. */
export async function unacknowledge(scope: ProjectScope, id: string): Promise<void> {
  const { projectId, userId } = scope
  await inTransaction(async (tx) => {
    await requireAlert(tx, { id, projectId })
    if (!(await unacknowledgeAlert(tx, { id, projectId }, userId))) {
      throw new ServiceError('conflict', 'Another user acknowledged this alert.')
    }
    const entry = { projectId, ...toAuditActor(scope), target: id }
    await recordAudit(tx, { ...entry, action: 'alert.unacknowledged' })
    await notify(tx, { project: projectId, kind: 'alert', id })
  })
}

async function requireAlert(tx: Tx, where: RowInProject): Promise<void> {
  if ((await tx.alert.count({ where })) === 0) {
    throw new ServiceError('not_found', 'There is no such alert.')
  }
}
