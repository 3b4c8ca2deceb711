// The holder of a link joins with its address, once. The link is shown once; the server keeps its hash (specs/people.md).
import { createHash, randomBytes } from 'node:crypto'
import { hashPassword } from 'better-auth/crypto'
import { joinBy, WHY_NOT } from '@/server/platform/auth/admission.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import {
  findInvitationByHash,
  insertInvitation,
  revokeInvitations,
  type StoredInvitation,
} from '@/server/platform/auth/invitations.sql.ts'
import {
  findMember,
  findUserByEmail,
  type Grant,
  grantForLog,
  insertUser,
} from '@/server/platform/auth/members.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { createThrottle } from '@/server/platform/auth/throttle.ts'
import { env } from '@/server/platform/base/env.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inBothTransactions, lockByName } from '@/server/platform/db/transaction.ts'
import { type MailOutcome, mailInvitation } from './invitation-mail.ts'
import { requireGrantableRole } from './key-limits.ts'
import { checkedGrant } from './members.ts'

const VALID_MS = 7 * 86_400_000
const FORM = /^inv_[A-Za-z0-9_-]{43}$/

const unknownTokens = createThrottle({ name: 'unknown invitations', limit: 30, windowMs: 60_000 })
/** Attempts to accept, per invitation: each costs a password hash. */
const acceptances = createThrottle({ name: 'acceptances', limit: 10, windowMs: 60_000 })

/** SHA-256 suffices, because the token has 256 random bits. */
const hashInvitation = (token: string): string => createHash('sha256').update(token).digest('hex')

export interface InvitationInput extends Grant {
  readonly email: string
}

export interface MadeInvitation {
  readonly id: string
  /** Shown once; it cannot be read again. */
  readonly link: string
  readonly expiresAt: number
  readonly mail: MailOutcome
}

/** Ends older links for the same address. */
export async function invite(scope: ProjectScope, input: InvitationInput): Promise<MadeInvitation> {
  const { projectId } = scope
  const email = input.email.toLowerCase()
  const grant = await checkedGrant(projectId, input)
  requireGrantableRole(scope, grant)
  const token = `inv_${randomBytes(32).toString('base64url')}`
  const expiresAt = Date.now() + VALID_MS
  const id = await inBothTransactions(async ({ cell, directory }) => {
    const user = await findUserByEmail(directory, email)
    if (user !== null && (await findMember(directory, { projectId, userId: user.id })) !== null) {
      throw new ServiceError('conflict', `${email} is a member of this project already.`, 'email')
    }
    await revokeInvitations(directory, { projectId, email })
    const made = await insertInvitation(directory, {
      projectId,
      email,
      expiresAt,
      ...grant,
      tokenHash: hashInvitation(token),
      invitedBy: scope.userId,
    })
    await recordAudit(cell, {
      projectId,
      ...toAuditActor(scope),
      action: 'invitation.created',
      target: made,
      after: { email, ...grantForLog(grant), expires_at: expiresAt },
    })
    return made
  })
  const link = `${env().SIGNALBOX_URL}/invite?token=${token}`
  const made = await findInvitationByHash(hashInvitation(token))
  const mail: MailOutcome = made === null ? { state: 'none' } : await mailInvitation(made, link)
  return { id, link, expiresAt, mail }
}

export async function revokeInvitation(scope: ProjectScope, id: string): Promise<void> {
  const { projectId } = scope
  await inBothTransactions(async ({ cell, directory }) => {
    if ((await revokeInvitations(directory, { projectId, id })) === 0) {
      const message = 'There is no such invitation, or it was used or revoked before.'
      throw new ServiceError('not_found', message)
    }
    await recordAudit(cell, {
      projectId,
      ...toAuditActor(scope),
      action: 'invitation.revoked',
      target: id,
    })
  })
}

const UNKNOWN = 'This link is not an invitation. Use the whole link, or ask for a new one.'

export interface Caller {
  /** Address or network, as toNetwork returns it. */
  readonly address: string
}

async function requirePending(token: string, { address }: Caller): Promise<StoredInvitation> {
  if (!FORM.test(token)) throw new ServiceError('not_found', UNKNOWN)
  const found = await findInvitationByHash(hashInvitation(token))
  if (found === null) {
    if (await unknownTokens.admit(address)) throw new ServiceError('not_found', UNKNOWN)
    throw new ServiceError('limit', 'Too many links were tried. Wait a minute and try again.')
  }
  if (found.state !== 'pending') throw new ServiceError('conflict', WHY_NOT[found.state])
  return found
}

export interface InvitationPreview extends Grant {
  readonly email: string
  readonly projectName: string
  readonly invitedBy: string | null
  readonly expiresAt: number
}

/** Equal for addresses with and without an account. Rejects with `not_found`, `conflict` (used, revoked, expired) or `limit`. */
export async function previewInvitation(token: string, caller: Caller): Promise<InvitationPreview> {
  const found = await requirePending(token, caller)
  const { email, role, publishIn, projectName, invitedBy, expiresAt } = found
  return { email, role, publishIn, projectName, invitedBy, expiresAt }
}

export interface Joined {
  readonly email: string
  readonly projectSlug: string
}

async function admitAcceptance({ id }: StoredInvitation): Promise<void> {
  if (await acceptances.admit(id)) return
  throw new ServiceError('limit', 'Too many attempts with this link. Wait a minute and try again.')
}

/** For a new user with a password. Rejects with `conflict` when the address has an account, whose owner must sign in instead. */
export async function acceptAsNew(
  input: { readonly token: string; readonly name: string; readonly password: string },
  caller: Caller,
): Promise<Joined> {
  const invitation = await requirePending(input.token, caller)
  await admitAcceptance(invitation)
  const { email, projectSlug } = invitation
  const passwordHash = await hashPassword(input.password)
  await inBothTransactions(async (both) => {
    const { directory } = both
    await lockByName(directory, `email:${email}`)
    if ((await findUserByEmail(directory, email)) !== null) {
      const message = `${email} has an account. Sign in with it, then open this link again.`
      throw new ServiceError('conflict', message)
    }
    const id = await insertUser(directory, { name: input.name, email, passwordHash })
    await joinBy(both, invitation, { id, name: input.name })
  })
  return { email, projectSlug }
}

/** For the signed-in user. Rejects with `forbidden` when the invitation is for another address. */
export async function acceptAsUser(
  user: { readonly id: string; readonly name: string; readonly email: string },
  token: string,
  caller: Caller,
): Promise<Joined> {
  const invitation = await requirePending(token, caller)
  await admitAcceptance(invitation)
  const { email, projectSlug } = invitation
  if (user.email.toLowerCase() !== email) {
    const message = `This invitation is for ${email}, and you are signed in as ${user.email}. Sign out and sign in as ${email}.`
    throw new ServiceError('forbidden', message)
  }
  await inBothTransactions((both) => joinBy(both, invitation, user))
  return { email, projectSlug }
}
