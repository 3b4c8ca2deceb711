// The audit log as Settings shows and exports it: newest first, filtered, in keyset pages over (at, id); and the state of its chain.
import 'server-only'
import type { JsonValue } from '@signalbox/core'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { formatCursor, type Place } from '@/server/platform/sql/keyset.ts'
import { epochMs, readRows } from '@/server/platform/sql/rows.ts'

export interface ListedAuditEntry {
  readonly id: string
  readonly at: number
  readonly actorId: string
  readonly actor: string
  readonly action: string
  readonly target: string
  readonly before: JsonValue
  readonly after: JsonValue
  /** Network address; null: a job, or not known. */
  readonly origin: string | null
}

/** Every given part must match. */
export interface AuditFilter {
  /** Id of a person or key. */
  readonly actor?: string | undefined
  readonly action?: string | undefined
  /** Id of the thing changed. */
  readonly target?: string | undefined
  /** Epoch ms, inclusive. */
  readonly since?: number | undefined
  /** Epoch ms, exclusive. */
  readonly until?: number | undefined
}

const COLUMNS = `e.id, ${epochMs('e.at')} AS at, e.actor_id AS "actorId", e.actor, e.action, e.target,
  e.before, e.after, e.origin`

interface Bound {
  readonly where: string
  readonly values: unknown[]
}

function bound(
  { projectId }: ProjectScope,
  filter: AuditFilter,
  after: Place | null,
): Bound & { readonly bind: (value: unknown) => string } {
  const values: unknown[] = [projectId]
  const terms = ['e.project_id = $1']
  const bind = (value: unknown): string => `$${values.push(value)}`
  const instant = (at: number): string => `to_timestamp(${bind(at)}::float8 / 1000)`
  if (filter.actor !== undefined) terms.push(`e.actor_id = ${bind(filter.actor)}`)
  if (filter.action !== undefined) terms.push(`e.action = ${bind(filter.action)}`)
  if (filter.target !== undefined) terms.push(`e.target = ${bind(filter.target)}`)
  if (filter.since !== undefined) terms.push(`e.at >= ${instant(filter.since)}`)
  if (filter.until !== undefined) terms.push(`e.at < ${instant(filter.until)}`)
  if (after !== null) terms.push(`(e.at, e.id) < (${instant(after.at)}, ${bind(after.id)})`)
  return { where: terms.join(' AND '), values, bind }
}

interface Page<Row> {
  readonly entries: readonly Row[]
  /** Null on the last page. */
  readonly next: string | null
}

interface Wanted {
  readonly after: Place | null
  readonly limit: number
}

async function page<Row extends { readonly id: string; readonly at: number }>(
  columns: string,
  { where, values, bind }: ReturnType<typeof bound>,
  limit: number,
): Promise<Page<Row>> {
  const rows = await readRows<Row>(
    `SELECT ${columns} FROM audit_entries e LEFT JOIN audit_links l ON l.entry_id = e.id
     WHERE ${where} ORDER BY e.at DESC, e.id DESC LIMIT ${bind(limit + 1)}`,
    values,
  )
  const entries = rows.slice(0, limit)
  const last = rows.length > limit ? entries.at(-1) : undefined
  return { entries, next: last === undefined ? null : formatCursor(last) }
}

export async function listAudit(
  scope: ProjectScope,
  filter: AuditFilter,
  { after, limit }: Wanted,
): Promise<Page<ListedAuditEntry>> {
  return await page(COLUMNS, bound(scope, filter, after), limit)
}

export interface ExportedAuditEntry extends ListedAuditEntry {
  /** In the chain, from 1; null for an entry that never got a place, which the check reports. */
  readonly position: number | null
  readonly hash: string | null
  /** Exactly what was hashed. */
  readonly text: string
}

const SEALED = `${COLUMNS}, l.position, l.hash,
  signalbox_audit_text(e, coalesce(l.position, 0), coalesce(l.prev, '')) AS text`

/** The same entries with what proves them. */
export async function readAuditForExport(
  scope: ProjectScope,
  filter: AuditFilter,
  { after, limit }: Wanted,
): Promise<Page<ExportedAuditEntry>> {
  return await page(SEALED, bound(scope, filter, after), limit)
}

export interface AuditEntryPage extends ExportedAuditEntry {
  readonly prev: string | null
}

/** Null when the project has no such entry. */
export async function findAuditEntry(
  { projectId }: ProjectScope,
  id: string,
): Promise<AuditEntryPage | null> {
  const [row] = await readRows<AuditEntryPage>(
    `SELECT ${SEALED}, l.prev FROM audit_entries e LEFT JOIN audit_links l ON l.entry_id = e.id
     WHERE e.project_id = $1 AND e.id = $2`,
    [projectId, id],
  )
  return row ?? null
}

export interface AuditChoices {
  /** Every actor, by the latest name. */
  readonly actors: readonly { readonly id: string; readonly name: string }[]
  readonly actions: readonly string[]
}

/** Jumps from one value of the index to the next: the cost is in proportion to the answer, not to the log. */
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
