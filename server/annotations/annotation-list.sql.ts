import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'

export interface AnnotationFacts {
  readonly id: string
  /** Sequence number of the annotated event; null: the session. */
  readonly seq: number | null
  readonly text: string
  readonly authorId: string
  readonly author: string
  readonly at: number
  /** Epoch ms; null: never edited. */
  readonly editedAt: number | null
}

/** Most annotations of a session, so that a page can read all of them. */
export const MOST_ANNOTATIONS = 1_000

export async function listAnnotations(
  projectId: AuthorizedProjectId,
  sessionId: string,
): Promise<readonly AnnotationFacts[]> {
  return await readRows<AnnotationFacts>(
    `SELECT id, seq, text, author_id AS "authorId", author, ${epochMs('created_at')} AS at, ${epochMs('edited_at')} AS "editedAt"
     FROM annotations WHERE project_id = $1 AND session_id = $2 ORDER BY created_at, id LIMIT ${MOST_ANNOTATIONS}`,
    [projectId, sessionId],
  )
}

/** Highest sequence number stored; null: the project has no such session. */
export async function findNewestSeq(
  projectId: AuthorizedProjectId,
  sessionId: string,
): Promise<number | null> {
  const rows = await readRows<{ maxSeq: number }>(
    `SELECT max_seq AS "maxSeq" FROM sessions WHERE project_id = $1 AND id = $2`,
    [projectId, sessionId],
  )
  return rows[0]?.maxSeq ?? null
}
