// First everything that gives access goes, in the caller's transaction; then records in batches. The audit log is append-only and stays.
import 'server-only'
import { removeArchive } from '@/server/archive/archive-sessions.ts'
import { systemProject } from '@/server/platform/auth/system.ts'
import { database } from '@/server/platform/db/client.ts'
import { type BothTx, isDirectoryHere, reader } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'

/** Deletes the project; the schema's cascades delete memberships, keys, configs and releases. */
export async function deleteProjectRow(
  { cell, directory }: BothTx,
  projectId: AuthorizedProjectId,
): Promise<void> {
  for (const tx of isDirectoryHere() ? [directory] : [directory, cell]) {
    await tx.project.delete({ where: { id: projectId } })
  }
}

export interface ProjectSize {
  readonly configs: number
  readonly versions: number
  readonly sessions: number
  readonly keys: number
  readonly members: number
  readonly runtimes: number
}

export async function measureProject(projectId: AuthorizedProjectId): Promise<ProjectSize> {
  const tx = reader()
  const where = { projectId }
  const [configs, versions, sessions, keys, members, runtimes] = await Promise.all([
    tx.config.count({ where }),
    tx.configVersion.count({ where }),
    tx.session.count({ where }),
    tx.apiKey.count({ where: { ...where, revokedAt: null } }),
    tx.membership.count({ where }),
    tx.runtime.count({ where: { ...where, stoppedAt: null } }),
  ])
  return { configs, versions, sessions, keys, members, runtimes }
}

const KEPT = ['audit_entries', 'audit_links', 'audit_chains']
const BATCH = 200

/** Deleted projects with remaining sessions or runtimes, from interrupted removals and events that arrived meanwhile. */
export async function listRemovedProjects(): Promise<readonly AuthorizedProjectId[]> {
  const { rows } = await database().pool.query<{ id: string }>(
    `SELECT DISTINCT project_id AS id FROM (SELECT project_id FROM sessions UNION SELECT project_id FROM runtimes) known
     WHERE NOT EXISTS (SELECT 1 FROM projects WHERE projects.id = known.project_id)`,
  )
  return rows.map(({ id }) => systemProject(id))
}

/** Idempotent; may be interrupted and called again. Only for a project whose row is deleted. */
export async function deleteRecords(projectId: AuthorizedProjectId): Promise<void> {
  const { pool } = database()
  // First, because the rows that name the files are removed below.
  await removeArchive(projectId)
  for (;;) {
    const { rowCount } = await pool.query(
      `WITH batch AS (SELECT id, partition_day FROM sessions WHERE project_id = $1 LIMIT ${BATCH}),
         gone AS (DELETE FROM session_events e USING batch b WHERE e.session_id = b.id AND e.partition_day = b.partition_day),
         folded AS (DELETE FROM session_snapshots s USING batch b WHERE s.session_id = b.id)
       DELETE FROM sessions s USING batch b WHERE s.id = b.id`,
      [projectId],
    )
    if (rowCount === 0) break
  }
  for (const table of await listProjectTables()) {
    await pool.query(`DELETE FROM "${table}" WHERE project_id = $1`, [projectId])
  }
}

/** Without tables whose rows go with a session or series. Shards of counts come first, because a job moves their rows to other tables. */
async function listProjectTables(): Promise<readonly string[]> {
  const { rows } = await database().pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'project_id'
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relname <> ALL($1) ORDER BY c.relname LIKE '%\\_shards' DESC`,
    [[...KEPT, 'session_events', 'session_snapshots', 'rollup_hours']],
  )
  return rows.map(({ name }) => name)
}
