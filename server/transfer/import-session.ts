// Only events of imported sessions are accepted, so no user can write a decision, answer or stop to the log (specs/wink-import.md).
import { isImportedSession, parseEventLine } from '@signalbox/wire'
import { findEnvironment } from '@/server/environments/environments.sql.ts'
import { type IncomingLine, readIncoming } from '@/server/ingest/batch/incoming.ts'
import { type IngestResult, ingest } from '@/server/ingest/ingest.ts'
import { recordAuditOnce, toAuditActor } from '@/server/platform/auth/audit.sql.ts'
import { importTarget, type ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'

const TAKEN: readonly string[] = [
  ...['session.started', 'enforcement.lapsed', 'prompt.rendered', 'prompt.executed'],
  ...['usage.recorded', 'tool.requested', 'tool.invoked', 'note', 'plan.updated', 'session.ended'],
]

/** `invalid`: a line that no imported session has; nothing is stored. `conflict`: a session is stored elsewhere; the others are stored. */
export async function importSession(
  scope: ProjectScope,
  environment: string,
  lines: readonly IncomingLine[],
): Promise<IngestResult> {
  const { projectId } = scope
  if ((await findEnvironment({ projectId, name: environment })) === null)
    throw new ServiceError('not_found', `There is no environment ${environment}.`, 'environment')
  for (const line of lines) requireImportedSession(line)
  const audit = { ...toAuditActor(scope), projectId, action: 'session.imported' }
  const target = importTarget(scope, environment)
  const result = await ingest(target, readIncoming(lines), async (sql, { sessions }) => {
    const isNew = [...sessions.values()].some(({ stored }) => stored > 0)
    if (!isNew) return
    await recordAuditOnce(sql, { ...audit, after: { environment } }, [...sessions.keys()])
  })
  const first = result.problems.find(({ code }) => code === 'foreign_session')
  if (first !== undefined) {
    const detail = `${first.session ?? 'The session'} was imported before, into another environment or project. Open it there.`
    throw new ServiceError('conflict', detail)
  }
  return result
}

/** A line that is no event passes, because storing reports it. */
function requireImportedSession({ number, text }: IncomingLine): void {
  const parsed = parseEventLine(text)
  if (!parsed.ok) return
  const { session, type } = parsed.event
  if (!isImportedSession(session) || !TAKEN.includes(type)) {
    const detail = `Line ${number} is not an event of an imported session: ${type} of ${session}.`
    throw new ServiceError('invalid', detail)
  }
}
