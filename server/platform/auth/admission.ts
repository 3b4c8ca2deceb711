// Refuses before anything is written. Addresses count only if the provider reports them as verified.

import { ServiceError } from '../base/errors.ts'
import { type BothTx, directoryReader, inBothTransactions, lockByName } from '../db/transaction.ts'
import { recordAudit } from './audit.sql.ts'
import {
  type InvitationState,
  markAccepted,
  pendingInvitationsFor,
  type StoredInvitation,
} from './invitations.sql.ts'
import {
  countMemberships,
  deleteRemoval,
  grantForLog,
  insertMembership,
  isServedHere,
  wasRemoved,
} from './members.sql.ts'
import { isAllowedDomain, singleSignOn } from './oidc.ts'
import { firstProjectId } from './projects.sql.ts'
import { systemProject } from './system.ts'

/** Codes in the address of the login page, which has a sentence for each. */
export type AdmissionRefusal = 'email_not_verified' | 'not_invited' | 'removed'

/** Null: the user is admitted. `isNew`: no account has the address. */
export async function admissionRefusal(user: {
  readonly email: string
  readonly emailVerified: boolean
  readonly isNew: boolean
}): Promise<AdmissionRefusal | null> {
  if (!user.emailVerified) return 'email_not_verified'
  if (!user.isNew) return null
  const email = user.email.toLowerCase()
  if ((await pendingInvitationsFor(email)).length > 0) return null
  const settings = singleSignOn()
  if (settings === null || !isAllowedDomain(settings, email)) return 'not_invited'
  const projectId = await firstProjectId(directoryReader())
  return (await wasRemoved({ projectId, email }, directoryReader())) ? 'removed' : null
}

interface Newcomer {
  readonly id: string
  readonly name: string
  /** Must be verified. */
  readonly email: string
}

/** Without an invitation, gives the default role in the oldest project. Changes nothing for members, who accept invitations by link. */
export async function settleIn(user: Newcomer): Promise<void> {
  const invitations = await pendingInvitationsFor(user.email.toLowerCase())
  await inBothTransactions(async (both) => {
    const { directory } = both
    await lockByName(directory, `settle:${user.id}`)
    if ((await countMemberships(directory, user.id)) > 0) return
    for (const invitation of invitations) await joinBy(both, invitation, user)
    if (invitations.length === 0) await joinByDomain(both, user)
  })
}

async function joinByDomain(both: BothTx, { id, name, email }: Newcomer): Promise<void> {
  const settings = singleSignOn()
  if (settings === null || !isAllowedDomain(settings, email)) return
  const { defaultRole: role } = settings
  const projectId = await firstProjectId(both.directory)
  if (await wasRemoved({ projectId, email }, both.directory)) return
  await insertMembership(both, { projectId, userId: id, role, publishIn: null })
  // Otherwise the gate of the project's cell records the user's first visit.
  if (!(await isServedHere(both.directory, projectId))) return
  await recordAudit(both.cell, {
    projectId,
    actorId: id,
    actor: name,
    action: 'member.joined',
    target: id,
    after: { email, role, by: 'allowed domain' },
  })
}

export const WHY_NOT = {
  accepted: 'This invitation was used before. Sign in, or ask for a new one.',
  revoked: 'This invitation was revoked. Ask for a new one.',
  expired: 'This invitation has expired. Ask for a new one.',
} as const satisfies Record<Exclude<InvitationState, 'pending'>, string>

/** Uses up the invitation for the user. Rejects with `conflict` when it is no longer valid or the user is already a member. */
export async function joinBy(
  both: BothTx,
  invitation: StoredInvitation,
  user: { readonly id: string; readonly name: string },
): Promise<void> {
  const { id, role, publishIn, email } = invitation
  // The invitation grants access to its project.
  const projectId = systemProject(invitation.projectId)
  const place = { projectId, userId: user.id }
  if (!(await markAccepted(both.directory, { id, ...place, at: Date.now() }))) {
    throw new ServiceError('conflict', WHY_NOT.accepted)
  }
  if (!(await insertMembership(both, { ...place, role, publishIn }))) {
    throw new ServiceError('conflict', `You are a member of ${invitation.projectName} already.`)
  }
  await deleteRemoval(both.directory, { projectId, email })
  if (!(await isServedHere(both.directory, projectId))) return
  await recordAudit(both.cell, {
    projectId,
    actorId: user.id,
    actor: user.name,
    action: 'invitation.accepted',
    target: id,
    after: { email, ...grantForLog({ role, publishIn }) },
  })
}
