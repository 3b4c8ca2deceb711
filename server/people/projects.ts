// A user may be a member of several projects, and the address of a page names its project (decision 32).
import { randomBytes } from 'node:crypto'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import {
  deleteUserWithoutProject,
  insertMembership,
  listMembers,
  listMemberships,
  lockMembers,
} from '@/server/platform/auth/members.sql.ts'
import { findOwningProjects } from '@/server/platform/auth/owning-project.sql.ts'
import {
  countProjects,
  findProject,
  insertProject,
  type ProjectRow,
  renameProject,
} from '@/server/platform/auth/projects.sql.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import {
  directoryReader,
  inBothTransactions,
  lockByName,
} from '@/server/platform/db/transaction.ts'
import { beginSigning } from '@/server/signing-keys/signing-keys.ts'
import {
  deleteProjectRow,
  deleteRecords,
  listRemovedProjects,
  measureProject,
  type ProjectSize,
} from './project-removal.sql.ts'

/** Slug of the user's project that contains the id; null: unknown, or another user's. */
export async function findOwnProject(userId: string, id: string): Promise<string | null> {
  const owners = await findOwningProjects(id)
  if (owners.length === 0) return null
  const own = await listMemberships(userId)
  return own.find(({ projectId }) => owners.includes(projectId))?.slug ?? null
}

export async function currentProject(scope: ProjectScope): Promise<ProjectRow> {
  const project = await findProject(scope.projectId)
  if (project === null) throw new ServiceError('not_found', 'This project was deleted.')
  return project
}

/** Made from the name with a random suffix, so that it does not reveal the names of other tenants. */
function slugFor(name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
  return `${words === '' ? 'project' : words}-${randomBytes(3).toString('hex')}`
}

/** Makes the caller its admin. */
export async function createProject(
  scope: ProjectScope,
  name: string,
): Promise<{ readonly id: string; readonly slug: string }> {
  const slug = slugFor(name)
  const { userId } = scope
  const id = await inBothTransactions(async (both) => {
    const projectId = await insertProject(both, { slug, name })
    await beginSigning(both.cell, projectId)
    await insertMembership(both, { projectId, userId, role: 'admin', publishIn: null })
    await recordAudit(both.cell, {
      projectId,
      ...toAuditActor(scope),
      action: 'project.created',
      target: projectId,
      after: { name, slug },
    })
    return projectId
  })
  return { id, slug }
}

export async function changeName(scope: ProjectScope, name: string): Promise<void> {
  const { projectId } = scope
  const before = await currentProject(scope)
  if (before.name === name) return
  await inBothTransactions(async (both) => {
    await renameProject(both, { id: projectId, name })
    await recordAudit(both.cell, {
      projectId,
      ...toAuditActor(scope),
      action: 'project.renamed',
      target: projectId,
      before: { name: before.name },
      after: { name },
    })
  })
}

export interface Deletion extends ProjectSize {
  readonly name: string
  /** It is the only project, and the installation keeps at least one. */
  readonly isLast: boolean
}

export async function previewDeletion(scope: ProjectScope): Promise<Deletion> {
  const { name } = await currentProject(scope)
  const [size, isLast] = await Promise.all([
    measureProject(scope.projectId),
    countProjects(directoryReader()).then((count) => count === 1),
  ])
  return { ...size, name, isLast }
}

/** Ends all access, then deletes records. Rejects with `invalid` for another typed name, and with `conflict` for the last project. */
export async function deleteProject(scope: ProjectScope, typedName: string): Promise<void> {
  const { projectId } = scope
  const { name, slug } = await currentProject(scope)
  if (typedName !== name) {
    throw new ServiceError('invalid', `Type "${name}" exactly to delete it.`, 'typedName')
  }
  await inBothTransactions(async (both) => {
    const { cell, directory } = both
    await lockByName(directory, 'projects')
    await lockMembers(directory, projectId)
    if ((await countProjects(directory)) === 1) {
      const message = 'This is the only project of the installation. Create another one first.'
      throw new ServiceError('conflict', message)
    }
    const members = await listMembers(scope)
    await deleteProjectRow(both, projectId)
    for (const { userId } of members) await deleteUserWithoutProject(directory, userId)
    await recordAudit(cell, {
      projectId,
      ...toAuditActor(scope),
      action: 'project.deleted',
      target: projectId,
      before: { name, slug },
    })
  })
  await deleteRecords(projectId)
}

/** Finishes interrupted removals. The server calls it when it starts. */
export async function finishRemovals(): Promise<void> {
  for (const projectId of await listRemovedProjects()) await deleteRecords(projectId)
}
