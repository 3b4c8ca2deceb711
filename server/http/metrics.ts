import { createHash, timingSafeEqual } from 'node:crypto'
import { readGauges } from '@/server/operations/operations.ts'
import { clientAddress, isDirect } from '@/server/platform/auth/client-address.ts'
import { env } from '@/server/platform/base/env.ts'
import { metrics, readMetrics } from '@/server/platform/observability/metrics.mjs'
import { problemResponse } from './problem.ts'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

function mayRead(request: Request): boolean {
  const { SIGNALBOX_METRICS_TOKEN: token } = env()
  if (token !== undefined) {
    const given = request.headers.get('authorization') ?? ''
    return timingSafeEqual(digest(given), digest(`Bearer ${token}`))
  }
  // A proxy on this machine asks from a loopback address on behalf of strangers.
  if (!isDirect(request.headers)) return false
  const address = clientAddress(request.headers)
  return address !== null && /^(?:127\.|::1$)/.test(address)
}

/** Requires SIGNALBOX_METRICS_TOKEN as bearer token; when that is not set, only this machine may ask. */
export async function getMetrics(request: Request): Promise<Response> {
  if (!mayRead(request)) {
    return problemResponse({
      status: 401,
      title: 'Unauthenticated',
      detail:
        'Send SIGNALBOX_METRICS_TOKEN as a bearer token. Without that variable metrics are given to this machine only.',
    })
  }
  await readGauges()
  const headers = { 'content-type': metrics.registry.contentType, 'cache-control': 'no-store' }
  return new Response(await readMetrics(), { headers })
}
