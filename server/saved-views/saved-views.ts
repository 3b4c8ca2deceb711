// A shared view affects others, so the audit log records it; a personal one is not recorded.

import { omitUndefined } from '@signalbox/core'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { requirePermission } from '@/server/platform/auth/permissions.ts'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction, lockByName, type Tx } from '@/server/platform/db/transaction.ts'
import { freshId } from '@/server/platform/ids.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import {
  changeView,
  countViews,
  findView,
  insertView,
  type SavedViewRow,
  setDefaultView,
  setRemoved,
} from './saved-views.sql.ts'
import { listViews, type ViewFacts } from './view-list.sql.ts'

/** Lists that have views, as stored: each by the path of its page, except 'settings/audit', whose page is /settings/audit-log. */
export const VIEW_LISTS = [
  'sessions',
  'stops',
  'decisions',
  'feedback',
  'alerts',
  'configs',
  'settings/audit',
  'analytics/denials',
  'analytics/feedback',
  'analytics/stops',
  'analytics/plans',
] as const

export type ViewList = (typeof VIEW_LISTS)[number]

export interface ShownView extends Omit<ViewFacts, 'ownerId'> {
  readonly isMine: boolean
}

export async function loadSavedViews(scope: ProjectScope): Promise<readonly ShownView[]> {
  const views = await listViews(scope.projectId, scope.userId)
  return views.map(({ ownerId, ...view }) => ({ ...view, isMine: ownerId === scope.userId }))
}

interface AuditedView {
  readonly action:
    | 'view.shared'
    | 'view.unshared'
    | 'view.changed'
    | 'view.removed'
    | 'view.restored'
  readonly view: Pick<SavedViewRow, 'id' | 'list' | 'name' | 'query'>
}

async function record(tx: Tx, scope: ProjectScope, { action, view }: AuditedView): Promise<void> {
  const { id: target, list, name, query } = view
  const { projectId } = scope
  const after = { list, name, query }
  await recordAudit(tx, { projectId, ...toAuditActor(scope), action, target, after })
}

const notifyViews = (tx: Tx, { projectId }: ProjectScope): Promise<void> =>
  notify(tx, { project: projectId, kind: 'view' })

const MOST_OF_ONE = 200

const taken = (): ServiceError =>
  new ServiceError(
    'conflict',
    'You have a view of this name for this list. Choose another.',
    'name',
  )

export interface ViewInput {
  readonly list: ViewList
  readonly name: string
  readonly query: string
  readonly shared: boolean
}

/** Returns the view's id. Rejects with `conflict` for a name that the user already has in the list. */
export async function saveView(
  scope: ProjectScope,
  input: ViewInput,
): Promise<{ readonly id: string }> {
  if (input.shared) requirePermission(scope.role, 'view.share')
  const { projectId, userId: ownerId, userName: owner } = scope
  const id = freshId('view')
  const view = { ...input, id, projectId, ownerId, owner }
  await inTransaction(async (tx) => {
    await lockByName(tx, `views ${projectId} ${ownerId}`)
    if ((await countViews(tx, { projectId, ownerId })) >= MOST_OF_ONE) {
      throw new ServiceError('limit', `You have ${MOST_OF_ONE} views. Delete some first.`)
    }
    if (!(await insertView(tx, view))) throw taken()
    if (view.shared) await record(tx, scope, { action: 'view.shared', view })
    await notifyViews(tx, scope)
  })
  return { id }
}

const gone = (): ServiceError =>
  new ServiceError('not_found', 'This view does not exist. It may have been deleted.')

/** A view that the user may not see counts as missing. */
async function seenView(tx: Tx, scope: ProjectScope, id: string) {
  const view = await findView(tx, { id, projectId: scope.projectId })
  if (view === null || !(view.shared || view.ownerId === scope.userId)) throw gone()
  return view
}

export interface ViewChange {
  readonly name?: string | undefined
  readonly query?: string | undefined
  readonly shared?: boolean | undefined
}

/** Rejects with `not_found` for a missing view, and with `forbidden` for one of another user. */
async function ownView(tx: Tx, scope: ProjectScope, id: string) {
  const view = await seenView(tx, scope, id)
  if (view.ownerId === scope.userId) return view
  throw new ServiceError('forbidden', 'Only its owner can change a view. Save it as your own.')
}

function toViewUpdate({ name, query, shared }: ViewChange) {
  return {
    ...omitUndefined({ name, query, shared }),
  }
}

function toAuditAction(before: { readonly shared: boolean }, after: { readonly shared: boolean }) {
  if (before.shared === after.shared) return after.shared ? 'view.changed' : null
  return after.shared ? 'view.shared' : 'view.unshared'
}

/** Accepts only the user's own view. */
export async function editView(scope: ProjectScope, id: string, change: ViewChange): Promise<void> {
  if (change.shared === true) requirePermission(scope.role, 'view.share')
  await inTransaction(async (tx) => {
    await lockByName(tx, `views ${scope.projectId} ${scope.userId}`)
    const before = await ownView(tx, scope, id)
    if (before.removedAt !== null) throw gone()
    const next = toViewUpdate(change)
    if (!(await changeView(tx, before, next))) throw taken()
    const view = { ...before, ...next }
    const action = toAuditAction(before, view)
    if (action !== null) await record(tx, scope, { action, view })
    await notifyViews(tx, scope)
  })
}

/** Accepts any user's view: its owner keeps it, and it disappears for the others. */
export async function unshareView(scope: ProjectScope, id: string): Promise<void> {
  await inTransaction(async (tx) => {
    const view = await seenView(tx, scope, id)
    if (!view.shared) return
    await changeView(tx, view, { shared: false })
    await record(tx, scope, { action: 'view.unshared', view })
    await notifyViews(tx, scope)
  })
}

/** Only the user's own. `restoreView` undoes it. */
export async function removeView(scope: ProjectScope, id: string): Promise<void> {
  await setGone(scope, id, { at: new Date(), action: 'view.removed' })
}

/** Rejects with `not_found` once another view has its name. */
export async function restoreView(scope: ProjectScope, id: string): Promise<void> {
  await setGone(scope, id, { at: null, action: 'view.restored' })
}

async function setGone(
  scope: ProjectScope,
  id: string,
  { at, action }: { readonly at: Date | null; readonly action: 'view.removed' | 'view.restored' },
): Promise<void> {
  await inTransaction(async (tx) => {
    const view = await ownView(tx, scope, id)
    await setRemoved(tx, { id, projectId: scope.projectId }, at)
    if (view.shared) await record(tx, scope, { action, view })
    await notifyViews(tx, scope)
  })
}

/** Sets this user's default view of the list. `id` null: the list's default filter. */
export async function chooseDefault(
  scope: ProjectScope,
  { list, id }: { readonly list: ViewList; readonly id: string | null },
): Promise<void> {
  const { projectId, userId } = scope
  await inTransaction(async (tx) => {
    if (id !== null) {
      const view = await seenView(tx, scope, id)
      if (view.removedAt !== null || view.list !== list) throw gone()
    }
    await setDefaultView(tx, { projectId, userId, list }, id)
    await notifyViews(tx, scope)
  })
}
