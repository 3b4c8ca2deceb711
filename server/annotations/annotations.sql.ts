// Annotations on the log of a session (specs/annotations.md). Only the author changes a text; the log itself is not changed.
import 'server-only'
import type { RowInProject } from '@/server/platform/auth/scope.ts'
import type { Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'

export interface NewAnnotation {
  readonly id: string
  readonly projectId: AuthorizedProjectId
  readonly sessionId: string
  readonly seq: number | null
  readonly text: string
  readonly authorId: string
  readonly author: string
}

export async function insertAnnotation(tx: Tx, annotation: NewAnnotation): Promise<void> {
  await tx.annotation.create({ data: { ...annotation } })
}

export async function countAnnotations(tx: Tx, sessionId: string): Promise<number> {
  return await tx.annotation.count({ where: { sessionId } })
}

export interface StoredAnnotation {
  readonly sessionId: string
  readonly seq: number | null
  readonly authorId: string
}

export async function findAnnotation(
  tx: Tx,
  where: RowInProject,
): Promise<StoredAnnotation | null> {
  const select = { sessionId: true, seq: true, authorId: true }
  return await tx.annotation.findFirst({ where, select })
}

/** False: it was deleted meanwhile. */
export async function changeAnnotation(
  tx: Tx,
  where: RowInProject,
  text: string,
): Promise<boolean> {
  const { count } = await tx.annotation.updateMany({ where, data: { text, editedAt: new Date() } })
  return count === 1
}

/** False: it was deleted before. */
export async function deleteAnnotation(tx: Tx, where: RowInProject): Promise<boolean> {
  return (await tx.annotation.deleteMany({ where })).count === 1
}
