// POST /api/runtime/v1/heartbeat: a runtime says what it runs and learns what it should run.
import { HeartbeatRequest } from '@signalbox/wire'
import { requireKeyScope } from '@/server/platform/auth/api-key.ts'
import { recordHeartbeat } from '@/server/runtimes/runtimes.ts'
import { readJsonBody } from './json-body.ts'
import { answer, fleetResponse } from './problem.ts'

export function postHeartbeat(request: Request): Promise<Response> {
  return answer(async () => {
    const scope = await requireKeyScope(request, 'ingest')
    const body = await readJsonBody(request, HeartbeatRequest)
    if (!body.ok) return body.response
    return fleetResponse(await recordHeartbeat(scope, body.value))
  })
}
