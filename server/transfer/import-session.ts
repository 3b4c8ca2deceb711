// Sessions of the reference implementation, imported by a user (specs/wink-import.md). The browser reads the bundle. Only events of such
// sessions are accepted, so that no user can write a decision, an answer or a stop to the log.
import { isImportedSession, parseEventLine } from '@signalbox/wire'
import { findEnvironment } from '@/server/environments/environments.sql.ts'
import type { IncomingLine } from '@/server/ingest/incoming.ts'
import { type IngestResult, ingestLines } from '@/server/ingest/ingest.ts'
import { recordAudit, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { importTarget, type ProjectScope } from '@/server/platform/auth/scope.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { ServiceError } from '@/server/platform/errors.ts'

const TAKEN: readonly string[] = [
  ...['session.started', 'enforcement.lapsed', 'prompt.rendered', 'prompt.executed'],
  ...['usage.recorded', 'tool.requested', 'tool.invoked', 'note', 'plan.updated', 'session.ended'],
]

/**
 * Throws `invalid` for a line that no imported session has, and `conflict` for a session that is stored elsewhere. Then nothing is stored.
 */
export async function importSession(
  scope: ProjectScope,
  environment: string,
  lines: readonly IncomingLine[],
): Promise<IngestResult> {
  const { projectId } = scope
  if ((await findEnvironment({ projectId, name: environment })) === null)
    throw new ServiceError('not_found', `There is no environment ${environment}.`, 'environment')
  const begun = new Set(lines.flatMap((line) => sessionBegunBy(line) ?? []))
  const result = await ingestLines(importTarget(scope, environment), lines)
  const elsewhere = result.problems.find(({ code }) => code === 'foreign_session')
  if (elsewhere !== undefined) {
    const detail = `${elsewhere.session ?? 'The session'} was imported before, into another environment or project. Open it there.`
    throw new ServiceError('conflict', detail)
  }
  if (result.stored > 0 && begun.size > 0) await recordImport(scope, environment, [...begun])
  return result
}

/** The session that starts with this line; null: another event, or a line that storing will report as wrong. */
function sessionBegunBy({ number, text }: IncomingLine): string | null {
  const parsed = parseEventLine(text)
  if (!parsed.ok) return null
  const { session, type } = parsed.event
  if (!isImportedSession(session) || !TAKEN.includes(type)) {
    const detail = `Line ${number} is not an event of an imported session: ${type} of ${session}.`
    throw new ServiceError('invalid', detail)
  }
  return type === 'session.started' ? session : null
}

async function recordImport(
  scope: ProjectScope,
  environment: string,
  sessions: readonly string[],
): Promise<void> {
  const { projectId } = scope
  await inTransaction(async (tx) => {
    for (const target of sessions) {
      const after = { environment }
      await recordAudit(tx, {
        ...toAuditActor(scope),
        projectId,
        action: 'session.imported',
        target,
        after,
      })
    }
  })
}
