import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { authorName, epochMs, readRows } from '@/server/platform/sql/rows.ts'
import type { CaseVerdict } from './pinned-cases.sql.ts'

export interface PinnedCase {
  readonly id: string
  readonly ns: string
  readonly key: string
  readonly kind: 'call' | 'stop'
  readonly sessionId: string
  readonly seq: number
  readonly name: string
  readonly recorded: CaseVerdict
  readonly expected: CaseVerdict
  readonly note: string | null
  readonly environment: string
  /** Null: they left. */
  readonly author: string | null
  readonly createdAt: number
  /** Project that the imported file names; null: pinned here. */
  readonly importedFrom: string | null
  /** False: only the case's copy of the session's events is stored. */
  readonly isSessionStored: boolean
}

const SELECT = `SELECT p.id, c.ns, c.key, p.kind, p.session_id AS "sessionId", p.seq, p.name, p.recorded, p.expected, p.note,
  p.environment, ${authorName('p.created_by')} AS author, ${epochMs('p.created_at')} AS "createdAt",
  p.imported_from AS "importedFrom",
  EXISTS (SELECT 1 FROM sessions s WHERE s.id = p.session_id AND s.project_id = p.project_id) AS "isSessionStored"
  FROM pinned_cases p JOIN configs c ON c.id = p.config_id WHERE p.project_id = $1`

/** Newest first; at most 200. `environment` null: of any. */
export async function listCases(
  projectId: AuthorizedProjectId,
  configId: string,
  environment: string | null,
): Promise<readonly PinnedCase[]> {
  return await readRows<PinnedCase>(
    `${SELECT} AND p.config_id = $2 AND ($3::text IS NULL OR p.environment = $3)
     ORDER BY p.created_at DESC, p.id DESC LIMIT 200`,
    [projectId, configId, environment],
  )
}

export async function findCase(
  projectId: AuthorizedProjectId,
  id: string,
): Promise<PinnedCase | null> {
  return (await readRows<PinnedCase>(`${SELECT} AND p.id = $2`, [projectId, id]))[0] ?? null
}

export async function findPinnedCase(
  projectId: AuthorizedProjectId,
  event: { readonly session: string; readonly seq: number },
): Promise<PinnedCase | null> {
  const values = [projectId, event.session, event.seq]
  return (
    (await readRows<PinnedCase>(`${SELECT} AND p.session_id = $2 AND p.seq = $3`, values))[0] ??
    null
  )
}
