// Standard Webhooks (id, timestamp, signature) for programs, one line of text for chats, an email for users. Pure.
import { createHmac, hkdfSync } from 'node:crypto'
import { escapedHtml } from '@/server/platform/mail.ts'
import { oneLine } from '@/server/platform/one-line.ts'
import { type AlertSignal, alertSignal } from './signals.kinds.ts'

export interface AlertMessage {
  /** Id of the delivery, equal in all attempts, so that a receiver can recognize a repetition. */
  readonly id: string
  readonly event: 'firing' | 'resolved' | 'test'
  readonly alertId: string
  readonly rule: string
  readonly signal: AlertSignal
  readonly scope: string
  readonly value: number
  readonly threshold: number
  readonly windowMinutes: number
  readonly reason: string
  readonly url: string
  readonly consoleUrl: string
  readonly firedAt: number
  readonly resolvedAt: number | null
}

/** Secret `whsec_…` of one rule. It is derived from the server's own secret, so it is stored nowhere. */
export function webhookSecret(authSecret: string, ruleId: string): string {
  const key = hkdfSync('sha256', authSecret, '', `signalbox webhook ${ruleId}`, 32)
  return `whsec_${Buffer.from(key).toString('base64')}`
}

/** HMAC-SHA256 of `id.timestamp.body`; `at` in epoch seconds. */
export function signature(
  secret: string,
  { id, at, body }: { readonly id: string; readonly at: number; readonly body: string },
): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`
}

export function webhookBody(message: AlertMessage): string {
  return JSON.stringify({
    type: `alert.${message.event}`,
    timestamp: new Date(message.resolvedAt ?? message.firedAt).toISOString(),
    data: {
      id: message.alertId,
      rule: message.rule,
      signal: message.signal,
      scope: message.scope,
      value: message.value,
      threshold: message.threshold,
      window_minutes: message.windowMinutes,
      reason: message.reason,
      url: message.url,
      console_url: message.consoleUrl,
      fired_at: new Date(message.firedAt).toISOString(),
      resolved_at: message.resolvedAt === null ? null : new Date(message.resolvedAt).toISOString(),
    },
  })
}

export const MESSAGE_WORDS = { firing: 'Alert', resolved: 'Resolved', test: 'Test' } as const

/** `{"text": …}`, which most chats accept. In their markup, `<` starts a link or mentions everyone, and reasons quote agents. */
export function chatBody({ event, rule, scope, reason, url }: AlertMessage): string {
  const text = oneLine(`${MESSAGE_WORDS[event]}: ${rule} (${scope}). ${reason} ${url}`)
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return JSON.stringify({ text: escaped })
}

interface Letter {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The subject has the reason, because users see it in their list of messages. */
export function composeLetter(message: AlertMessage): Letter {
  const { event, url, consoleUrl } = message
  const rule = oneLine(message.rule)
  const scope = oneLine(message.scope)
  const reason = oneLine(message.reason)
  const { unit, measure, link } = alertSignal(message.signal)
  const facts = [
    `Rule: ${rule} (${scope})`,
    ...(measure === 'waiting'
      ? []
      : [
          `Value: ${message.value}${unit} in ${message.windowMinutes} min; the rule says ${message.threshold}${unit} or more`,
        ]),
    `Fired: ${new Date(message.firedAt).toISOString()}`,
    ...(message.resolvedAt === null
      ? []
      : [`Resolved: ${new Date(message.resolvedAt).toISOString()}`]),
  ]
  const subject = `${MESSAGE_WORDS[event]}: ${reason} (${rule}, ${scope})`
  const text = [
    reason,
    '',
    `${link}: ${url}`,
    '',
    ...facts,
    '',
    `All alerts: ${consoleUrl}`,
    '',
  ].join('\n')
  const html = `<!doctype html><html lang="en"><body><p><strong>${escapedHtml(reason)}</strong></p><p>${formatLink(url, link)}</p><p>${facts
    .map(escapedHtml)
    .join('<br>')}</p><p>${formatLink(consoleUrl, 'All alerts')}</p></body></html>`
  return { subject, text, html }
}

function formatLink(url: string, words: string): string {
  return `<a href="${escapedHtml(url)}">${words}</a>`
}
