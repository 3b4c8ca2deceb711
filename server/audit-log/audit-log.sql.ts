import 'server-only'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import type { RowOf } from '@/server/platform/list/define-list.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'
import { type ListSql, selectColumns, sqlList } from '@/server/platform/sql/sql-list.ts'
import { AUDIT_LOG, SEALED_AUDIT_LOG } from './audit-log.list.ts'

export type ListedAuditEntry = RowOf<typeof AUDIT_LOG>
export type SealedAuditEntry = RowOf<typeof SEALED_AUDIT_LOG>

const ORIGIN = "coalesce(e.origin, '')"

const SQL: ListSql<typeof AUDIT_LOG> = {
  tables: 'audit_entries e',
  row: 'e',
  columns: {
    at: epochMs('e.at'),
    actor: 'e.actor',
    actorId: 'e.actor_id',
    action: 'e.action',
    target: 'e.target',
    origin: 'e.origin',
    before: 'e.before',
    after: 'e.after',
    id: 'e.id',
  },
  params: {
    actor: (id, bind) => `e.actor_id = ${bind(id)}`,
    action: (action, bind) => `e.action = ${bind(action)}`,
    target: (id, bind) => `e.target = ${bind(id)}`,
  },
  fields: {
    texts: {
      who: "e.actor || ' ' || e.actor_id",
      did: 'e.action',
      to: 'e.target',
      from: ORIGIN,
    },
    choices: {},
    numbers: { at: epochMs('e.at') },
    row: `concat_ws(' ', e.actor, e.action, e.target, e.origin, e.before, e.after)`,
  },
  orders: { newest: 'e.at', oldest: 'e.at' },
  range: 'e.at',
}

export const auditLogList = sqlList(AUDIT_LOG, SQL)

const SEALED_TABLES = 'audit_entries e LEFT JOIN audit_links l ON l.entry_id = e.id'

const SEALED_COLUMNS = {
  ...SQL.columns,
  position: 'l.position',
  hash: 'l.hash',
  text: "signalbox_audit_text(e, coalesce(l.position, 0), coalesce(l.prev, ''))",
}

export const sealedAuditLogList = sqlList<typeof SEALED_AUDIT_LOG>(SEALED_AUDIT_LOG, {
  ...SQL,
  tables: SEALED_TABLES,
  columns: SEALED_COLUMNS,
})

export interface AuditEntryPage extends SealedAuditEntry {
  readonly prev: string | null
}

export async function findAuditEntry(
  { projectId }: ProjectScope,
  id: string,
): Promise<AuditEntryPage | null> {
  const [row] = await readRows<AuditEntryPage>(
    `SELECT ${selectColumns(SEALED_COLUMNS)}, l.prev FROM ${SEALED_TABLES}
     WHERE e.project_id = $1 AND e.id = $2`,
    [projectId, id],
  )
  return row ?? null
}

export interface AuditChoices {
  readonly actors: readonly { readonly id: string; readonly name: string }[]
  readonly actions: readonly string[]
}

/** Steps from one value of the index to the next, so the cost depends on the answer, not on the log. */
function distinct(column: 'actor_id' | 'action'): string {
  return `WITH RECURSIVE found AS (
    (SELECT ${column} AS value FROM audit_entries WHERE project_id = $1 ORDER BY ${column} LIMIT 1)
    UNION ALL
    SELECT (SELECT ${column} FROM audit_entries WHERE project_id = $1 AND ${column} > found.value ORDER BY ${column} LIMIT 1)
    FROM found WHERE found.value IS NOT NULL
  )`
}

export async function auditChoices({ projectId }: ProjectScope): Promise<AuditChoices> {
  const [actors, actions] = await Promise.all([
    readRows<{ id: string; name: string }>(
      `${distinct('actor_id')} SELECT value AS id, (SELECT actor FROM audit_entries e WHERE e.project_id = $1
         AND e.actor_id = value ORDER BY at DESC, id DESC LIMIT 1) AS name
       FROM found WHERE value IS NOT NULL ORDER BY name, id`,
      [projectId],
    ),
    readRows<{ value: string }>(
      `${distinct('action')} SELECT value FROM found WHERE value IS NOT NULL ORDER BY value`,
      [projectId],
    ),
  ])
  return { actors, actions: actions.map(({ value }) => value) }
}
