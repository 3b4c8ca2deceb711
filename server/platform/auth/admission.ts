// Refuses before anything is written. Addresses count only if the provider reports them as verified.

import { ServiceError } from '../base/errors.ts'
import { type BothTx, directoryReader, inBothTransactions, lockByName } from '../db/transaction.ts'
import { recordAudit } from './audit.sql.ts'
import { readGroups } from './group-roles.ts'
import {
  applyGroups,
  findDecidingProvider,
  type GroupArrival,
  newcomerRefusal,
} from './group-sign-in.ts'
import {
  type InvitationState,
  markAccepted,
  pendingInvitationsFor,
  type StoredInvitation,
} from './invitations.sql.ts'
import {
  countMemberships,
  deleteLogins,
  deleteRemoval,
  grantForLog,
  hasOnlyProvider,
  insertMembership,
  isServedHere,
  wasRemoved,
} from './members.sql.ts'
import { hasGroups, isAllowedDomain, type SingleSignOn } from './oidc.ts'
import { firstProjectId } from './projects.sql.ts'
import { systemProject } from './system.ts'

/** Codes in the address of the login page, which has a sentence for each. */
export type AdmissionRefusal =
  | 'account_not_linked'
  | 'email_not_verified'
  | 'groups_unreadable'
  | 'no_group'
  | 'not_invited'
  | 'other_provider_decides'
  | 'removed'

interface Arriving {
  readonly email: string
  readonly emailVerified: boolean
  /** Null: no account has the address. */
  readonly userId: string | null
  /** Claims of the provider. */
  readonly profile: Readonly<Record<string, unknown>>
}

interface Arrival {
  readonly provider: SingleSignOn
  /** Network address of the request; null: not known. */
  readonly origin: string | null
}

/** Null: the user is admitted. The roles of an existing user then are those of the groups, also when the answer is a refusal. */
export async function admissionRefusal(
  user: Arriving,
  { provider, origin }: Arrival,
): Promise<AdmissionRefusal | null> {
  const { userId } = user
  if (!user.emailVerified) return 'email_not_verified'
  const email = user.email.toLowerCase()
  const deciding = userId === null ? null : await findDecidingProvider(userId)
  if (deciding !== null && deciding.id !== provider.id) return 'other_provider_decides'
  if (hasGroups(provider)) {
    const groups = readGroups(user.profile, provider.groups.claim)
    if (groups === null) return 'groups_unreadable'
    if (userId === null) return await newcomerRefusal({ provider, groups, email })
    return await settleByGroups({ id: userId, email }, { provider, groups, origin })
  }
  if (userId !== null) return null
  if ((await pendingInvitationsFor(email)).length > 0) return null
  if (!isAllowedDomain(provider, email)) return 'not_invited'
  const projectId = await firstProjectId(directoryReader())
  return (await wasRemoved({ projectId, email }, directoryReader())) ? 'removed' : null
}

/** Null: the user has a role. Else every login of the user has ended. */
export async function settleByGroups(
  user: { readonly id: string; readonly email: string },
  how: GroupArrival,
): Promise<AdmissionRefusal | null> {
  const { isGranted, isKept, isMember } = await applyGroups(user, how)
  // The last admin of a project is let in without a group, because otherwise no one could manage it.
  if (isKept || (isGranted && isMember)) return null
  await deleteLogins(user.id)
  return isGranted ? 'removed' : 'no_group'
}

/** By address alone, only the provider that made an account connects it again: another one could claim any address (decision 77). */
export async function linkRefusal(
  userId: string,
  { id }: SingleSignOn,
): Promise<AdmissionRefusal | null> {
  return (await hasOnlyProvider(userId, id)) ? null : 'account_not_linked'
}

interface Newcomer {
  readonly id: string
  readonly name: string
  /** Must be verified. */
  readonly email: string
}

/** Without an invitation, gives the default role in the oldest project. Changes nothing for members, who accept invitations by link. */
export async function settleIn(user: Newcomer, provider: SingleSignOn | null): Promise<void> {
  const invitations = await pendingInvitationsFor(user.email.toLowerCase())
  await inBothTransactions(async (both) => {
    const { directory } = both
    await lockByName(directory, `settle:${user.id}`)
    if ((await countMemberships(directory, user.id)) > 0) return
    for (const invitation of invitations) await joinBy(both, invitation, user)
    if (invitations.length === 0 && provider !== null) await joinByDomain(both, user, provider)
  })
}

async function joinByDomain(
  both: BothTx,
  { id, name, email }: Newcomer,
  provider: SingleSignOn,
): Promise<void> {
  if (!isAllowedDomain(provider, email)) return
  const { defaultRole: role } = provider
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
    after: { email, role, by: 'allowed domain', provider: provider.id },
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
