import 'server-only'
import { parseEventId } from '@signalbox/wire'
import { TABLE_OF } from '@/server/platform/auth/owning-project.sql.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { readRows } from '@/server/platform/sql/rows.ts'

export interface IdPlace {
  readonly kind:
    | 'session'
    | 'event'
    | 'stop'
    | 'decision'
    | 'config'
    | 'draft'
    | 'version'
    | 'release'
    | 'runtime'
    | 'backtest'
    | 'approval'
    | 'audit'
    | 'alert'
    | 'key'
    | 'annotation'
    | 'view'
  readonly id: string
  readonly ns?: string
  readonly key?: string
  readonly sessionId?: string
  readonly seq?: number | null
  readonly list?: string
  readonly query?: string
}

const row = (kind: IdPlace['kind'], table: string): string =>
  `SELECT '${kind}' AS kind, id FROM ${table} WHERE project_id = $1 AND id = $2`

const selectFromConfig = (kind: IdPlace['kind'], table: string): string =>
  `SELECT '${kind}' AS kind, t.id, c.ns, c.key FROM ${table} t JOIN configs c ON c.id = t.config_id WHERE t.project_id = $1 AND t.id = $2`

/** By prefix of the id. `$3` is the user. */
const STATEMENT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    sess: row('session', TABLE_OF.sess),
    stop: row('stop', TABLE_OF.stop),
    cfg: `SELECT 'config' AS kind, id, ns, key FROM ${TABLE_OF.cfg} WHERE project_id = $1 AND id = $2`,
    drf: selectFromConfig('draft', TABLE_OF.drf),
    ver: selectFromConfig('version', TABLE_OF.ver),
    rel: row('release', TABLE_OF.rel),
    rt: row('runtime', TABLE_OF.rt),
    bkt: row('backtest', TABLE_OF.bkt),
    apr: row('approval', TABLE_OF.apr),
    alr: row('alert', TABLE_OF.alr),
    key: row('key', TABLE_OF.key),
    aud: row('audit', TABLE_OF.aud),
    ann: `SELECT 'annotation' AS kind, id, session_id AS "sessionId", seq FROM ${TABLE_OF.ann} WHERE project_id = $1 AND id = $2`,
    view: `SELECT 'view' AS kind, id, list, query FROM ${TABLE_OF.view}
    WHERE project_id = $1 AND id = $2 AND removed_at IS NULL AND (shared OR owner_id = $3)`,
  }),
)

/** Events and decisions have no rows of their own: allowed calls are only in the log, from which retention may have removed them. */
const OF_LOG = { evt: 'event', dec: 'decision' } as const

export async function findIdPlace(
  { projectId, userId }: { readonly projectId: AuthorizedProjectId; readonly userId: string },
  id: string,
): Promise<IdPlace | null> {
  const prefix = id.slice(0, id.indexOf('_'))
  if (prefix === 'evt' || prefix === 'dec') {
    const place = parseEventId(`evt_${id.slice(4)}`)
    if (place === null) return null
    const [session] = await readRows<{ id: string }>(
      'SELECT id FROM sessions WHERE project_id = $1 AND id = $2 AND max_seq >= $3::bigint',
      [projectId, place.session, place.seq],
    )
    if (session === undefined) return null
    return { kind: OF_LOG[prefix], id, sessionId: session.id, seq: place.seq }
  }
  const statement = STATEMENT.get(prefix)
  if (statement === undefined) return null
  const values = prefix === 'view' ? [projectId, id, userId] : [projectId, id]
  const [found] = await readRows<IdPlace>(statement, values)
  return found ?? null
}
