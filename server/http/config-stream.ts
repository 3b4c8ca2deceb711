// GET /api/runtime/v1/config/stream: server-sent events that announce a new revision, or push its bundle to clients that request that.
// Events may be lost, so runtimes poll as well (specs/data-plane.md). Every heartbeat checks the key again, so a revoked key loses its
// stream.

import { listenToReleases } from '@/server/bundles/release-stream.ts'
import { requireKeyScope } from '@/server/platform/auth/api-key.ts'
import type { KeyScope } from '@/server/platform/auth/scope.ts'
import { eventStream } from './event-stream.ts'

// One timer for all open streams. Each callback runs every ten seconds. They are spread over that time in ten groups, so that a thousand
// streams do not run at the same moment.
const BEAT_MS = 10_000
const GROUPS = 10

const groups: readonly Set<() => void>[] = Array.from({ length: GROUPS }, () => new Set())
let timer: NodeJS.Timeout | null = null
let turn = 0

function beat(): void {
  turn = (turn + 1) % GROUPS
  for (const call of groups[turn] ?? []) call()
}

/** Returns the function that stops it. `call` must not throw. */
function everyBeat(call: () => void): () => void {
  const smallest = groups.reduce((one, other) => (other.size < one.size ? other : one))
  smallest.add(call)
  timer ??= setInterval(beat, BEAT_MS / GROUPS)
  return () => {
    smallest.delete(call)
    if (timer === null || groups.some(({ size }) => size > 0)) return
    clearInterval(timer)
    timer = null
  }
}

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

/** Optional parts that the runtime reads; earlier versions of the runtime name none. */
export function readRequestedParts(request: Request): readonly string[] {
  return (new URL(request.url).searchParams.get('parts') ?? '').split(',')
}

export function streamConfig({ scope, request }: StreamCall): Response {
  const isPushed = new URL(request.url).searchParams.get('push') === 'bundle'
  const parts = isPushed ? readRequestedParts(request) : null
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
