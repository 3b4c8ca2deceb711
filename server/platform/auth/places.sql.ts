import 'server-only'
import { MAIN_CELL } from '../base/variables.mjs'
import { directoryReader, isDirectoryHere } from '../db/transaction.ts'
import type { AuthorizedProjectId } from '../ids.ts'

/** Keys without a place are of `main`, or unknown. */
export async function findKeyCell(prefix: string): Promise<string> {
  const place = await directoryReader().keyPlace.findUnique({
    where: { prefix },
    select: { project: { select: { cell: true } } },
  })
  return place?.project.cell ?? MAIN_CELL
}

/** Unknown projects are those of `main`, which refuses them. */
export async function findSlugCell(slug: string): Promise<string> {
  const project = await directoryReader().project.findUnique({
    where: { slug },
    select: { cell: true },
  })
  return project?.cell ?? MAIN_CELL
}

/** Null: the project was deleted. */
export async function findProjectCell(projectId: AuthorizedProjectId): Promise<string | null> {
  const project = await directoryReader().project.findUnique({
    where: { id: projectId },
    select: { cell: true },
  })
  return project === null ? null : (project.cell ?? MAIN_CELL)
}

/** Call before the key is stored in a cell, so that no process looks for it elsewhere. A place without a key harms nothing. */
export async function placeKey(key: {
  readonly projectId: AuthorizedProjectId
  readonly prefix: string
}): Promise<void> {
  if (isDirectoryHere()) return
  const { projectId, prefix } = key
  await directoryReader().keyPlace.create({ data: { projectId, prefix } })
}
