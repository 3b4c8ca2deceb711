// A link by mail, for accounts with a password. No answer, delay or log shows which addresses have one (specs/people.md).
import 'server-only'
import { env } from '../base/env.ts'
import { inBothTransactions } from '../db/transaction.ts'
import { freshId } from '../ids.ts'
import { escapedHtml, sendMail } from '../mail.ts'
import { recordAudit } from './audit.sql.ts'
import { deleteResetLinks, hasPassword, listMemberships } from './members.sql.ts'
import { systemProject } from './system.ts'

export const RESET_MINUTES = 30

interface Reset {
  readonly user: { readonly id: string; readonly email: string }
  readonly token: string
}

/** Rejects when the mail server does not accept the message. */
export async function mailReset({ user, token }: Reset): Promise<void> {
  // Who signs in at the identity provider has no password, and gets none by mail.
  if (!(await hasPassword(user.id))) return
  const link = `${env().SIGNALBOX_URL}/reset?token=${encodeURIComponent(token)}`
  const id = freshId('rst')
  await sendMail({ to: user.email, ...composeReset(link), id, thread: id })
}

/** Ends the user's other links, and adds an entry to the audit log of each project that this cell has. */
export async function finishReset(
  {
    id: userId,
    name,
    email,
  }: { readonly id: string; readonly name: string; readonly email: string },
  origin: string | null,
): Promise<void> {
  const projects = await listMemberships(userId)
  await inBothTransactions(async ({ cell, directory }) => {
    await deleteResetLinks(directory, userId)
    for (const { projectId, cell: place } of projects) {
      if (place !== env().SIGNALBOX_CELL) continue
      await recordAudit(cell, {
        projectId: systemProject(projectId),
        actorId: userId,
        actor: name,
        action: 'member.password_reset',
        target: userId,
        after: { email },
        origin,
      })
    }
  })
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
