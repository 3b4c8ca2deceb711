// GET /api/runtime/v1/config/stream: server-sent events that announce a new revision, or push its bundle to clients that request that. They
// may be lost: runtimes poll as well (specs/data-plane.md). The key is checked again with every heartbeat, so that a revoked one loses its
// stream.

import { listenToReleases } from '@/server/bundles/release-stream.ts'
import { requireKeyScope } from '@/server/platform/auth/api-key.ts'
import type { KeyScope } from '@/server/platform/auth/scope.ts'
import { everyBeat } from './beat.ts'
import { eventStream } from './event-stream.ts'

interface StreamCall {
  readonly scope: KeyScope<'read'>
  readonly request: Request
}

const ALIVE = new TextEncoder().encode(': alive\n\n')

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** Optional parts that the runtime reads; a runtime of an earlier version names none. */
export function askedParts(request: Request): readonly string[] {
  return (new URL(request.url).searchParams.get('parts') ?? '').split(',')
}

export function streamConfig({ scope, request }: StreamCall): Response {
  const isPushed = new URL(request.url).searchParams.get('push') === 'bundle'
  const parts = isPushed ? askedParts(request) : null
  const body = eventStream(request.signal, async ({ send, close }) => {
    const leave = await listenToReleases(scope, { parts, send, fail: close })
    const stopBeat = everyBeat(() => {
      requireKeyScope(request, 'read').then(() => send(ALIVE), close)
    })
    return () => {
      stopBeat()
      leave()
    }
  })
  return new Response(body, { headers: HEADERS })
}
