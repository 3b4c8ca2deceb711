import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { enqueue } from '@/server/platform/queue/enqueue.ts'
import { checkChain, listChainedProjects } from './audit-chain.sql.ts'
import { type AuditEntryPage, findAuditEntry } from './audit-log.sql.ts'

/** Rejects with `not_found`. */
export async function loadAuditEntry(scope: ProjectScope, id: string): Promise<AuditEntryPage> {
  const entry = await findAuditEntry(scope, id)
  if (entry === null) throw new ServiceError('not_found', 'There is no such entry.')
  return entry
}

/** Requests a check of the project's chain now; otherwise the hourly job does it. */
export async function askForCheck({ projectId }: ProjectScope): Promise<void> {
  const key = `audit chain ${projectId}`
  await inTransaction((tx) => enqueue(tx, { task: 'audit.check', payload: { projectId }, key }))
}

/** Undefined: all projects. */
export async function checkChains(
  projectId: AuthorizedProjectId | undefined,
  run: { readonly now: number; readonly signal: AbortSignal },
): Promise<void> {
  const projects = projectId === undefined ? await listChainedProjects() : [projectId]
  for (const id of projects) await checkChain(id, run)
}
