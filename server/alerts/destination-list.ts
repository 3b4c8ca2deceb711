// A destination is stored in its rules. No function here returns the path of a webhook, which may be a secret.
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { MOST_DESTINATIONS } from './alert-input.ts'
import {
  type AlertDestination,
  type AlertRuleRow,
  changeRule,
  listRules,
  lockRules,
} from './alerts.sql.ts'
import { send } from './deliver.ts'
import { destinationId, requireUsablePlace, shownPlace } from './destinations.ts'
import { type LastMessage, loadLastMessages } from './last-messages.sql.ts'
import { buildTestMessage, type Tried } from './try-rule.ts'

export interface ListedDestination {
  readonly id: string
  readonly kind: AlertDestination['kind']
  readonly to: string
  readonly rules: readonly { readonly id: string; readonly name: string }[]
  /** Null: no recent message was sent there. */
  readonly last: LastMessage | null
}

export async function listDestinations({
  projectId,
}: ProjectScope): Promise<readonly ListedDestination[]> {
  const [rules, messages] = await Promise.all([listRules(projectId), loadLastMessages(projectId)])
  const last = new Map(
    messages.map(({ kind, url, ...message }) => [destinationId({ kind, url }), message]),
  )
  const places = new Map(
    rules.flatMap(({ destinations }) => destinations.map((each) => [destinationId(each), each])),
  )
  return [...places]
    .map(([id, place]) => ({
      id,
      kind: place.kind,
      to: shownPlace(place),
      last: last.get(id) ?? null,
      rules: rules
        .filter((rule) => notifies(rule, id))
        .map((rule) => ({ id: rule.id, name: rule.name }))
        .toSorted((one, other) => one.name.localeCompare(other.name)),
    }))
    .toSorted((one, other) => one.to.localeCompare(other.to) || one.id.localeCompare(other.id))
}

function notifies({ destinations }: AlertRuleRow, id: string): boolean {
  return destinations.some((each) => destinationId(each) === id)
}

function unknown(): ServiceError {
  return new ServiceError('not_found', 'No alert rule uses this destination.')
}

/** Adds the destination to the named rules. Rejects with `not_found` when one of them does not exist. */
export async function addDestination(
  scope: ProjectScope,
  destination: AlertDestination,
  ruleIds: readonly string[],
): Promise<void> {
  requireUsablePlace(destination, 'url')
  const named = new Set(ruleIds)
  await rewrite(scope, { action: 'alert_destination.added', destination }, (rules) => {
    const meant = rules.filter(({ id }) => named.has(id))
    if (meant.length < named.size)
      throw new ServiceError('not_found', 'This alert rule does not exist.')
    return meant.map((rule) => ({ rule, destinations: [...rule.destinations, destination] }))
  })
}

export async function changeDestination(
  scope: ProjectScope,
  id: string,
  destination: AlertDestination,
): Promise<void> {
  requireUsablePlace(destination, 'url')
  await rewrite(scope, { action: 'alert_destination.changed', id, destination }, (rules) =>
    rules
      .filter((rule) => notifies(rule, id))
      .map((rule) => ({
        rule,
        destinations: rule.destinations.map((each) =>
          destinationId(each) === id ? destination : each,
        ),
      })),
  )
}

export async function removeDestination(scope: ProjectScope, id: string): Promise<void> {
  await rewrite(scope, { action: 'alert_destination.removed', id }, (rules) =>
    rules
      .filter((rule) => notifies(rule, id))
      .map((rule) => ({
        rule,
        destinations: rule.destinations.filter((each) => destinationId(each) !== id),
      })),
  )
}

interface DestinationChange {
  readonly action: string
  /** Old id; absent: it is new. */
  readonly id?: string
  /** New state; absent: it is removed. */
  readonly destination?: AlertDestination
}

interface Rewritten {
  readonly rule: AlertRuleRow
  readonly destinations: readonly AlertDestination[]
}

async function rewrite(
  scope: ProjectScope,
  { action, id, destination }: DestinationChange,
  of: (rules: readonly AlertRuleRow[]) => readonly Rewritten[],
): Promise<void> {
  const { projectId } = scope
  await inTransaction(async (tx) => {
    const changes = of(await lockRules(tx, projectId))
    if (changes.length === 0) throw unknown()
    for (const { rule, destinations } of changes) {
      const once = [...new Map(destinations.map((each) => [destinationId(each), each])).values()]
      if (once.length > MOST_DESTINATIONS) {
        const why = `${rule.name} already has ${MOST_DESTINATIONS} destinations.`
        throw new ServiceError('invalid', why, 'rules')
      }
      await changeRule(tx, { id: rule.id, projectId }, { destinations: once })
    }
    const rules = changes.map(({ rule }) => rule.name)
    const was = changes[0]?.rule.destinations.find((each) => destinationId(each) === id)
    await recordAudit(tx, {
      projectId,
      ...toAuditActor(scope),
      action,
      target: id ?? (destination === undefined ? '' : destinationId(destination)),
      ...(was === undefined ? {} : { before: { kind: was.kind, to: shownPlace(was), rules } }),
      ...(destination === undefined
        ? {}
        : { after: { kind: destination.kind, to: shownPlace(destination), rules } }),
    })
    await notify(tx, { project: projectId, kind: 'alert' })
  })
}

/** Sends a test message immediately, as the oldest of its rules would: that rule's secret signs a webhook. */
export async function tryDestination(scope: ProjectScope, id: string): Promise<Tried> {
  const { projectId } = scope
  const rule = (await listRules(projectId)).find((each) => notifies(each, id))
  const place = rule?.destinations.find((each) => destinationId(each) === id)
  if (rule === undefined || place === undefined) throw unknown()
  await inTransaction((tx) =>
    recordAudit(tx, {
      projectId,
      ...toAuditActor(scope),
      action: 'alert_destination.tested',
      target: id,
      after: { kind: place.kind, to: shownPlace(place) },
    }),
  )
  const outcome = await send(place, rule.id, buildTestMessage(rule))
  return { kind: place.kind, to: shownPlace(place), why: outcome?.why ?? null }
}
