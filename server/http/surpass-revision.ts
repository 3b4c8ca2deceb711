// POST /api/runtime/v1/revision: a runtime that holds a newer bundle than the one that is served proves it (specs/bundles.md).
import { RevisionRequest } from '@signalbox/wire'
import { surpassRevision } from '@/server/bundles/surpass-revision.ts'
import { requireKeyScope } from '@/server/platform/auth/api-key.ts'
import { readJsonBody } from './json-body.ts'
import { answer, jsonResponse } from './problem.ts'

/** As much as all configs of an environment may come to. */
const MAX_BYTES = 16 * 1024 * 1024

export function postRevision(request: Request): Promise<Response> {
  return answer(async () => {
    const scope = await requireKeyScope(request, 'ingest')
    const body = await readJsonBody(request, RevisionRequest, MAX_BYTES)
    if (!body.ok) return body.response
    return jsonResponse({ desired_revision: await surpassRevision(scope, body.value) })
  })
}
