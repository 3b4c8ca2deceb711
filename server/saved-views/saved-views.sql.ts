import 'server-only'
import type { RowInProject } from '@/server/platform/auth/scope.ts'
import type { Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'

export interface SavedViewRow {
  readonly id: string
  readonly projectId: AuthorizedProjectId
  readonly list: string
  readonly name: string
  readonly query: string
  readonly ownerId: string
  readonly owner: string
  readonly shared: boolean
}

export async function findView(tx: Tx, where: RowInProject) {
  const row = await tx.savedView.findFirst({ where })
  return row === null ? null : { ...row, projectId: where.projectId }
}

export async function countViews(
  tx: Tx,
  where: Pick<SavedViewRow, 'projectId' | 'ownerId'>,
): Promise<number> {
  return await tx.savedView.count({ where: { ...where, removedAt: null } })
}

async function freeName(
  tx: Tx,
  { projectId, list, ownerId, name }: Pick<SavedViewRow, 'projectId' | 'list' | 'ownerId' | 'name'>,
): Promise<void> {
  const where = { projectId, list, ownerId, name, removedAt: { not: null } }
  await tx.savedView.deleteMany({ where })
}

/** False: its owner has a view of that name in the list. */
export async function insertView(tx: Tx, view: SavedViewRow): Promise<boolean> {
  await freeName(tx, view)
  const { count } = await tx.savedView.createMany({ data: [{ ...view }], skipDuplicates: true })
  return count === 1
}

/** False: its owner has another view of that name in the list. */
export async function changeView(
  tx: Tx,
  view: SavedViewRow,
  change: Partial<Pick<SavedViewRow, 'name' | 'query' | 'shared'>>,
): Promise<boolean> {
  const { id, projectId, list, ownerId } = view
  if (change.name !== undefined && change.name !== view.name) {
    const named = { projectId, list, ownerId, name: change.name }
    await freeName(tx, named)
    if ((await tx.savedView.count({ where: named })) > 0) return false
  }
  await tx.savedView.updateMany({ where: { id, projectId }, data: change })
  return true
}

/** `at` null: restores the view. */
export async function setRemoved(tx: Tx, where: RowInProject, at: Date | null): Promise<void> {
  await tx.savedView.updateMany({ where, data: { removedAt: at } })
}

/** `viewId` null: the list opens with its default filter. */
export async function setDefaultView(
  tx: Tx,
  key: { readonly projectId: AuthorizedProjectId; readonly userId: string; readonly list: string },
  viewId: string | null,
): Promise<void> {
  if (viewId === null) {
    await tx.defaultView.deleteMany({ where: key })
    return
  }
  await tx.defaultView.upsert({
    where: { projectId_userId_list: key },
    create: { ...key, viewId },
    update: { viewId },
  })
}
