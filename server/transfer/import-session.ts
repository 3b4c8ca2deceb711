// Sessions of the reference implementation, imported by a user (specs/wink-import.md). The browser reads the bundle. Only events of such
// sessions are accepted, so that no user can write a decision, an answer or a stop to the log.
import { isImportedSession, parseEventLine } from '@signalbox/wire'
import { findEnvironment } from '@/server/environments/environments.sql.ts'
import type { IncomingLine } from '@/server/ingest/incoming.ts'
import { type IngestResult, ingestLines } from '@/server/ingest/ingest.ts'
import { findAuditedTargets, recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { importTarget, type ProjectScope } from '@/server/platform/auth/scope.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { ServiceError } from '@/server/platform/errors.ts'

const TAKEN: readonly string[] = [
  ...['session.started', 'enforcement.lapsed', 'prompt.rendered', 'prompt.executed'],
  ...['usage.recorded', 'tool.requested', 'tool.invoked', 'note', 'plan.updated', 'session.ended'],
]

/**
 * Throws `invalid` for a line that no imported session has; then nothing is stored. Throws `conflict` for a session that is stored
 * elsewhere; then the other sessions are stored.
 */
export async function importSession(
  scope: ProjectScope,
  environment: string,
  lines: readonly IncomingLine[],
): Promise<IngestResult> {
  const { projectId } = scope
  if ((await findEnvironment({ projectId, name: environment })) === null)
    throw new ServiceError('not_found', `There is no environment ${environment}.`, 'environment')
  const named = new Set(lines.flatMap((line) => readImportedSession(line) ?? []))
  const result = await ingestLines(importTarget(scope, environment), lines)
  const elsewhere = result.problems.filter(({ code }) => code === 'foreign_session')
  const imported = [...named].filter((id) => elsewhere.every(({ session }) => session !== id))
  if (result.stored > 0) await recordImport(scope, environment, imported)
  const [first] = elsewhere
  if (first !== undefined) {
    const detail = `${first.session ?? 'The session'} was imported before, into another environment or project. Open it there.`
    throw new ServiceError('conflict', detail)
  }
  return result
}

/** Id of the line's session; null: a line that storing will report as wrong. */
function readImportedSession({ number, text }: IncomingLine): string | null {
  const parsed = parseEventLine(text)
  if (!parsed.ok) return null
  const { session, type } = parsed.event
  if (!isImportedSession(session) || !TAKEN.includes(type)) {
    const detail = `Line ${number} is not an event of an imported session: ${type} of ${session}.`
    throw new ServiceError('invalid', detail)
  }
  return session
}

/** One entry for each session, however many requests bring its events, and in whatever order. */
async function recordImport(
  scope: ProjectScope,
  environment: string,
  sessions: readonly string[],
): Promise<void> {
  const { projectId } = scope
  const action = 'session.imported'
  await inTransaction(async (tx) => {
    const recorded = await findAuditedTargets(tx, { projectId, action, targets: sessions })
    for (const target of sessions) {
      if (recorded.has(target)) continue
      const after = { environment }
      await recordAudit(tx, { ...toAuditActor(scope), projectId, action, target, after })
    }
  })
}
