// GET /livez, /readyz and /api/health, for monitoring (docs/operations/monitor.md). Public, so they return only the version.

import { eventLog } from '@/server/event-log/event-log.ts'
import { isDatabaseReachable } from '@/server/platform/health.sql.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { jsonResponse, problemResponse } from './problem.ts'

/** 200 while the process answers. Does not use the database, because a failover must not restart every replica. */
export function getLivez(): Response {
  return jsonResponse({ status: 'ok' })
}

/** 503 while the database is unreachable, so that a load balancer sends requests elsewhere; 200 while the event log takes events. */
export async function getReadyz(): Promise<Response> {
  const answer = await readiness({ status: 'ok' })
  return eventLog()?.state.problem === null ? jsonResponse({ status: 'ok' }) : answer
}

export function getHealth(): Promise<Response> {
  return readiness({ status: 'ok', version: packageJson.version })
}

async function readiness(ready: object): Promise<Response> {
  if (await isDatabaseReachable()) return jsonResponse(ready)
  return problemResponse({
    status: 503,
    title: 'Unavailable',
    detail: 'The database does not answer.',
    headers: { 'retry-after': '1' },
  })
}
