// Events may be lost, so runtimes poll too (specs/data-plane.md). A key is checked every ten seconds, so a revoked one loses its streams.

import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import { listenToReleases } from '@/server/bundles/release-stream.ts'
import { parseBearer, requireKey } from '@/server/platform/auth/api-key.ts'
import type { KeyScope } from '@/server/platform/auth/scope.ts'
import { isDatabaseAway } from '@/server/platform/base/errors.ts'
import { admitStream } from './admission.ts'
import { type EventOutlet, eventStream, writeEvents } from './event-stream.ts'
import { nodeResponse } from './node-response.ts'

// One timer for all open streams, in groups, so that ten thousand streams are not written to at the same moment.
const BEAT_MS = 10_000
const GROUPS = 20

/** Outlets by the secret of their key, which is checked once for all of them. */
type Group = Map<string, Set<EventOutlet>>

const groups: readonly Group[] = Array.from({ length: GROUPS }, () => new Map())
const sizes = groups.map(() => 0)
let timer: NodeJS.Timeout | null = null
let turn = 0

const ALIVE = new TextEncoder().encode(': alive\n\n')

/** Never rejects. A key cannot be revoked while the database is away, and its streams stay. */
async function beatKey(secret: string, outlets: ReadonlySet<EventOutlet>): Promise<void> {
  const isAccepted = await requireKey(secret, 'read', null).then(() => true, isDatabaseAway)
  for (const { send, close } of [...outlets]) {
    if (isAccepted) send(ALIVE)
    else close()
  }
}

function beat(): void {
  turn = (turn + 1) % GROUPS
  for (const [secret, outlets] of groups[turn] ?? []) void beatKey(secret, outlets)
}

function everyBeat(secret: string, outlet: EventOutlet): () => void {
  const index = sizes.indexOf(Math.min(...sizes))
  const group = groups[index] ?? new Map<string, Set<EventOutlet>>()
  const outlets = group.get(secret) ?? new Set()
  group.set(secret, outlets.add(outlet))
  sizes[index] = (sizes[index] ?? 0) + 1
  timer ??= setInterval(beat, BEAT_MS / GROUPS)
  return () => {
    outlets.delete(outlet)
    if (outlets.size === 0) group.delete(secret)
    sizes[index] = (sizes[index] ?? 0) - 1
    if (timer === null || groups.some(({ size }) => size > 0)) return
    clearInterval(timer)
    timer = null
  }
}

interface StreamCall {
  readonly context: Context
  readonly scope: KeyScope<'read'>
  readonly request: Request
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** Optional parts that the runtime reads; earlier versions of the runtime name none. */
export function readRequestedParts(request: Request): readonly string[] {
  return (new URL(request.url).searchParams.get('parts') ?? '').split(',')
}

export async function streamConfig({ context, scope, request }: StreamCall): Promise<Response> {
  admitStream(scope)
  const isPushed = new URL(request.url).searchParams.get('push') === 'bundle'
  const parts = isPushed ? readRequestedParts(request) : null
  const { projectId, environment } = scope
  const secret = parseBearer(request.headers)
  const open = async (outlet: EventOutlet): Promise<() => void> => {
    const leave = await listenToReleases({ projectId, environment }, { parts, send: outlet.send })
    const stopBeat = everyBeat(secret, outlet)
    return () => {
      stopBeat()
      leave()
    }
  }
  const outgoing = nodeResponse(context)
  if (outgoing === null || request.method === 'HEAD')
    return new Response(eventStream(request.signal, open), { headers: HEADERS })
  await writeEvents(outgoing, HEADERS, open)
  return RESPONSE_ALREADY_SENT
}
