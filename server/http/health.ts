// GET /api/health: 200 while the database answers, else 503. Public, so it tells no more than the version.
import packageJson from '../../package.json' with { type: 'json' }
import { isDatabaseReachable } from '../services/health.ts'
import { jsonResponse, problemResponse } from './problem.ts'

export async function getHealth(): Promise<Response> {
  if (await isDatabaseReachable()) {
    return jsonResponse({ status: 'ok', version: packageJson.version })
  }
  return problemResponse({
    status: 503,
    title: 'Unavailable',
    detail: 'The database does not answer.',
    headers: { 'retry-after': '1' },
  })
}
