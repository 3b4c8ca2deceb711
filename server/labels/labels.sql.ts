// Labels beside the log of a session (specs/labels.md). The log itself is not changed.
import 'server-only'
import type { Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import type { Label } from './label-input.ts'

export interface LabelFacts {
  /** Sequence number of the decision; 0: the session. */
  readonly seq: number
  readonly label: Label
  readonly by: string
  readonly at: number
}

export interface LabeledSession {
  readonly environment: string
  /** By sequence number. At most 1,000. */
  readonly labels: readonly LabelFacts[]
}

/** Most labels of a session, so that one answer can hold all of them. */
export const MOST_LABELS = 1_000

/** Null: the project has no such session. */
export async function findLabeledSession(
  projectId: AuthorizedProjectId,
  sessionId: string,
): Promise<LabeledSession | null> {
  const [found] = await readRows<LabeledSession>(
    `SELECT s.environment, coalesce((SELECT json_agg(l ORDER BY l.seq) FROM (
         SELECT seq, label, labelled_name AS by, ${epochMs('labelled_at')} AS at FROM session_labels
         WHERE session_id = s.id ORDER BY seq LIMIT ${MOST_LABELS}) l), '[]') AS labels
     FROM sessions s WHERE s.project_id = $1 AND s.id = $2`,
    [projectId, sessionId],
  )
  return found ?? null
}

export interface NewLabel {
  readonly projectId: AuthorizedProjectId
  readonly sessionId: string
  readonly seq: number
  readonly label: Label
  readonly labeledBy: string
  readonly labeledName: string
  readonly labeledAt: Date
}

/** Label before; null: there was none. The same label again keeps who set it first. */
export async function replaceLabel(
  tx: Tx,
  { sessionId, seq }: Pick<NewLabel, 'sessionId' | 'seq'>,
  next: NewLabel | null,
): Promise<string | null> {
  const where = { sessionId_seq: { sessionId, seq } }
  const found = await tx.sessionLabel.findUnique({ where, select: { label: true } })
  if (found?.label === next?.label) return found?.label ?? null
  if (found !== null) await tx.sessionLabel.delete({ where })
  if (next !== null) await tx.sessionLabel.create({ data: { ...next } })
  return found?.label ?? null
}

export async function countLabels(tx: Tx, sessionId: string): Promise<number> {
  return await tx.sessionLabel.count({ where: { sessionId } })
}
