import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { freshId } from '@/server/platform/ids.ts'
import { mailSender } from '@/server/platform/mail.ts'
import { type AlertRuleRow, findRule } from './alerts.sql.ts'
import { send } from './deliver.ts'
import { shownPlace } from './destinations.ts'
import { linkTo } from './evaluate.ts'
import type { AlertMessage } from './message.ts'

/** Sender of emails; null: this server sends none. */
export function alertMail(): { readonly from: string | null } {
  return { from: mailSender() }
}

export interface Tried {
  readonly kind: AlertRuleRow['destinations'][number]['kind']
  readonly to: string
  /** Null: it arrived. */
  readonly why: string | null
}

export async function tryRule(scope: ProjectScope, id: string): Promise<readonly Tried[]> {
  const rule = await inTransaction(async (tx) => {
    const found = await findRule(tx, { id, projectId: scope.projectId })
    if (found === null) throw new ServiceError('not_found', 'This alert rule does not exist.')
    const entry = { projectId: scope.projectId, ...toAuditActor(scope) }
    await recordAudit(tx, { ...entry, action: 'alert_rule.tested', target: id })
    return found
  })
  return await Promise.all(
    rule.destinations.map(async (destination) => {
      const outcome = await send(destination, id, buildTestMessage(rule))
      return { kind: destination.kind, to: shownPlace(destination), why: outcome?.why ?? null }
    }),
  )
}

export function buildTestMessage({
  id,
  name,
  signal,
  threshold,
  windowMinutes,
  environment,
}: AlertRuleRow): AlertMessage {
  return {
    id: freshId('dlv'),
    event: 'test',
    alertId: id,
    rule: name,
    signal,
    scope: environment ?? 'any environment',
    value: 0,
    threshold,
    windowMinutes,
    reason: 'This is a test: nothing is wrong, and messages of this rule arrive here.',
    url: linkTo('/alerts/rules'),
    consoleUrl: linkTo('/alerts'),
    firedAt: Date.now(),
    resolvedAt: null,
  }
}
