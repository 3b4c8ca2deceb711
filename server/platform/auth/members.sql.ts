// A cell has copies of memberships and users, because its queries name authors and count approvals. Passwords enter and leave as hashes.
import 'server-only'
import { env } from '../base/env.ts'
import { MAIN_CELL } from '../base/variables.mjs'
import {
  type BothTx,
  directoryReader,
  isDirectoryHere,
  lockByName,
  reader,
  type Tx,
} from '../db/transaction.ts'
import type { AuthorizedProjectId } from '../ids.ts'
import { freshId } from '../ids.ts'
import type { PublishIn, Role } from './permissions.ts'
import type { ProjectScope } from './scope.ts'

export interface Grant {
  readonly role: Role
  readonly publishIn: PublishIn
}

export function grantForLog({ role, publishIn }: Grant): { role: string; publish_in?: string[] } {
  return publishIn === null ? { role } : { role, publish_in: [...publishIn] }
}

/** Both empty: a person gave the role. */
export interface GrantSource {
  /** Id of the identity provider whose groups gave the role. */
  readonly grantedBy: string | null
  /** Empty for a provider's role for people without a mapped group. */
  readonly grantedGroups: readonly string[]
}

const BY_HAND: GrantSource = { grantedBy: null, grantedGroups: [] }

export interface Member extends Grant, GrantSource {
  readonly userId: string
  readonly name: string
  readonly email: string
  readonly createdAt: number
  readonly signsInBy: readonly ('password' | 'oidc')[]
}

export interface Membership extends Grant {
  readonly projectId: string
  readonly slug: string
  readonly projectName: string
  readonly cell: string
}

/** More than a self-hosted project has, so that lists stay bounded. */
const MOST_MEMBERS = 500
const MOST_PROJECTS = 200
const EVERYWHERE = '*'

/** From its stored form: an empty list means no environment, never all. */
export function toPublishIn(stored: readonly string[]): PublishIn {
  return stored.includes(EVERYWHERE) ? null : stored
}

export function storedPublishIn(publishIn: PublishIn): string[] {
  return publishIn === null ? [EVERYWHERE] : [...publishIn]
}

interface MembershipRow extends Omit<Membership, 'publishIn'> {
  readonly publishIn: readonly string[]
}

/** Oldest first. One statement, because every request of a user starts with it. */
export async function listMemberships(userId: string): Promise<readonly Membership[]> {
  const rows = await directoryReader().$queryRaw<MembershipRow[]>`
    SELECT m.project_id AS "projectId", m.role::text AS role, m.publish_in AS "publishIn", p.slug, p.name AS "projectName",
      coalesce(p.cell, ${MAIN_CELL}) AS cell
    FROM memberships m JOIN projects p ON p.id = m.project_id
    WHERE m.user_id = ${userId} ORDER BY m.created_at, m.project_id LIMIT ${MOST_PROJECTS}`
  return rows.map(({ publishIn, ...membership }) => ({
    ...membership,
    publishIn: toPublishIn(publishIn),
  }))
}

const WITH_USER = {
  user: { select: { name: true, email: true, authAccounts: { select: { providerId: true } } } },
} as const

export async function listMembers(scope: ProjectScope): Promise<readonly Member[]> {
  const rows = await directoryReader().membership.findMany({
    where: { projectId: scope.projectId },
    orderBy: [{ createdAt: 'asc' }, { userId: 'asc' }],
    take: MOST_MEMBERS,
    include: WITH_USER,
  })
  return rows.map(({ userId, role, publishIn, grantedBy, grantedGroups, createdAt, user }) => {
    const providers = user.authAccounts.map(({ providerId }) => providerId)
    return {
      userId,
      role,
      grantedBy,
      grantedGroups,
      publishIn: toPublishIn(publishIn),
      name: user.name,
      email: user.email,
      createdAt: createdAt.getTime(),
      signsInBy: [
        ...(providers.includes('credential') ? (['password'] as const) : []),
        ...(providers.some((id) => id !== 'credential') ? (['oidc'] as const) : []),
      ],
    }
  })
}

/** Members who may release to some environment, publishers before admins. */
export async function listReleasers(
  projectId: AuthorizedProjectId,
): Promise<readonly (Grant & { readonly name: string })[]> {
  const rows = await directoryReader().membership.findMany({
    where: { projectId, role: { in: ['publisher', 'admin'] } },
    orderBy: [{ role: 'asc' }, { createdAt: 'asc' }, { userId: 'asc' }],
    take: MOST_MEMBERS,
    select: { role: true, publishIn: true, user: { select: { name: true } } },
  })
  return rows.map(({ role, publishIn, user: { name } }) => ({
    name,
    role,
    publishIn: toPublishIn(publishIn),
  }))
}

/** Blocks other changes of the project's members until this transaction ends, so that a check for the last admin stays valid. */
export async function lockMembers(tx: Tx, projectId: AuthorizedProjectId): Promise<void> {
  await lockByName(tx, `members:${projectId}`)
}

export interface MemberPlace {
  readonly projectId: AuthorizedProjectId
  readonly userId: string
}

export interface FoundMember extends Grant, GrantSource {
  readonly email: string
  readonly name: string
}

export async function findMember(tx: Tx, where: MemberPlace): Promise<FoundMember | null> {
  const row = await tx.membership.findUnique({
    where: { projectId_userId: where },
    include: { user: { select: { email: true, name: true } } },
  })
  if (row === null) return null
  const { role, grantedBy, grantedGroups, user } = row
  return { role, publishIn: toPublishIn(row.publishIn), grantedBy, grantedGroups, ...user }
}

/** Null: people gave all of the user's roles. */
export async function findGrantingProvider(
  userId: string,
  providers: readonly string[],
): Promise<string | null> {
  const row = await directoryReader().membership.findFirst({
    where: { userId, grantedBy: { in: [...providers] } },
    orderBy: { createdAt: 'asc' },
    select: { grantedBy: true },
  })
  return row?.grantedBy ?? null
}

/** Projects in which the provider's groups gave the user a role. */
export async function listGrantedProjects(
  tx: Tx,
  { userId, grantedBy }: { readonly userId: string; readonly grantedBy: string },
): Promise<readonly string[]> {
  const rows = await tx.membership.findMany({
    where: { userId, grantedBy },
    select: { projectId: true },
  })
  return rows.map(({ projectId }) => projectId)
}

export async function countAdmins(tx: Tx, projectId: AuthorizedProjectId): Promise<number> {
  return await tx.membership.count({ where: { projectId, role: 'admin' } })
}

export async function countUsers(tx: Tx): Promise<number> {
  return await tx.user.count()
}

export async function findUserByEmail(
  tx: Tx,
  email: string,
): Promise<{ readonly id: string; readonly name: string } | null> {
  return await tx.user.findUnique({ where: { email }, select: { id: true, name: true } })
}

export async function hasPassword(userId: string): Promise<boolean> {
  const where = { userId, providerId: 'credential' }
  return (await directoryReader().authAccount.count({ where })) > 0
}

/** True: the user has neither a password nor an account at another provider. */
export async function hasOnlyProvider(userId: string, providerId: string): Promise<boolean> {
  const where = { userId, providerId: { not: providerId } }
  return (await directoryReader().authAccount.count({ where })) === 0
}

/** No link that was sent before sets a password of this user any more. */
export async function deleteResetLinks(tx: Tx, userId: string): Promise<void> {
  await tx.authVerification.deleteMany({ where: { value: userId } })
}

export async function insertUser(
  tx: Tx,
  user: {
    readonly name: string
    readonly email: string
    readonly passwordHash: string
  },
): Promise<string> {
  const userId = freshId('usr')
  await tx.user.create({ data: { id: userId, name: user.name, email: user.email } })
  await tx.authAccount.create({
    data: {
      id: freshId('acc'),
      userId,
      accountId: userId,
      providerId: 'credential',
      password: user.passwordHash,
    },
  })
  return userId
}

/** False: the user is already a member, and the role stays unchanged. */
export async function insertMembership(
  both: BothTx,
  { projectId, userId, role, publishIn }: MemberPlace & Grant,
  { grantedBy, grantedGroups }: GrantSource = BY_HAND,
): Promise<boolean> {
  const stored = { publishIn: storedPublishIn(publishIn), grantedGroups: [...grantedGroups] }
  const { count } = await both.directory.membership.createMany({
    data: [{ projectId, userId, role, grantedBy, ...stored }],
    skipDuplicates: true,
  })
  if (await isServedHere(both.directory, projectId)) await copyMember(both, { projectId, userId })
  return count === 1
}

export async function isServedHere(
  directory: Tx,
  projectId: AuthorizedProjectId,
): Promise<boolean> {
  const where = { id: projectId }
  const project = await directory.project.findUnique({ where, select: { cell: true } })
  return (project?.cell ?? MAIN_CELL) === env().SIGNALBOX_CELL
}

/** True: the cell had no copy, because the user joined in a process of another cell. */
export async function copyMember(
  { cell, directory }: BothTx,
  place: MemberPlace,
): Promise<boolean> {
  if (isDirectoryHere()) return false
  const where = { projectId_userId: place }
  const found = await directory.membership.findUnique({ where, include: { user: true } })
  if (found === null) return false
  const { user, ...membership } = found
  await cell.user.upsert({ where: { id: user.id }, create: user, update: user })
  const { count } = await cell.membership.createMany({ data: [membership], skipDuplicates: true })
  if (count === 0) await cell.membership.update({ where, data: membership })
  return count === 1
}

export async function updateGrant(
  both: BothTx,
  { projectId, userId, role, publishIn }: MemberPlace & Grant,
  { grantedBy, grantedGroups }: GrantSource = BY_HAND,
): Promise<void> {
  const stored = { publishIn: storedPublishIn(publishIn), grantedGroups: [...grantedGroups] }
  await both.directory.membership.update({
    where: { projectId_userId: { projectId, userId } },
    data: { role, grantedBy, ...stored },
  })
  await copyMember(both, { projectId, userId })
}

/** Leaves the user, so that what they wrote keeps its author. */
export async function deleteMembership(
  { cell, directory }: BothTx,
  { projectId, userId }: MemberPlace,
): Promise<void> {
  const where = { projectId, userId }
  await directory.membership.delete({ where: { projectId_userId: where } })
  if (!isDirectoryHere()) await cell.membership.deleteMany({ where })
}

export async function deleteLogins(userId: string): Promise<void> {
  await directoryReader().authSession.deleteMany({ where: { userId } })
}

/** With the last membership, removes the user and every login. Keeps the address, so that an allowed domain does not admit it again. */
export async function deleteMember(
  both: BothTx,
  { email, ...where }: MemberPlace & { readonly email: string },
): Promise<void> {
  const { projectId } = where
  const { directory } = both
  await deleteMembership(both, where)
  await deleteUserWithoutProject(directory, where.userId)
  await directory.removedAddress.createMany({
    data: { projectId, email: email.toLowerCase() },
    skipDuplicates: true,
  })
}

interface AddressPlace {
  readonly projectId: AuthorizedProjectId
  readonly email: string
}

export async function wasRemoved({ projectId, email }: AddressPlace, tx: Tx): Promise<boolean> {
  const where = { projectId, email: email.toLowerCase() }
  return (await tx.removedAddress.count({ where })) > 0
}

/** Call when the address is invited again. */
export async function deleteRemoval(tx: Tx, { projectId, email }: AddressPlace): Promise<void> {
  await tx.removedAddress.deleteMany({ where: { projectId, email: email.toLowerCase() } })
}

export async function countMemberships(tx: Tx, userId: string): Promise<number> {
  return await tx.membership.count({ where: { userId } })
}

export async function deleteUserWithoutProject(tx: Tx, userId: string): Promise<void> {
  if ((await countMemberships(tx, userId)) === 0) await tx.user.delete({ where: { id: userId } })
}

export async function countMemberTraces({ projectId, userId }: MemberPlace): Promise<{
  readonly drafts: number
  readonly versions: number
  readonly keys: readonly {
    readonly id: string
    readonly name: string
    readonly prefix: string
    readonly environment: string
  }[]
  readonly logins: number
}> {
  const tx = reader()
  const [drafts, versions, keys, logins] = await Promise.all([
    tx.draft.count({ where: { projectId, authorId: userId, discardedAt: null } }),
    tx.configVersion.count({ where: { projectId, authorId: userId } }),
    tx.apiKey.findMany({
      where: { projectId, createdBy: userId, revokedAt: null },
      orderBy: { createdAt: 'desc' },
      take: 100,
      select: { id: true, name: true, prefix: true, environment: true },
    }),
    directoryReader().authSession.count({ where: { userId, expiresAt: { gt: new Date() } } }),
  ])
  return { drafts, versions, keys, logins }
}

/** Names of users by id; deleted ones are missing. */
export async function loadMemberNames(
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await reader().user.findMany({
    where: { id: { in: [...new Set(ids)] } },
    select: { id: true, name: true },
  })
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Current name and role of a member; null: not a member of the project. */
export async function memberScopeFields(where: {
  readonly projectId: AuthorizedProjectId
  readonly userId: string
}): Promise<(Grant & { readonly userName: string }) | null> {
  const found = await findMember(directoryReader(), where)
  return found === null
    ? null
    : { role: found.role, publishIn: found.publishIn, userName: found.name }
}

export async function withdrawPublishIn(
  { cell, directory }: BothTx,
  {
    projectId,
    environment,
  }: { readonly projectId: AuthorizedProjectId; readonly environment: string },
): Promise<void> {
  for (const tx of isDirectoryHere() ? [directory] : [directory, cell]) {
    await tx.$executeRaw`
      UPDATE memberships SET publish_in = array_remove(publish_in, ${environment})
      WHERE project_id = ${projectId} AND ${environment} = ANY (publish_in)`
  }
  await directory.$executeRaw`
    UPDATE invitations SET publish_in = array_remove(publish_in, ${environment})
    WHERE project_id = ${projectId} AND ${environment} = ANY (publish_in)`
}
