// Which project an id of the URL grammar belongs to, so that a link without `?project=` finds its tenant. It tells ids only;
// whoever asks compares them with the person's memberships before anything is shown.
import 'server-only'
import { readRows } from './rows.ts'

const TABLE: Readonly<Record<string, string>> = {
  sess: 'sessions',
  cfg: 'configs',
  drf: 'drafts',
  ver: 'config_versions',
  rel: 'releases',
  rt: 'runtimes',
  key: 'api_keys',
  aud: 'audit_entries',
}

/** An event, a stop and a decision are named after their session: `stop_<session without prefix>_<seq>`. */
const OF_SESSION = /^(?:evt|stop|dec)_(\w+)_\d+$/

/** Ids of projects; empty when nothing has the id. */
export async function projectsOwning(id: string): Promise<readonly string[]> {
  const session = OF_SESSION.exec(id)?.[1]
  const wanted = session === undefined ? id : `sess_${session}`
  const table = TABLE[wanted.slice(0, wanted.indexOf('_'))]
  if (table === undefined) return []
  const rows = await readRows<{ projectId: string }>(
    `SELECT project_id AS "projectId" FROM ${table} WHERE id = $1`,
    [wanted],
  )
  return rows.map(({ projectId }) => projectId)
}
