import 'server-only'
import { env } from '../base/env.ts'
import {
  type BothTx,
  directoryReader,
  isDirectoryHere,
  reader,
  type Tx,
} from '../db/transaction.ts'
import type { AuthorizedProjectId } from '../ids.ts'
import { freshId } from '../ids.ts'
import { systemProject } from './system.ts'

const DEFAULT_SLUG = 'default'

/** In order of promotion; only production requires a note and the typed name. */
const ENVIRONMENTS = [
  { name: 'dev', requiresNote: false, requiresTypedName: false },
  { name: 'staging', requiresNote: false, requiresTypedName: false },
  { name: 'production', requiresNote: true, requiresTypedName: true },
] as const

export interface ProjectRow {
  readonly id: string
  /** Part of addresses and bundles; never changes. */
  readonly slug: string
  readonly name: string
}

const COLUMNS = { id: true, slug: true, name: true } as const

/** The oldest project of the directory. Throws when there is none; the server creates it before it serves. */
export async function firstProject(tx: Tx): Promise<ProjectRow> {
  const orderBy = [{ createdAt: 'asc' as const }, { id: 'asc' as const }]
  return await tx.project.findFirstOrThrow({ orderBy, select: COLUMNS })
}

export async function firstProjectId(tx: Tx): Promise<AuthorizedProjectId> {
  return systemProject((await firstProject(tx)).id)
}

/** Of all tenants, by id. */
export async function listProjects(tx: Tx): Promise<readonly ProjectRow[]> {
  return await tx.project.findMany({ orderBy: { id: 'asc' }, select: COLUMNS })
}

async function insertEnvironments(tx: Tx, projectId: AuthorizedProjectId): Promise<void> {
  await tx.environment.createMany({
    data: ENVIRONMENTS.map((environment, position) => ({
      ...environment,
      position,
      id: freshId('env'),
      projectId,
    })),
    skipDuplicates: true,
  })
}

/** Name and environments may be changed afterwards. Returns the id of the oldest project. */
export async function ensureProject(tx: Tx): Promise<AuthorizedProjectId> {
  if ((await tx.project.count()) === 0) {
    await insertProject({ cell: tx, directory: tx }, { slug: DEFAULT_SLUG, name: 'Default' })
  }
  return await firstProjectId(tx)
}

export async function insertProject(
  { cell, directory }: BothTx,
  project: { readonly slug: string; readonly name: string },
): Promise<AuthorizedProjectId> {
  const id = systemProject(freshId('prj'))
  if (isDirectoryHere()) {
    await directory.project.create({ data: { id, ...project } })
  } else {
    await directory.project.create({ data: { id, ...project, cell: env().SIGNALBOX_CELL } })
    await cell.project.create({ data: { id, ...project } })
  }
  await insertEnvironments(cell, id)
  return id
}

export async function findProject(id: string): Promise<ProjectRow | null> {
  return await directoryReader().project.findUnique({ where: { id }, select: COLUMNS })
}

export async function countProjects(tx: Tx): Promise<number> {
  return await tx.project.count()
}

export async function renameProject(
  { cell, directory }: BothTx,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<void> {
  for (const tx of isDirectoryHere() ? [directory] : [directory, cell]) {
    await tx.project.update({ where: { id }, data: { name } })
  }
}

/** Throws when the project does not exist; a scope proves that it does. */
export async function findProjectSlug(projectId: AuthorizedProjectId): Promise<string> {
  const where = { id: projectId }
  return (await reader().project.findUniqueOrThrow({ where, select: { slug: true } })).slug
}
