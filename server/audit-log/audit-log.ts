// The audit log: pages of it, one entry, a file of all that a filter leaves, and the check of its chain (specs/records.md).
import type { AuthorizedProjectId, ProjectScope } from '@/server/platform/auth/scope.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { ServiceError } from '@/server/platform/errors.ts'
import { csvLine } from '@/server/platform/list/csv.ts'
import { enqueue } from '@/server/platform/queue/enqueue.ts'
import { parseKeyset } from '@/server/platform/sql/keyset.ts'
import { type ChainState, chainedProjects, checkChain, readChain } from './audit-chain.sql.ts'
import {
  type AuditChoices,
  type AuditEntryPage,
  type AuditFilter,
  auditChoices,
  type ExportedAuditEntry,
  findAuditEntry,
  type ListedAuditEntry,
  listAudit,
  readAuditForExport,
} from './audit-log.sql.ts'

const PAGE = 100
const EXPORT_PAGE = 1_000

/** `next` is null on the last page. Rejects with `invalid` for a cursor that no page gave. */
export async function auditPage(
  scope: ProjectScope,
  filter: AuditFilter,
  cursor: string | null,
): Promise<{ readonly entries: readonly ListedAuditEntry[]; readonly next: string | null }> {
  const after = cursor === null ? null : parseKeyset(cursor)
  if (cursor !== null && after === null)
    throw new ServiceError('invalid', 'The cursor is invalid.', 'cursor')
  return await listAudit(scope, filter, { after, limit: PAGE })
}

/** Rejects with `not_found`. */
export async function auditEntry(scope: ProjectScope, id: string): Promise<AuditEntryPage> {
  const entry = await findAuditEntry(scope, id)
  if (entry === null) throw new ServiceError('not_found', 'There is no such entry.')
  return entry
}

export async function listAuditChoices(scope: ProjectScope): Promise<AuditChoices> {
  return await auditChoices(scope)
}

/** Null while nothing was changed. */
export async function readAuditChain(scope: ProjectScope): Promise<ChainState | null> {
  return await readChain(scope.projectId)
}

/** Asks for a check of the project's chain now; the job of the hour does it otherwise. */
export async function askForCheck({ projectId }: ProjectScope): Promise<void> {
  const key = `audit chain ${projectId}`
  await inTransaction((tx) => enqueue(tx, { task: 'audit.check', payload: { projectId }, key }))
}

/** One project's chain, or every one. */
export async function checkChains(
  projectId: AuthorizedProjectId | undefined,
  run: { readonly now: number; readonly signal: AbortSignal },
): Promise<void> {
  const projects = projectId === undefined ? await chainedProjects() : [projectId]
  for (const id of projects) await checkChain(id, run)
}

export type AuditFormat = 'csv' | 'jsonl'

const HEAD = 'at,actor,actor_id,action,target,origin,before,after,id,position,hash\r\n'

function formatAuditCsv(entry: ExportedAuditEntry): string {
  const { at, actor, actorId, action, target, origin, before, after, id, position, hash } = entry
  const json = (value: ExportedAuditEntry['before']): string | null =>
    value === null ? null : JSON.stringify(value)
  const cells = [new Date(at).toISOString(), actor, actorId, action, target, origin]
  return csvLine([...cells, json(before), json(after), id, position, hash])
}

/** The hashed text is in the line unchanged, so that any SHA-256 program can verify it. */
function jsonLine({ hash, text }: ExportedAuditEntry): string {
  return `{"hash": ${JSON.stringify(hash)}, "entry": ${text}}\n`
}

/** All entries that match the filter, newest first. Reads in pages: memory does not grow with the log. */
export async function* exportAudit(
  scope: ProjectScope,
  filter: AuditFilter,
  format: AuditFormat,
): AsyncGenerator<string> {
  const line = format === 'csv' ? formatAuditCsv : jsonLine
  if (format === 'csv') yield HEAD
  let after: ReturnType<typeof parseKeyset> = null
  for (;;) {
    const { entries, next } = await readAuditForExport(scope, filter, { after, limit: EXPORT_PAGE })
    if (entries.length > 0) yield entries.map(line).join('')
    after = next === null ? null : parseKeyset(next)
    if (after === null) return
  }
}
