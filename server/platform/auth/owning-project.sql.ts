// Finds the project of an id in the URL grammar, so that a link without `?project=` finds its tenant. It returns ids only; the caller
// compares them with the user's memberships before anything is shown.
import 'server-only'
import { readRows } from '../sql/rows.ts'
import { findIdTable } from './id-tables.sql.ts'

/** Events, stops, decisions and approvals are named after their session: `stop_<session without prefix>_<seq>`. */
const OF_SESSION = /^(?:evt|stop|dec|apr)_(\w+)_\d+$/

/** Ids of projects; empty when nothing has the id. */
export async function projectsOwning(id: string): Promise<readonly string[]> {
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
