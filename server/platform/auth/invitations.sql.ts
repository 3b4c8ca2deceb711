// Conditional updates decide if an invitation is valid, so that of two concurrent acceptances exactly one counts.
import 'server-only'
import { directoryReader, type Tx } from '../db/transaction.ts'
import type { AuthorizedProjectId } from '../ids.ts'
import { freshId } from '../ids.ts'
import { type Grant, storedPublishIn, toPublishIn } from './members.sql.ts'
import type { ProjectScope, RowInProject } from './scope.ts'

export type InvitationState = 'pending' | 'accepted' | 'expired' | 'revoked'

export interface StoredInvitation extends Grant {
  readonly id: string
  readonly projectId: string
  readonly projectName: string
  readonly projectSlug: string
  /** Lowercase. */
  readonly email: string
  /** Name of the user who sent it; null: deleted. */
  readonly invitedBy: string | null
  readonly createdAt: number
  readonly expiresAt: number
  readonly state: InvitationState
}

const MOST_LISTED = 200

const WITH_PROJECT = { project: { select: { name: true, slug: true } } } as const

interface Row {
  readonly id: string
  readonly projectId: string
  readonly email: string
  readonly role: Grant['role']
  readonly publishIn: readonly string[]
  readonly invitedBy: string
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly acceptedAt: Date | null
  readonly revokedAt: Date | null
  readonly project: { readonly name: string; readonly slug: string }
}

function computeInvitationState(row: Row, now: number): InvitationState {
  if (row.acceptedAt !== null) return 'accepted'
  if (row.revokedAt !== null) return 'revoked'
  return row.expiresAt.getTime() <= now ? 'expired' : 'pending'
}

async function shaped(rows: readonly Row[]): Promise<StoredInvitation[]> {
  const users = await directoryReader().user.findMany({
    where: { id: { in: [...new Set(rows.map(({ invitedBy }) => invitedBy))] } },
    select: { id: true, name: true },
  })
  const names = new Map(users.map(({ id, name }) => [id, name]))
  const now = Date.now()
  return rows.map((row) => ({
    id: row.id,
    projectId: row.projectId,
    email: row.email,
    role: row.role,
    projectName: row.project.name,
    projectSlug: row.project.slug,
    publishIn: toPublishIn(row.publishIn),
    invitedBy: names.get(row.invitedBy) ?? null,
    createdAt: row.createdAt.getTime(),
    expiresAt: row.expiresAt.getTime(),
    state: computeInvitationState(row, now),
  }))
}

export async function listInvitations(scope: ProjectScope): Promise<readonly StoredInvitation[]> {
  const rows = await directoryReader().invitation.findMany({
    where: { projectId: scope.projectId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: MOST_LISTED,
    include: WITH_PROJECT,
  })
  return await shaped(rows)
}

export async function findInvitationByHash(tokenHash: string): Promise<StoredInvitation | null> {
  const row = await directoryReader().invitation.findUnique({
    where: { tokenHash },
    include: WITH_PROJECT,
  })
  return row === null ? null : ((await shaped([row]))[0] ?? null)
}

/** Valid ones of any project, oldest first. */
export async function pendingInvitationsFor(email: string): Promise<readonly StoredInvitation[]> {
  const rows = await directoryReader().invitation.findMany({
    where: { email, acceptedAt: null, revokedAt: null, expiresAt: { gt: new Date() } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    take: MOST_LISTED,
    include: WITH_PROJECT,
  })
  return await shaped(rows)
}

export async function insertInvitation(
  tx: Tx,
  invitation: Grant & {
    readonly projectId: AuthorizedProjectId
    readonly email: string
    readonly tokenHash: string
    readonly invitedBy: string
    readonly expiresAt: number
  },
): Promise<string> {
  const id = freshId('inv')
  await tx.invitation.create({
    data: {
      ...invitation,
      id,
      publishIn: storedPublishIn(invitation.publishIn),
      expiresAt: new Date(invitation.expiresAt),
    },
  })
  return id
}

/** True: this call used the invitation. False: it was already used, revoked or expired. */
export async function markAccepted(
  tx: Tx,
  { id, projectId, userId, at }: RowInProject & { readonly userId: string; readonly at: number },
): Promise<boolean> {
  const { count } = await tx.invitation.updateMany({
    where: { id, projectId, acceptedAt: null, revokedAt: null, expiresAt: { gt: new Date(at) } },
    data: { acceptedAt: new Date(at), acceptedBy: userId },
  })
  return count === 1
}

export async function revokeInvitations(
  tx: Tx,
  where: { readonly projectId: AuthorizedProjectId; readonly id?: string; readonly email?: string },
): Promise<number> {
  const { count } = await tx.invitation.updateMany({
    where: { ...where, acceptedAt: null, revokedAt: null },
    data: { revokedAt: new Date() },
  })
  return count
}
