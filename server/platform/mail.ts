// Uses TLS unless configured otherwise. No user input can start a header. The password is in no error and no log.
import { createTransport } from 'nodemailer'
import { env } from './base/env.ts'
import { oneLine } from './one-line.ts'

interface Mail {
  /** One address; not a list. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Equal in all attempts, so that a mail program shows the message once. */
  readonly id: string
  readonly thread: string
}

/** A failure that every retry would repeat. */
export class MailRefused extends Error {}

const STEP_MS = 5_000
const ALL_MS = 15_000
const LONGEST_LINE = 200

/** The sender, as users may see it; null: no mail server is configured. */
export function mailSender(): string | null {
  const { SIGNALBOX_SMTP_URL: url, SIGNALBOX_MAIL_FROM: from } = env()
  return url === undefined || from === undefined ? null : from
}

function cut(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line
}

export interface MailServer {
  readonly url: string
  readonly from: string
  readonly tls: 'required' | 'off'
}

/** Throws MailRefused when no server is configured. */
export async function sendMail(mail: Mail): Promise<void> {
  const { SIGNALBOX_SMTP_URL: url, SIGNALBOX_MAIL_FROM: from, SIGNALBOX_SMTP_TLS: tls } = env()
  if (url === undefined || from === undefined) throw new MailRefused(NOT_SET_UP)
  await sendByServer(mail, { url, from, tls })
}

/** Resolves once the server has accepted it. Rejects with a message for users, as MailRefused when a retry is useless. */
export async function sendByServer(
  { to, subject, text, html, id, thread }: Mail,
  { url, from, tls }: MailServer,
): Promise<void> {
  const host = new URL(env().SIGNALBOX_URL).hostname
  const transport = createTransport({
    ...toMailTransport(new URL(url), tls),
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    dnsTimeout: STEP_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), ALL_MS)
  try {
    const sent = transport.sendMail({
      from,
      to: { name: '', address: to },
      subject: cut(oneLine(subject)),
      text,
      html,
      messageId: `<${id}@${host}>`,
      references: `<${thread}@${host}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    await Promise.race([sent, lateness(late.signal)])
  } catch (error) {
    throw inWords(error)
  } finally {
    clearTimeout(timer)
    transport.close()
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapedHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)
}

const NOT_SET_UP =
  'No mail server is named. Whoever runs this server sets SIGNALBOX_SMTP_URL and SIGNALBOX_MAIL_FROM.'

/** `smtps` uses TLS from the first byte. `smtp` upgrades to TLS, and fails without it unless TLS was switched off. */
function toMailTransport(
  { protocol, hostname, port, username, password }: URL,
  tls: 'required' | 'off',
) {
  const isSecure = protocol === 'smtps:'
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    ...(tls === 'off' ? { ignoreTLS: !isSecure } : { requireTLS: !isSecure }),
    ...(username === ''
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
  }
}

function lateness(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () =>
      reject(new Error(`The mail server did not take the message within ${ALL_MS / 1000} s.`)),
    )
  })
}

interface MailProblem {
  readonly code: string
  /** Status of the mail server's answer; 0: none. */
  readonly status: number
  readonly message: string
}

function toMailProblem(error: unknown): MailProblem {
  if (!(error instanceof Error)) return { code: '', status: 0, message: String(error) }
  const code = 'code' in error ? String(error.code) : ''
  const status = 'responseCode' in error ? Number(error.responseCode) : 0
  return { code, status, message: cut(oneLine(error.message)) }
}

function inWords(error: unknown): Error {
  const { code, status, message } = toMailProblem(error)
  if (code === 'ETLS' || /certificate|self-signed/i.test(message)) return new Error(noTls(message))
  if (code === 'EAUTH')
    return new Error(`The mail server refused the login (${status || 'no answer'}).`)
  if (status === 0) return new Error(`The mail server could not be reached: ${message}`)
  const text = `The mail server refused the message: ${message}`
  // A status of 5xx is final. After 4xx, or without an answer, a retry may succeed.
  return status >= 500 ? new MailRefused(text) : new Error(text)
}

function noTls(message: string): string {
  return `The connection to the mail server could not be made secure: ${message}. Nothing was sent. In a trusted network, SIGNALBOX_SMTP_TLS=off allows plain text.`
}
