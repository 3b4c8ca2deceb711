// POST /api/runtime/v1/register: a runtime says what it is and learns its id, the key to pin and the intervals.
import { RegisterRequest } from '@signalbox/wire'
import { requireKeyScope } from '@/server/platform/auth/api-key.ts'
import { registerRuntime } from '@/server/runtimes/runtimes.ts'
import { readJsonBody } from './json-body.ts'
import { answer, jsonResponse } from './problem.ts'

export function postRegister(request: Request): Promise<Response> {
  return answer(async () => {
    const scope = await requireKeyScope(request, 'ingest')
    const body = await readJsonBody(request, RegisterRequest)
    if (!body.ok) return body.response
    return jsonResponse(await registerRuntime(scope, body.value))
  })
}
