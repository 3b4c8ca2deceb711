// A link by mail, for accounts with a password. No answer, delay or log shows which addresses have one (specs/people.md).
import 'server-only'
import { env } from '../base/env.ts'
import { freshId } from '../ids.ts'
import { escapedHtml, sendMail } from '../mail.ts'
import { logger } from '../observability/log.mjs'
import { hasPassword } from './members.sql.ts'

export const RESET_MINUTES = 30

interface Reset {
  readonly user: { readonly id: string; readonly email: string }
  readonly token: string
}

/** Begins to send the link and returns, so that the answer takes as long as for an unknown address. */
export function beginReset(reset: Reset): Promise<void> {
  mailReset(reset).catch((error: unknown) => {
    const cause = error instanceof Error ? error.message : String(error)
    logger.error({ cause }, 'a link for a new password was not sent')
  })
  return Promise.resolve()
}

async function mailReset({ user, token }: Reset): Promise<void> {
  // Who signs in at the identity provider has no password, and gets none by mail.
  if (!(await hasPassword(user.id))) return
  const link = `${env().SIGNALBOX_URL}/reset?token=${encodeURIComponent(token)}`
  const id = freshId('rst')
  await sendMail({ to: user.email, ...composeReset(link), id, thread: id })
}

function composeReset(link: string) {
  const what = 'Someone asked for a new password of your Signalbox account.'
  const rules = [
    `The link works once, for ${RESET_MINUTES} minutes. A new password ends every login.`,
    'If you did not ask for it, ignore this message: your password stays as it is.',
  ]
  const [first = '', ...rest] = [what, ...rules].map((line) => `<p>${escapedHtml(line)}</p>`)
  const button = `<p><a href="${escapedHtml(link)}">Choose a new password</a></p>`
  return {
    subject: 'New password for Signalbox',
    text: [what, '', `Choose a new password: ${link}`, '', ...rules, ''].join('\n'),
    html: `<!doctype html><html lang="en"><body>${first}${button}${rest.join('')}</body></html>`,
  }
}
