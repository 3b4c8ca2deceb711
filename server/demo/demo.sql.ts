import 'server-only'
import { DEMO_NAMESPACE, DEMO_SESSION_START } from '@signalbox/wire'
import { directUrl } from '@/server/platform/db/client.ts'
import { createClient } from '@/server/platform/db/connection.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { readRows } from '@/server/platform/sql/rows.ts'
import { SESSION_TABLES, STATUS_SQL } from '@/server/sessions/session-columns.sql.ts'
import { STORIES, type StoryName } from './demo-input.ts'

/** Takes the lock on a connection of its own, so that it ends with this process. Returns its release. Null: a demo agent runs. */
export async function lockDemo(): Promise<(() => void) | null> {
  const client = createClient(directUrl())
  // A lost connection releases the lock.
  client.on('error', () => undefined)
  const release = () => void client.end().catch(() => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ readonly held: boolean }>(
      "SELECT pg_try_advisory_lock(hashtextextended('signalbox demo agent', 0)) AS held",
    )
    if (rows[0]?.held === true) return release
  } catch (error) {
    release()
    throw error
  }
  release()
  return null
}

export interface StoryRun {
  readonly story: StoryName
  readonly sessionId: string
  readonly state: 'running' | 'ended' | 'lost'
  /** Path of the page to read at the end: of the first blocked stop, or for `support-triage` of the last denied refund. Null: there is none yet. */
  readonly evidence: string | null
}

/** Newest run of each story that ran. */
export async function listNewestRuns(projectId: AuthorizedProjectId): Promise<readonly StoryRun[]> {
  return await readRows<StoryRun>(
    `SELECT w.story, s.id AS "sessionId", s.state, CASE w.story
       WHEN 'support-triage' THEN (SELECT '/decisions/' || d.id FROM denials d
         WHERE d.project_id = $1 AND d.session_id = s.id AND d.tool = 'refund' ORDER BY d.seq DESC LIMIT 1)
       ELSE (SELECT '/stops/' || b.id FROM stops b
         WHERE b.project_id = $1 AND b.session_id = s.id AND b.verdict = 'blocked' ORDER BY b.seq LIMIT 1) END AS evidence
     FROM unnest($2::text[]) AS w(story) CROSS JOIN LATERAL (
       SELECT s.id, ${STATUS_SQL} AS state FROM ${SESSION_TABLES}
       WHERE s.project_id = $1 AND s.ns = '${DEMO_NAMESPACE}' AND s.key = w.story AND s.id LIKE '${DEMO_SESSION_START}%'
       ORDER BY s.started_at DESC LIMIT 1) s`,
    [projectId, STORIES],
  )
}
