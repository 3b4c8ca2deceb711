import { createHash } from 'node:crypto'
import { env } from '@/server/platform/base/env.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { mailSender } from '@/server/platform/mail.ts'
import { findDestinationProblem, parseMailAddress } from './alert-input.ts'
import type { AlertDestination } from './alerts.sql.ts'
import { checkOutboundAddress } from './outbound.ts'

/** SHA-256, hexadecimal. Equal for equal destinations, without revealing them. */
export function destinationDigest({ kind, url }: AlertDestination): string {
  return createHash('sha256').update(`${kind} ${url}`).digest('hex')
}

export function shownPlace({ kind, url }: AlertDestination): string {
  return kind === 'email' ? (parseMailAddress(url) ?? '') : new URL(url).host
}

/** Rejects with `invalid`, naming the field, when the destination cannot be used. */
export function requireUsablePlace({ kind, url }: AlertDestination, field: string): void {
  const refusal =
    findDestinationProblem({ kind, url }) ??
    (kind === 'email'
      ? findMailProblem()
      : checkOutboundAddress(url, env().SIGNALBOX_WEBHOOK_HOSTS))
  if (refusal !== null) throw new ServiceError('invalid', refusal, field)
}

function findMailProblem(): string | null {
  return mailSender() === null
    ? 'This server sends no email: whoever runs it sets SIGNALBOX_SMTP_URL and SIGNALBOX_MAIL_FROM.'
    : null
}
