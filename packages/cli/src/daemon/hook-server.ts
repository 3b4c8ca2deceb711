// A harness that calls directly always gets status 200 with an answer in its own format: some run the tool on any other status. Shims
// refuse on any other status, and get one for a hook that cannot be parsed, because the format of its refusal is unknown.
import http from 'node:http'
import type { DaemonHooks, HookWay } from '@signalbox/adapters'
import type { JsonObject } from '@signalbox/core'
import { isSameSecret, readBearer, readBody, requestUrl } from '@signalbox/runtime/base'
import { answerHook, type HookParts, MAX_BODY_BYTES, refuseHook } from './hook-answer.ts'

export interface HookServerParts extends HookParts {
  readonly health: () => JsonObject
}

interface Caller {
  readonly way: HookWay
  readonly mayAsk: boolean
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i
const HOOK_PATH = /^\/hook\/([a-z-]{1,40})$/

const NO_TOKEN =
  'The hook did not send the token of the Signalbox daemon, so it is refused. Run "signalbox init" again, or set SIGNALBOX_DAEMON_TOKEN.'

/**
 * The caller listens and closes. `token`: for harnesses that call over HTTP; null: every connection is accepted, as on the socket, which
 * curl and plugins use.
 */
export function hookServer(parts: HookServerParts, token: string | null): http.Server {
  return http.createServer((request, response) => {
    serve(parts, token, { request, response }).catch(() => response.destroy())
  })
}

interface Exchange {
  readonly request: http.IncomingMessage
  readonly response: http.ServerResponse
}

async function serve(
  parts: HookServerParts,
  token: string | null,
  exchange: Exchange,
): Promise<void> {
  const { request } = exchange
  const url = requestUrl(request)
  // A web page can also reach the loopback address, through its own host name.
  if (!LOOPBACK.test(request.headers.host ?? '') || request.headers.origin !== undefined)
    return send(exchange, 403, { error: 'Only programs on this machine may send requests.' })
  const caller = identifyCaller(request, token)
  const harness = parts.harnesses.get(HOOK_PATH.exec(url.pathname)?.[1] ?? '')
  if (harness !== undefined && request.method === 'POST')
    return answer(parts, { ...exchange, caller, harness, url })
  const mayKnow = caller.mayAsk
  if (url.pathname === '/health' && request.method === 'GET' && mayKnow)
    return send(exchange, 200, parts.health())
  send(exchange, mayKnow ? 404 : 401, { error: mayKnow ? 'There is no such path.' : NO_TOKEN })
}

interface Asked extends Exchange {
  readonly caller: Caller
  readonly harness: DaemonHooks
  readonly url: URL
}

async function answer(parts: HookServerParts, asked: Asked): Promise<void> {
  const { caller, harness, request, response, url } = asked
  const body = await readBody(request, MAX_BODY_BYTES)
  const gone = new AbortController()
  response.once('close', () => response.writableFinished || gone.abort())
  const hook = {
    harness,
    way: caller.way,
    body,
    version: url.searchParams.get('version'),
    agent: readHookHeader(request, 'x-signalbox-agent'),
    trace: readHookHeader(request, 'traceparent'),
    gone,
  }
  const { status, json } = caller.mayAsk
    ? await answerHook(parts, hook)
    : refuseHook(hook, NO_TOKEN)
  send(asked, status, json)
}

function readHookHeader(request: http.IncomingMessage, name: string): string | null {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : null
}

function identifyCaller(request: http.IncomingMessage, token: string | null): Caller {
  if (token === null) return { way: 'command', mayAsk: true }
  return { way: 'http', mayAsk: isSameSecret(readBearer(request), token) }
}

function send({ response }: Exchange, status: number, body: JsonObject): void {
  const text = JSON.stringify(body)
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
    })
    .end(text)
}
