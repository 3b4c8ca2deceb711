// Returns ids only; the caller compares them with the user's memberships before anything is shown.
import 'server-only'
import { readRows } from '../sql/rows.ts'

/** Tables by the prefix of their ids in the URL grammar. Each has `id` and `project_id`. */
export const TABLE_OF = {
  sess: 'sessions',
  stop: 'stops',
  cfg: 'configs',
  drf: 'drafts',
  ver: 'config_versions',
  rel: 'releases',
  rt: 'runtimes',
  bkt: 'backtests',
  apr: 'call_approvals',
  alr: 'alerts',
  key: 'api_keys',
  aud: 'audit_entries',
  ann: 'annotations',
  view: 'saved_views',
} as const

const BY_PREFIX: ReadonlyMap<string, string> = new Map(Object.entries(TABLE_OF))

/** Null for an id without a known prefix. */
function findIdTable(id: string): string | null {
  return BY_PREFIX.get(id.slice(0, id.indexOf('_'))) ?? null
}

/** Events, stops, decisions and approvals have the id of their session in theirs: `stop_<session without prefix>_<seq>`. */
const OF_SESSION = /^(?:evt|stop|dec|apr)_(\w+)_\d+$/

/** Ids of projects; empty: no object has the id. */
export async function findOwningProjects(id: string): Promise<readonly string[]> {
  const session = OF_SESSION.exec(id)?.[1]
  const wanted = session === undefined ? id : `sess_${session}`
  const table = findIdTable(wanted)
  if (table === null) return []
  const rows = await readRows<{ projectId: string }>(
    `SELECT project_id AS "projectId" FROM ${table} WHERE id = $1`,
    [wanted],
  )
  return rows.map(({ projectId }) => projectId)
}
