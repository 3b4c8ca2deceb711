// POST /api/import/sessions/{environment}: events that the console's page made from a debug bundle (specs/wink-import.md), as NDJSON.

import { readLines } from '@/server/ingest/batch-lines.ts'
import { admit, refuseWhileDatabaseLags } from '@/server/ingest/turns.ts'
import { withRequestedProject } from '@/server/platform/auth/asked-project.ts'
import { isSameOrigin } from '@/server/platform/auth/origins.ts'
import { requirePermission } from '@/server/platform/auth/permissions.ts'
import { requireProjectScope } from '@/server/platform/auth/session.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { importSession } from '@/server/transfer/import-session.ts'
import { readBody } from './batch-body.ts'
import { toBatchAnswer } from './ingest-events.ts'
import { jsonResponse } from './problem.ts'

const ENVIRONMENT = /^[a-z0-9][a-z0-9-]{0,39}$/

async function readImportLines(request: Request, keep: (chunkBytes: number) => void) {
  const body = await readBody(request, false, keep)
  const batch = typeof body === 'string' ? null : await readLines(body, false)
  if (batch === null || !batch.ok)
    throw new ServiceError('invalid', 'A part of an import has 64 MiB at most.')
  refuseWhileDatabaseLags()
  return batch
}

export async function importSessionEvents(
  request: Request,
  environment: string,
): Promise<Response> {
  const scope = await requireProjectScope(withRequestedProject(request))
  if (!isSameOrigin(request.headers)) {
    throw new ServiceError('forbidden', 'This request does not come from the console.')
  }
  requirePermission(scope.role, 'session.import')
  // An address may contain characters that a database text may not.
  if (!ENVIRONMENT.test(environment))
    throw new ServiceError('not_found', 'There is no such environment.')
  const sender = { projectId: scope.projectId, callerId: scope.userId }
  const answer = await admit(
    sender,
    (keep) => readImportLines(request, keep),
    async ({ lines, errors }) =>
      toBatchAnswer(errors, await importSession(scope, environment, lines)),
  )
  return jsonResponse(answer)
}
