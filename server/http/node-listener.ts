// Answers requests of runtimes on Node's server (scripts/serve.mjs, decision 47). Heartbeats, nine of ten requests of an idle fleet, are
// answered from Node's own objects: the Web's request, its headers and its body took most of the time and memory of one.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { HeartbeatRequest } from '@signalbox/wire'
import { requireKeyScope } from '@/server/platform/auth/api-key.ts'
import { api } from './api.ts'
import { parseJsonBody } from './json-body.ts'
import { errorResponse } from './problem.ts'
import { answerHeartbeat } from './runtime.ts'

const HEARTBEAT = '/api/runtime/v1/heartbeat'

const answerByApp = getRequestListener(api.fetch, { overrideGlobalObjects: false })

function readHeaders({ headers }: IncomingMessage) {
  return {
    get(name: string) {
      const value = headers[name]
      return value === undefined ? null : String(value)
    },
  }
}

/** Node calls a message complete only after its last byte was handed over, so a body of the stated length is recognized by its size. */
function hasArrived(incoming: IncomingMessage): boolean {
  return incoming.complete || incoming.readableLength === Number(incoming.headers['content-length'])
}

/** Answers like the app. False, and nothing is read or written: the body has not arrived yet, so the app must wait for it. */
export async function answerAtOnce(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<boolean> {
  try {
    const scope = await requireKeyScope({ headers: readHeaders(incoming) }, 'ingest')
    // A body that came with its headers is there before the first await returns.
    if (!hasArrived(incoming)) return false
    const body = parseJsonBody(String(incoming.read() ?? ''), HeartbeatRequest)
    const text = JSON.stringify(await answerHeartbeat(scope, body))
    outgoing.writeHead(200, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'content-length': Buffer.byteLength(text),
    })
    outgoing.end(text)
  } catch (error) {
    const response = errorResponse(error)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(await response.text())
  }
  return true
}

export const answerRuntime: RequestListener = (incoming, outgoing) => {
  if (incoming.method !== 'POST' || incoming.url !== HEARTBEAT) {
    void answerByApp(incoming, outgoing)
    return
  }
  void answerAtOnce(incoming, outgoing).then((isAnswered) => {
    if (!isAnswered) void answerByApp(incoming, outgoing)
  })
}

/** Call once per process. Gives the listener, as Next bundled it, to the server that started Next. */
export function registerListener(): void {
  // The cast only adds an optional property of our own name.
  const holder = globalThis as { signalboxRuntimes?: RequestListener }
  holder.signalboxRuntimes = answerRuntime
}
