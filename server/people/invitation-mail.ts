// An invitation is valid even if its email fails. The link is a secret, and no other message or log contains it.
import type { StoredInvitation } from '@/server/platform/auth/invitations.sql.ts'
import { escapedHtml, mailSender, sendMail } from '@/server/platform/mail.ts'

export type MailOutcome =
  | { readonly state: 'none' }
  | { readonly state: 'sent' }
  | { readonly state: 'failed'; readonly why: string }

/** Resolves even if the mail server refused the email. */
export async function mailInvitation(
  invitation: StoredInvitation,
  link: string,
): Promise<MailOutcome> {
  if (mailSender() === null) return { state: 'none' }
  const { id, email } = invitation
  try {
    await sendMail({ to: email, ...composeInvitation(invitation, link), id, thread: id })
    return { state: 'sent' }
  } catch (error) {
    return { state: 'failed', why: error instanceof Error ? error.message : String(error) }
  }
}

function composeInvitation(invitation: StoredInvitation, link: string) {
  const { projectName, invitedBy, role, email, expiresAt } = invitation
  const who = invitedBy ?? 'An admin'
  const what = `${who} invites you to the project ${projectName} on Signalbox, as ${role}.`
  const rules = [
    `The link works once, for ${email} only, until ${new Date(expiresAt).toISOString()}.`,
    'If you did not expect it, ignore this message: no one can join without the link.',
  ]
  const html = [what, ...rules].map((line) => `<p>${escapedHtml(line)}</p>`)
  const button = `<p><a href="${escapedHtml(link)}">Join ${escapedHtml(projectName)}</a></p>`
  return {
    subject: `${who} invites you to ${projectName}`,
    text: [what, '', `Join: ${link}`, '', ...rules, ''].join('\n'),
    html: `<!doctype html><html lang="en"><body>${html[0]}${button}${html.slice(1).join('')}</body></html>`,
  }
}
