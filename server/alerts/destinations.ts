// Destinations of a rule's alerts: checks a destination, and names it where a secret path must not be seen.

import { env } from '@/server/platform/env.ts'
import { ServiceError } from '@/server/platform/errors.ts'
import { mailSender } from '@/server/platform/mail.ts'
import type { AlertDestination } from './alerts.sql.ts'
import { checkOutboundAddress } from './outbound.ts'

export const DESTINATION_KINDS = [
  'webhook',
  'chat',
  'email',
] as const satisfies readonly AlertDestination['kind'][]

/** One address as mail servers accept it; quoted names, lists and comments are refused. */
const ADDRESS =
  /^[^\s"(),:;<>@[\\\]/?#%\p{Cc}\p{Cf}]+@[^\s"(),:;<>@[\\\]/?#%\p{Cc}\p{Cf}]+\.[^\s"(),:;<>@[\\\]/?#%\p{Cc}\p{Cf}]+$/u
const LONGEST_ADDRESS = 254

/** `ana@example.com` of `mailto:ana@example.com`; null: it is no such thing. */
export function parseMailAddress(url: string): string | null {
  if (!url.startsWith('mailto:')) return null
  const address = url.slice('mailto:'.length)
  return ADDRESS.test(address) && address.length <= LONGEST_ADDRESS ? address : null
}

/** The host, or the address of an e-mail. */
export function shownPlace({ kind, url }: AlertDestination): string {
  return kind === 'email' ? (parseMailAddress(url) ?? '') : new URL(url).host
}

/** Rejects with `invalid`, naming the field, when the destination cannot be used. */
export function requireUsablePlace({ kind, url }: AlertDestination, field: string): void {
  const refusal =
    kind === 'email'
      ? refusedAddress(url)
      : checkOutboundAddress(url, env().SIGNALBOX_WEBHOOK_HOSTS)
  if (refusal !== null) throw new ServiceError('invalid', refusal, field)
}

function refusedAddress(url: string): string | null {
  if (parseMailAddress(url) === null) return 'Give one e-mail address, such as team@example.com.'
  return mailSender() === null
    ? 'This server sends no e-mail: whoever runs it sets SIGNALBOX_SMTP_URL and SIGNALBOX_MAIL_FROM.'
    : null
}
