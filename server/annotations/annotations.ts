// The audit log records the action but not the text, which could never be removed there.

import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { may } from '@/server/platform/auth/permissions.ts'
import type { ProjectScope, RowInProject } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction, lockByName, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { freshId } from '@/server/platform/ids.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import {
  type AnnotationFacts,
  findNewestSeq,
  listAnnotations,
  MOST_ANNOTATIONS,
} from './annotation-list.sql.ts'
import {
  changeAnnotation,
  countAnnotations,
  deleteAnnotation,
  findAnnotation,
  insertAnnotation,
  type StoredAnnotation,
} from './annotations.sql.ts'

export interface ShownAnnotation extends Omit<AnnotationFacts, 'authorId'> {
  readonly isMine: boolean
  readonly mayRemove: boolean
}

async function requireNewestSeq(
  projectId: AuthorizedProjectId,
  sessionId: string,
): Promise<number> {
  const newest = await findNewestSeq(projectId, sessionId)
  if (newest === null) throw new ServiceError('not_found', `There is no session ${sessionId}.`)
  return newest
}

/** All of a session, oldest first. Rejects with `not_found` when the project has no such session. */
export async function listSessionNotes(
  scope: ProjectScope,
  sessionId: string,
): Promise<readonly ShownAnnotation[]> {
  await requireNewestSeq(scope.projectId, sessionId)
  const rows = await listAnnotations(scope.projectId, sessionId)
  return rows.map(({ authorId, ...row }) => {
    const isMine = authorId === scope.userId && may(scope.role, 'annotation.write')
    return { ...row, isMine, mayRemove: isMine || scope.role === 'admin' }
  })
}

interface AnnotationChange extends Pick<StoredAnnotation, 'sessionId' | 'seq'> {
  readonly action: 'annotation.written' | 'annotation.changed' | 'annotation.removed'
  readonly id: string
}

async function recordChange(
  tx: Tx,
  scope: ProjectScope,
  { action, id, sessionId, seq }: AnnotationChange,
) {
  const { projectId } = scope
  const after = { session: sessionId, seq }
  await recordAudit(tx, { projectId, ...toAuditActor(scope), action, target: id, after })
  await notify(tx, { project: projectId, kind: 'annotation', id: sessionId })
}

export interface AnnotationInput {
  readonly sessionId: string
  /** Null: the annotation is on the session. */
  readonly seq: number | null
  readonly text: string
}

/** Rejects with `not_found` when session or event does not exist, and with `limit` when the session is full. */
export async function writeAnnotation(
  scope: ProjectScope,
  { sessionId, seq, text }: AnnotationInput,
): Promise<{ readonly id: string }> {
  const { projectId, userId: authorId, userName: author } = scope
  const newest = await requireNewestSeq(projectId, sessionId)
  if (seq !== null && seq > newest) {
    throw new ServiceError('not_found', `The session has no event #${seq}.`, 'seq')
  }
  const id = freshId('ann')
  await inTransaction(async (tx) => {
    await lockByName(tx, `annotations ${sessionId}`)
    if ((await countAnnotations(tx, sessionId)) >= MOST_ANNOTATIONS) {
      const most = MOST_ANNOTATIONS.toLocaleString('en')
      throw new ServiceError('limit', `A session has at most ${most} annotations. Delete some.`)
    }
    await insertAnnotation(tx, { id, projectId, sessionId, seq, text, authorId, author })
    await recordChange(tx, scope, { action: 'annotation.written', id, sessionId, seq })
  })
  return { id }
}

const gone = (): ServiceError => new ServiceError('not_found', 'This annotation does not exist.')

/** Id of its session. Rejects with `not_found` when the project has no such annotation. */
export async function loadAnnotatedSession(
  { projectId }: ProjectScope,
  id: string,
): Promise<string> {
  const found = await inTransaction((tx) => findAnnotation(tx, { id, projectId }))
  if (found === null) throw gone()
  return found.sessionId
}

interface Done {
  readonly action: 'annotation.changed' | 'annotation.removed'
  readonly act: (tx: Tx, where: RowInProject) => Promise<boolean>
  readonly mayOthers: boolean
}

async function onWritten(scope: ProjectScope, id: string, { action, act, mayOthers }: Done) {
  const where = { id, projectId: scope.projectId }
  await inTransaction(async (tx) => {
    const found = await findAnnotation(tx, where)
    if (found === null) throw gone()
    if (!mayOthers && found.authorId !== scope.userId) {
      throw new ServiceError('forbidden', 'Only its author can change or delete an annotation.')
    }
    if (!(await act(tx, where))) throw gone()
    await recordChange(tx, scope, { ...found, action, id })
  })
}

/** Rejects with `forbidden` for anyone but the author. */
export async function editAnnotation(scope: ProjectScope, id: string, text: string): Promise<void> {
  const act: Done['act'] = (tx, where) => changeAnnotation(tx, where, text)
  await onWritten(scope, id, { action: 'annotation.changed', act, mayOthers: false })
}

/** Rejects with `forbidden` for anyone but the author. */
export async function removeAnnotation(scope: ProjectScope, id: string): Promise<void> {
  const [action, act] = ['annotation.removed', deleteAnnotation] as const
  await onWritten(scope, id, { action, act, mayOthers: false })
}

/** Removes an annotation of any author. Only for admins of the project. */
export async function removeAnyAnnotation(scope: ProjectScope, id: string): Promise<void> {
  const [action, act] = ['annotation.removed', deleteAnnotation] as const
  await onWritten(scope, id, { action, act, mayOthers: true })
}
