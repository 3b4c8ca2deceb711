import 'server-only'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { STATUS_SQL } from '@/server/sessions/session-columns.sql.ts'

export interface RunningSession {
  readonly id: string
  readonly digest: string
  readonly startedAt: number
  readonly events: number
}

export interface RunningVersion {
  readonly digest: string
  readonly number: number
  readonly text: string
}

export interface Running {
  readonly sessions: readonly RunningSession[]
  readonly versions: ReadonlyMap<string, RunningVersion>
}

/** Most sessions that are read; of more, only the newest are. */
const MOST = 1_000

export async function readRunning(
  projectId: AuthorizedProjectId,
  place: { readonly ns: string; readonly key: string; readonly environment: string },
): Promise<Running> {
  const { ns, key, environment } = place
  const sessions = await readRows<RunningSession>(
    `SELECT s.id, coalesce(s.governing_digest, s.config_digest) AS digest, ${epochMs('s.started_at')} AS "startedAt",
       s.max_seq AS events
     FROM sessions s LEFT JOIN runtimes r ON r.id = s.runtime_id AND r.project_id = s.project_id
     WHERE s.project_id = $1 AND s.ns = $2 AND s.key = $3 AND s.environment = $4 AND s.ended_at IS NULL
       AND coalesce(s.governing_digest, s.config_digest) IS NOT NULL AND ${STATUS_SQL} = 'running'
     ORDER BY s.started_at DESC, s.id LIMIT ${MOST}`,
    [projectId, ns, key, environment],
  )
  const digests = [...new Set(sessions.map(({ digest }) => digest))]
  if (digests.length === 0) return { sessions, versions: new Map() }
  const versions = await readRows<RunningVersion>(
    `SELECT DISTINCT ON (v.digest) v.digest, v.number, v.text
     FROM config_versions v JOIN configs c ON c.id = v.config_id
     WHERE v.project_id = $1 AND c.ns = $2 AND c.key = $3 AND v.digest = ANY($4::text[])
     ORDER BY v.digest, v.number DESC`,
    [projectId, ns, key, digests],
  )
  return { sessions, versions: new Map(versions.map((version) => [version.digest, version])) }
}
