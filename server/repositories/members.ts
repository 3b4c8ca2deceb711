// People of a project: users, their password accounts and memberships. No password leaves or enters unhashed here.
import 'server-only'
import type { Role } from '../auth/permissions.ts'
import type { ProjectScope } from '../auth/scope.ts'
import { freshId } from '../ids.ts'
import { lockByName, reader, type Tx } from './transaction.ts'

export interface Member {
  readonly userId: string
  readonly name: string
  readonly email: string
  readonly role: Role
  readonly createdAt: number
}

/** More members than a self-hosted project has; lists never grow without bound. */
const MOST_MEMBERS = 500

/** The project that a person works in: their oldest membership. Null: none. */
export async function findMembership(
  userId: string,
): Promise<{ readonly projectId: string; readonly role: Role } | null> {
  return await reader().membership.findFirst({
    where: { userId },
    orderBy: [{ createdAt: 'asc' }, { projectId: 'asc' }],
    select: { projectId: true, role: true },
  })
}

export async function listMembers(scope: ProjectScope): Promise<readonly Member[]> {
  const rows = await reader().membership.findMany({
    where: { projectId: scope.projectId },
    orderBy: [{ createdAt: 'asc' }, { userId: 'asc' }],
    take: MOST_MEMBERS,
    include: { user: { select: { name: true, email: true } } },
  })
  return rows.map(({ userId, role, createdAt, user }) => ({
    userId,
    role,
    name: user.name,
    email: user.email,
    createdAt: createdAt.getTime(),
  }))
}

/** Holds every change of the project's members back until this transaction ends, so that "the last admin" stays true. */
export async function lockMembers(tx: Tx, projectId: string): Promise<void> {
  await lockByName(tx, `members:${projectId}`)
}

export async function findMember(
  tx: Tx,
  where: { readonly projectId: string; readonly userId: string },
): Promise<{ readonly role: Role; readonly email: string } | null> {
  const row = await tx.membership.findUnique({
    where: { projectId_userId: where },
    select: { role: true, user: { select: { email: true } } },
  })
  return row === null ? null : { role: row.role, email: row.user.email }
}

export async function countAdmins(tx: Tx, projectId: string): Promise<number> {
  return await tx.membership.count({ where: { projectId, role: 'admin' } })
}

/** Users of the whole installation; /setup is open while this is 0. */
export async function countUsers(tx: Tx): Promise<number> {
  return await tx.user.count()
}

export async function emailTaken(tx: Tx, email: string): Promise<boolean> {
  return (await tx.user.findUnique({ where: { email }, select: { id: true } })) !== null
}

/** Writes the user, the password account that better-auth signs in with, and the membership. Returns the user's id. */
export async function insertMember(
  tx: Tx,
  member: {
    readonly projectId: string
    readonly name: string
    /** Lower case. */
    readonly email: string
    readonly passwordHash: string
    readonly role: Role
  },
): Promise<string> {
  const userId = freshId('usr')
  await tx.user.create({ data: { id: userId, name: member.name, email: member.email } })
  await tx.authAccount.create({
    data: {
      id: freshId('acc'),
      userId,
      accountId: userId,
      providerId: 'credential',
      password: member.passwordHash,
    },
  })
  await tx.membership.create({ data: { projectId: member.projectId, userId, role: member.role } })
  return userId
}

export async function updateRole(
  tx: Tx,
  change: { readonly projectId: string; readonly userId: string; readonly role: Role },
): Promise<void> {
  const { projectId, userId, role } = change
  await tx.membership.update({ where: { projectId_userId: { projectId, userId } }, data: { role } })
}

/** Takes the membership away, and the user with every login when it was the last one. */
export async function deleteMember(
  tx: Tx,
  where: { readonly projectId: string; readonly userId: string },
): Promise<void> {
  await tx.membership.delete({ where: { projectId_userId: where } })
  const left = await tx.membership.count({ where: { userId: where.userId } })
  if (left === 0) await tx.user.delete({ where: { id: where.userId } })
}

/** Names of people by id; those who have left are not in it. */
export async function namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await reader().user.findMany({
    where: { id: { in: [...new Set(ids)] } },
    select: { id: true, name: true },
  })
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Name and role of a member as they are now; null: not in the project. */
export async function memberScopeFields(where: {
  readonly projectId: string
  readonly userId: string
}): Promise<{ readonly userName: string; readonly role: Role } | null> {
  const row = await reader().membership.findUnique({
    where: { projectId_userId: where },
    select: { role: true, user: { select: { name: true } } },
  })
  return row === null ? null : { role: row.role, userName: row.user.name }
}
