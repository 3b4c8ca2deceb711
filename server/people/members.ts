// Users of the project: the first admin, changes of roles, removal. Others join by invitation. A project always keeps an admin.
import { timingSafeEqual } from 'node:crypto'
import { hashPassword } from 'better-auth/crypto'
import { insertRecommendedRules } from '@/server/alerts/recommended.ts'
import { listEnvironments } from '@/server/environments/environments.sql.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import {
  countAdmins,
  countMemberships,
  countMemberTraces,
  countUsers,
  deleteMember,
  type FoundMember,
  findMember,
  type Grant,
  type GrantSource,
  grantForLog,
  insertMembership,
  insertUser,
  listMembers,
  lockMembers,
  type Member,
  updateGrant,
} from '@/server/platform/auth/members.sql.ts'
import { findIdentityProvider, hasGroups } from '@/server/platform/auth/oidc.ts'
import { firstProjectId } from '@/server/platform/auth/projects.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { env } from '@/server/platform/base/env.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import {
  directoryReader,
  inBothTransactions,
  lockByName,
  type Tx,
} from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { requireChangeable, requireGrantableRole } from './key-limits.ts'

/** True while there is no account, so that the link printed at the first start opens /setup. */
export async function isSetupOpen(): Promise<boolean> {
  return (await countUsers(directoryReader())) === 0
}

function tokenMatches(given: string): boolean {
  const expected = Buffer.from(env().SIGNALBOX_SETUP_TOKEN)
  const sent = Buffer.from(given)
  // The comparison requires equal lengths; the token's length is no secret.
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}

interface NewPerson {
  readonly name: string
  readonly email: string
  readonly password: string
}

/** When two calls run concurrently, exactly one succeeds. Rejects with `forbidden` for a wrong token, and with `conflict` once any user exists. */
export async function setUpFirstAdmin(
  input: NewPerson & { readonly token: string },
): Promise<{ readonly email: string }> {
  if (!tokenMatches(input.token)) {
    throw new ServiceError(
      'forbidden',
      'This set-up link is not valid. Use the one that "npm start" printed.',
    )
  }
  const email = input.email.toLowerCase()
  const passwordHash = await hashPassword(input.password)
  await inBothTransactions(async (both) => {
    const { directory } = both
    await lockByName(directory, 'setup')
    if ((await countUsers(directory)) > 0) {
      throw new ServiceError('conflict', 'An admin exists already. Sign in instead.')
    }
    const projectId = await firstProjectId(directory)
    const { name } = input
    const userId = await insertUser(directory, { name, email, passwordHash })
    await insertMembership(both, { projectId, userId, role: 'admin', publishIn: null })
    await insertRecommendedRules(both.cell, projectId, userId)
    await recordAudit(both.cell, {
      projectId,
      actorId: userId,
      actor: name,
      action: 'member.set_up',
      target: userId,
      after: { email, role: 'admin' },
    })
  })
  return { email }
}

/** Rejects with `invalid` for a publisher without environments, and for environments that the project does not have. */
export async function checkedGrant(
  projectId: AuthorizedProjectId,
  { role, publishIn }: Grant,
): Promise<Grant> {
  if (role !== 'publisher' || publishIn === null) return { role, publishIn: null }
  const names = (await listEnvironments(projectId)).map(({ name }) => name)
  const unknown = publishIn.find((name) => !names.includes(name))
  if (unknown !== undefined) {
    throw new ServiceError('invalid', `There is no environment "${unknown}".`, 'publishIn')
  }
  if (publishIn.length === 0) {
    const message = 'Choose at least one environment, or make this person an editor.'
    throw new ServiceError('invalid', message, 'publishIn')
  }
  // In order of promotion, each once, so that equal grants are stored equally.
  return { role, publishIn: names.filter((name) => publishIn.includes(name)) }
}

async function requireMember(
  tx: Tx,
  where: { readonly projectId: AuthorizedProjectId; readonly userId: string },
) {
  const member = await findMember(tx, where)
  if (member === null)
    throw new ServiceError('not_found', 'This user is not a member of the project.')
  return member
}

async function keepAnAdmin(tx: Tx, projectId: AuthorizedProjectId): Promise<void> {
  if ((await countAdmins(tx, projectId)) > 1) return
  throw new ServiceError(
    'conflict',
    'This is the last admin of the project. Make another member an admin first.',
  )
}

const isSame = (one: Grant, other: Grant): boolean =>
  one.role === other.role && JSON.stringify(one.publishIn) === JSON.stringify(other.publishIn)

export interface MemberView extends Omit<Member, keyof GrantSource> {
  /** Provider, by its label, and groups that decide about the role; null: people do. Groups are empty for the role without a mapped group. */
  readonly byGroup: { readonly provider: string; readonly groups: readonly string[] } | null
}

/** A role by a provider that no longer has groups is one that people edit. */
function readByGroup({ grantedBy, grantedGroups }: GrantSource): MemberView['byGroup'] {
  const provider = findIdentityProvider(grantedBy)
  return hasGroups(provider) ? { provider: provider.label, groups: grantedGroups } : null
}

export async function listMemberViews(scope: ProjectScope): Promise<readonly MemberView[]> {
  const members = await listMembers(scope)
  return members.map(({ grantedBy, grantedGroups, ...member }) => ({
    ...member,
    byGroup: readByGroup({ grantedBy, grantedGroups }),
  }))
}

function requireByHand(member: FoundMember): void {
  const by = readByGroup(member)
  if (by === null) return
  const where = by.groups.length === 0 ? 'no group' : `group ${by.groups.join(', ')}`
  const message = `The role of ${member.name} comes from ${by.provider} (${where}). Change it there.`
  throw new ServiceError('conflict', message)
}

export async function changeRole(
  scope: ProjectScope,
  input: Grant & { readonly userId: string },
): Promise<void> {
  const { projectId } = scope
  const { userId } = input
  const grant = await checkedGrant(projectId, input)
  requireGrantableRole(scope, grant)
  await inBothTransactions(async (both) => {
    const { cell, directory } = both
    await lockMembers(directory, projectId)
    const member = await requireMember(directory, { projectId, userId })
    requireChangeable(scope, member)
    requireByHand(member)
    if (isSame(member, grant)) return
    if (member.role === 'admin' && grant.role !== 'admin') await keepAnAdmin(directory, projectId)
    await updateGrant(both, { projectId, userId, ...grant })
    await notify(cell, { project: projectId, kind: 'member', id: userId })
    await recordAudit(cell, {
      projectId,
      ...toAuditActor(scope),
      action: 'member.role_changed',
      target: userId,
      before: grantForLog(member),
      after: grantForLog(grant),
    })
  })
}

export interface Removal extends Awaited<ReturnType<typeof countMemberTraces>> {
  /** It is their last project, so their account and every login end with it. */
  readonly isLastProject: boolean
  readonly isLastAdmin: boolean
}

/** Effects of removing the user, as numbers. Rejects with `not_found`. */
export async function previewRemoval(scope: ProjectScope, userId: string): Promise<Removal> {
  const { projectId } = scope
  const tx = directoryReader()
  const member = await requireMember(tx, { projectId, userId })
  const [traces, projects, admins] = await Promise.all([
    countMemberTraces({ projectId, userId }),
    countMemberships(tx, userId),
    countAdmins(tx, projectId),
  ])
  return {
    ...traces,
    isLastProject: projects === 1,
    isLastAdmin: member.role === 'admin' && admins === 1,
  }
}

/** Ends every login of the user if this was their last project. */
export async function removeMember(
  scope: ProjectScope,
  input: { readonly userId: string; readonly typedEmail: string },
): Promise<void> {
  const { projectId } = scope
  const { userId } = input
  await inBothTransactions(async (both) => {
    const { cell, directory } = both
    await lockMembers(directory, projectId)
    const member = await requireMember(directory, { projectId, userId })
    requireChangeable(scope, member)
    if (input.typedEmail !== member.email) {
      const message = `Type "${member.email}" exactly to remove ${member.name}.`
      throw new ServiceError('invalid', message, 'typedEmail')
    }
    if (member.role === 'admin') await keepAnAdmin(directory, projectId)
    await deleteMember(both, { projectId, userId, email: member.email })
    await notify(cell, { project: projectId, kind: 'member', id: userId })
    await recordAudit(cell, {
      projectId,
      ...toAuditActor(scope),
      action: 'member.removed',
      target: userId,
      before: { email: member.email, ...grantForLog(member) },
    })
  })
}
