import { createHash } from 'node:crypto'
import { env } from '@/server/platform/base/env.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { mailSender } from '@/server/platform/mail.ts'
import { findDestinationProblem } from './alert-input.ts'
import type { AlertDestination } from './alerts.sql.ts'
import { parseMailAddress, splitPagerDuty } from './destination.kinds.ts'
import { checkOutboundAddress } from './outbound.ts'

/** SHA-256, hexadecimal. Equal for equal destinations, without revealing them. */
export function destinationDigest({ kind, url }: AlertDestination): string {
  return createHash('sha256').update(`${kind} ${url}`).digest('hex')
}

export function destinationId(destination: AlertDestination): string {
  return `dest_${destinationDigest(destination).slice(0, 32)}`
}

export function shownPlace({ kind, url }: AlertDestination): string {
  return kind === 'email' ? (parseMailAddress(url) ?? '') : new URL(url).host
}

/** Hosts of the Events API; the operator allows others with SIGNALBOX_WEBHOOK_HOSTS. */
const PAGERDUTY_HOSTS = ['events.pagerduty.com', 'events.eu.pagerduty.com']

/** Rejects with `invalid`, naming the field, when the destination cannot be used. */
export function requireUsablePlace({ kind, url }: AlertDestination, field: string): void {
  const refusal =
    findDestinationProblem({ kind, url }) ??
    (kind === 'email'
      ? findMailProblem()
      : (findIncidentProblem({ kind, url }) ??
        checkOutboundAddress(url, env().SIGNALBOX_WEBHOOK_HOSTS)))
  if (refusal !== null) throw new ServiceError('invalid', refusal, field)
}

function findMailProblem(): string | null {
  return mailSender() === null
    ? 'This server sends no email: whoever runs it sets SIGNALBOX_SMTP_URL and SIGNALBOX_MAIL_FROM.'
    : null
}

function findIncidentProblem({ kind, url }: AlertDestination): string | null {
  if (kind !== 'pagerduty') return null
  if (splitPagerDuty(url)?.isHidden !== false)
    return 'The hidden routing key is not one of this rule. Give the key again.'
  const { host, hostname } = new URL(url)
  const allowed = [...PAGERDUTY_HOSTS, ...env().SIGNALBOX_WEBHOOK_HOSTS]
  return allowed.includes(host) || allowed.includes(hostname)
    ? null
    : `This is no address of PagerDuty. Give the key alone, or an address of ${PAGERDUTY_HOSTS.join(' or ')}.`
}

/** Throws for a destination that `requireUsablePlace` would refuse. */
export function parsePagerDuty(address: string): {
  readonly url: string
  readonly routingKey: string
} {
  const parts = splitPagerDuty(address)
  if (parts === null || parts.isHidden) throw new Error('The destination has no routing key.')
  return { url: parts.url, routingKey: parts.key }
}

/** Names the destination in place of its routing key. */
export function hideKey(destination: AlertDestination): AlertDestination {
  const parts = destination.kind === 'pagerduty' ? splitPagerDuty(destination.url) : null
  return parts === null
    ? destination
    : { ...destination, url: `${parts.url}#${destinationId(destination)}` }
}

/** Undoes `hideKey` for one of the `known` destinations; any other keeps its text. */
export function revealKey(
  destination: AlertDestination,
  known: readonly AlertDestination[],
): AlertDestination {
  const { kind, url } = destination
  return known.find((each) => each.kind === kind && hideKey(each).url === url) ?? destination
}
