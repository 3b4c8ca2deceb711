// People of the project: first-run admin, adding, changing roles, removing. A project never loses its last admin.
import { timingSafeEqual } from 'node:crypto'
import { hashPassword } from 'better-auth/crypto'
import type { Role } from '../auth/permissions.ts'
import type { ProjectScope } from '../auth/scope.ts'
import { env } from '../env.ts'
import { ServiceError } from '../errors.ts'
import { actorOf, recordAudit } from '../repositories/audit.ts'
import {
  countAdmins,
  countUsers,
  deleteMember,
  emailTaken,
  findMember,
  insertMember,
  listMembers,
  lockMembers,
  type Member,
  updateRole,
} from '../repositories/members.ts'
import { defaultProjectId } from '../repositories/projects.ts'
import { inTransaction, lockByName, reader, type Tx } from '../repositories/transaction.ts'

/** True while nobody has an account, so that the link printed at the first start still opens /setup. */
export async function isSetupOpen(): Promise<boolean> {
  return (await countUsers(reader())) === 0
}

function tokenMatches(given: string): boolean {
  const expected = Buffer.from(env().SIGNALBOX_SETUP_TOKEN)
  const sent = Buffer.from(given)
  // Equal length is required by the comparison; the token's length is no secret.
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}

export interface NewPerson {
  readonly name: string
  readonly email: string
  readonly password: string
}

/**
 * Makes the first user an admin. Of two calls at once exactly one wins. Rejects with `forbidden` for a wrong token and
 * `conflict` once any user exists.
 */
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
  await inTransaction(async (tx) => {
    await lockByName(tx, 'setup')
    if ((await countUsers(tx)) > 0) {
      throw new ServiceError('conflict', 'An admin exists already. Sign in instead.')
    }
    const projectId = await defaultProjectId(tx)
    const { name } = input
    const userId = await insertMember(tx, { projectId, name, email, passwordHash, role: 'admin' })
    await recordAudit(tx, {
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

/** Rejects with `conflict` when the e-mail address has an account. */
export async function createMember(
  scope: ProjectScope,
  input: NewPerson & { readonly role: Role },
): Promise<{ readonly userId: string }> {
  const email = input.email.toLowerCase()
  const passwordHash = await hashPassword(input.password)
  return await inTransaction(async (tx) => {
    await lockByName(tx, `email:${email}`)
    if (await emailTaken(tx, email)) {
      throw new ServiceError('conflict', `${email} has an account already.`, 'email')
    }
    const { projectId } = scope
    const { name, role } = input
    const userId = await insertMember(tx, { projectId, name, email, passwordHash, role })
    await recordAudit(tx, {
      projectId,
      ...actorOf(scope),
      action: 'member.created',
      target: userId,
      after: { email, role },
    })
    return { userId }
  })
}

async function requireMember(
  tx: Tx,
  where: { readonly projectId: string; readonly userId: string },
): Promise<{ readonly role: Role; readonly email: string }> {
  const member = await findMember(tx, where)
  if (member === null)
    throw new ServiceError('not_found', 'This person is not a member of the project.')
  return member
}

async function keepAnAdmin(tx: Tx, projectId: string): Promise<void> {
  if ((await countAdmins(tx, projectId)) > 1) return
  throw new ServiceError(
    'conflict',
    'This is the last admin of the project. Make somebody else an admin first.',
  )
}

export async function changeRole(
  scope: ProjectScope,
  input: { readonly userId: string; readonly role: Role },
): Promise<void> {
  const { projectId } = scope
  await inTransaction(async (tx) => {
    await lockMembers(tx, projectId)
    const member = await requireMember(tx, { projectId, userId: input.userId })
    if (member.role === input.role) return
    if (member.role === 'admin') await keepAnAdmin(tx, projectId)
    await updateRole(tx, { projectId, ...input })
    await recordAudit(tx, {
      projectId,
      ...actorOf(scope),
      action: 'member.role_changed',
      target: input.userId,
      before: { role: member.role },
      after: { role: input.role },
    })
  })
}

/** Ends every login of the person when this was their last project. */
export async function removeMember(scope: ProjectScope, userId: string): Promise<void> {
  const { projectId } = scope
  await inTransaction(async (tx) => {
    await lockMembers(tx, projectId)
    const member = await requireMember(tx, { projectId, userId })
    if (member.role === 'admin') await keepAnAdmin(tx, projectId)
    await deleteMember(tx, { projectId, userId })
    await recordAudit(tx, {
      projectId,
      ...actorOf(scope),
      action: 'member.removed',
      target: userId,
      before: { email: member.email, role: member.role },
    })
  })
}

export async function listProjectMembers(scope: ProjectScope): Promise<readonly Member[]> {
  return await listMembers(scope)
}
