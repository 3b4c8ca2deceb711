// POST /api/runtime/v1/approvals: a runtime waits for a person's answer to one call. Kept open until there is one, or for as long as the
// runtime allows. Keys ask here; no key can answer.
import { AwaitAnswerRequest } from '@signalbox/wire'
import { awaitAnswer } from '@/server/call-approvals/await-answer.ts'
import { requireKeyScope } from '@/server/platform/auth/api-key.ts'
import { readJsonBody } from './json-body.ts'
import { answer, jsonResponse } from './problem.ts'

export function postApprovals(request: Request): Promise<Response> {
  return answer(async () => {
    const scope = await requireKeyScope(request, 'ingest')
    const body = await readJsonBody(request, AwaitAnswerRequest)
    if (!body.ok) return body.response
    return jsonResponse(await awaitAnswer(scope, body.value, request.signal))
  })
}
