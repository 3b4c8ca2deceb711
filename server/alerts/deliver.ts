// May run again: a receiver recognizes a repetition by the message's id.

import { systemProject } from '@/server/platform/auth/system.ts'
import { env } from '@/server/platform/base/env.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { MailRefused, sendMail } from '@/server/platform/mail.ts'
import { type AlertDestination, type Attempt, findDelivery, recordAttempt } from './alerts.sql.ts'
import { parseMailAddress } from './destination.kinds.ts'
import { parsePagerDuty } from './destinations.ts'
import { linkTo } from './evaluate.ts'
import { discordBody, pagerDutyBody, slackBody, teamsBody } from './formats.ts'
import {
  type AlertMessage,
  chatBody,
  composeLetter,
  webhookBody,
  webhookSecret,
} from './message.ts'
import { JSON_HEADERS, post, postSigned } from './outbound.ts'

type Delivery = NonNullable<Awaited<ReturnType<typeof findDelivery>>>

/** Rejects when the message did not arrive and a retry may help, so that the queue retries. */
export async function deliver(deliveryId: string, isLastAttempt: boolean): Promise<void> {
  const delivery = await findDelivery(deliveryId)
  if (delivery === null || delivery.deliveredAt !== null) return
  const { rule, ...destination } = delivery
  if (isOutrun(delivery)) {
    await note(delivery, { last: 'resolved before it arrived', state: 'failed' })
    return
  }
  const outcome = await send(destination, rule.id, toAlertMessage(delivery))
  if (outcome === null) {
    await note(delivery, { last: 'delivered', state: 'delivered' })
    return
  }
  const isOver = isLastAttempt || outcome.isFinal
  await note(delivery, { last: outcome.why, state: isOver ? 'failed' : 'again' })
  if (!outcome.isFinal) throw new Error('A message about an alert did not arrive.')
}

/** The end of the alert was sent before its beginning arrived: an incident that is opened now would stay open. */
function isOutrun({ kind, event, alert }: Delivery): boolean {
  return kind === 'pagerduty' && event === 'firing' && alert.resolvedAt !== null
}

async function note({ id, projectId, alertId }: Delivery, attempt: Attempt): Promise<void> {
  await inTransaction(async (tx) => {
    if (!(await recordAttempt(tx, { id, projectId: systemProject(projectId) }, attempt))) return
    await notify(tx, { project: projectId, kind: 'alert', id: alertId })
  })
}

interface NotArrived {
  readonly why: string
  readonly isFinal: boolean
}

const LONGEST_WHY = 500

/** Null: it arrived. */
export async function send(
  destination: AlertDestination,
  ruleId: string,
  message: AlertMessage,
): Promise<NotArrived | null> {
  try {
    if (destination.kind === 'email') return await write(destination.url, message)
    const status = await postTo(destination, ruleId, message)
    return status >= 200 && status < 300 ? null : { why: `answered ${status}`, isFinal: false }
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_WHY)
    return { why, isFinal: error instanceof MailRefused }
  }
}

async function write(url: string, message: AlertMessage): Promise<null> {
  const to = parseMailAddress(url)
  if (to === null) throw new MailRefused('This is no email address.')
  await sendMail({ ...composeLetter(message), to, id: message.id, thread: message.alertId })
  return null
}

const CHAT_BODIES: Readonly<
  Partial<Record<AlertDestination['kind'], (message: AlertMessage) => string>>
> = { chat: chatBody, slack: slackBody, teams: teamsBody, discord: discordBody }

/** Status of the last request. A test opens an incident and resolves it. */
async function postIncident(destination: AlertDestination, message: AlertMessage): Promise<number> {
  const { url, routingKey } = parsePagerDuty(destination.url)
  const allowed = env().SIGNALBOX_WEBHOOK_HOSTS
  const send = (action: 'trigger' | 'resolve'): Promise<number> =>
    post({
      url,
      headers: JSON_HEADERS,
      body: pagerDutyBody(message, { routingKey, action }),
      allowed,
    })
  if (message.event === 'resolved') return await send('resolve')
  const status = await send('trigger')
  return message.event === 'test' && status < 300 ? await send('resolve') : status
}

async function postTo(
  destination: AlertDestination,
  ruleId: string,
  message: AlertMessage,
): Promise<number> {
  const { kind, url } = destination
  const { SIGNALBOX_AUTH_SECRET: secret, SIGNALBOX_WEBHOOK_HOSTS: allowed } = env()
  if (kind === 'pagerduty') return await postIncident(destination, message)
  const toBody = CHAT_BODIES[kind]
  if (toBody !== undefined)
    return await post({ url, headers: JSON_HEADERS, body: toBody(message), allowed })
  return await postSigned({
    url,
    id: message.id,
    secret: webhookSecret(secret, ruleId),
    body: webhookBody(message),
    allowed,
  })
}

function toAlertMessage({ id, event, alert, rule }: Delivery): AlertMessage {
  return {
    id,
    event: event === 'resolved' ? 'resolved' : 'firing',
    alertId: alert.id,
    rule: rule.name,
    signal: rule.signal,
    scope: alert.scope,
    value: alert.value,
    threshold: alert.threshold,
    windowMinutes: rule.windowMinutes,
    reason: alert.reason,
    url: linkTo(alert.evidence),
    consoleUrl: linkTo('/alerts'),
    firedAt: alert.firedAt.getTime(),
    resolvedAt: alert.resolvedAt?.getTime() ?? null,
  }
}
