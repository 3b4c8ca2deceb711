// Hooks over HTTP: on a Unix socket that only its user can reach, and on the loopback address with a token. Whoever asks as a
// harness gets an answer in the harness's own words with status 200, also when it is a refusal: some run the tool on any other status.
// Shims refuse whatever has another status; they get one for a hook that cannot be read, because nobody knows in which words to refuse it.
import { createHash, timingSafeEqual } from 'node:crypto'
import http from 'node:http'
import { isJsonObject, type JsonObject } from '@signalbox/core'
import type { HookHost } from '@signalbox/runtime/harness'
import type { HarnessEntry, HookWay } from '../harnesses.ts'
import type { ShimSecrets } from './shim-door.ts'

export interface HookServerParts {
  readonly host: Pick<HookHost, 'handle'>
  readonly harnesses: ReadonlyMap<string, HarnessEntry>
  readonly health: () => JsonObject
  /**
   * Milliseconds after which a hook is refused; shorter than the time-outs of shims and harnesses. Asked again when they are over,
   * because the session that the hook opened may allow more.
   */
  readonly limitMs: () => number
}

export interface Door {
  /** null: whoever can connect may ask, as on the socket, where the shim and plugins come in. */
  readonly secrets: DoorSecrets | null
}

export interface DoorSecrets {
  /** For hooks that speak HTTP themselves. */
  readonly token: string
  readonly shim: ShimSecrets
}

/** Who asks, as far as the door knows. */
interface Caller {
  readonly way: HookWay
  readonly mayAsk: boolean
  /** Goes back with the answer. */
  readonly proof: string | null
}

/** A file that an agent read comes back in a hook as a whole. */
const MAX_BODY_BYTES = 32 * 1024 * 1024
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i
const HOOK_PATH = /^\/hook\/([a-z-]{1,40})$/

const TOO_LATE = 'The guardrails did not answer in time, so this is refused.'
const NO_TOKEN =
  'The hook did not bring the token of the Signalbox daemon, so it is refused. Run "signalbox init" again, or set SIGNALBOX_DAEMON_TOKEN.'
const TOO_LARGE = 'The hook is larger than 32 MiB, so it is refused.'
/** A hook with this field is about no session: it asks whether a refusal comes through. */
export const CANARY = 'signalbox_canary'
export const CANARY_REFUSED = 'The canary of signalbox doctor is refused, as it should be.'
const NOT_JSON = 'The hook did not send JSON, so it is refused.'

/** One server for one door; the caller listens and closes. */
export function hookServer(parts: HookServerParts, door: Door): http.Server {
  return http.createServer((request, response) => {
    serve(parts, door, { request, response }).catch(() => response.destroy())
  })
}

interface Exchange {
  readonly request: http.IncomingMessage
  readonly response: http.ServerResponse
}

async function serve(parts: HookServerParts, door: Door, exchange: Exchange): Promise<void> {
  const { request, response } = exchange
  const url = new URL(request.url ?? '/', 'http://localhost')
  // A page in a browser can reach the loopback address, too, under a name of its own.
  if (!LOOPBACK.test(request.headers.host ?? '') || request.headers.origin !== undefined)
    return send(exchange, 403, { error: 'Only programs on this machine may ask.' })
  const caller = callerOf(request, door)
  if (caller.proof !== null) {
    response.setHeader('x-signalbox-proof', caller.proof)
    // Bash takes in an answer byte by byte.
    response.sendDate = false
  }
  const harness = parts.harnesses.get(HOOK_PATH.exec(url.pathname)?.[1] ?? '')
  if (harness !== undefined && request.method === 'POST')
    return answer(parts, { ...exchange, caller, harness, url })
  const mayKnow = caller.mayAsk
  if (url.pathname === '/health' && request.method === 'GET' && mayKnow)
    return send(exchange, 200, parts.health())
  send(exchange, mayKnow ? 404 : 401, { error: mayKnow ? 'There is nothing here.' : NO_TOKEN })
}

interface Asked extends Exchange {
  readonly caller: Caller
  readonly harness: HarnessEntry
  readonly url: URL
}

async function answer(parts: HookServerParts, asked: Asked): Promise<void> {
  const { harness, request, caller } = asked
  const { value, problem } = await payloadOf(request)
  if (problem === null) return send(asked, 200, await answerTo(parts, { ...asked, payload: value }))
  const refusal = harness.hooks(caller.way).refuse(null, problem) ?? {}
  send(asked, caller.way === 'command' ? 400 : 200, refusal)
}

async function answerTo(
  parts: HookServerParts,
  asked: Asked & { readonly payload: unknown },
): Promise<JsonObject> {
  const { caller, harness, payload, request, response, url } = asked
  const hooks = harness.hooks(caller.way)
  const refuse = (reason: string) => hooks.refuse(payload, reason) ?? {}
  if (!caller.mayAsk) return refuse(NO_TOKEN)
  if (isJsonObject(payload) && payload[CANARY] === true) return refuse(CANARY_REFUSED)
  const agent = headerOf(request, 'x-signalbox-agent')
  const trace = headerOf(request, 'traceparent')
  const version = url.searchParams.get('version') || harness.versionFrom(agent)
  const gone = new AbortController()
  response.once('close', () => response.writableFinished || gone.abort())
  const answered = parts.host.handle(hooks, payload, {
    signal: gone.signal,
    version: version === '' ? null : version,
    ...(trace === null ? {} : { trace }),
  })
  const answer = await inTime(parts.limitMs, answered)
  if (answer !== 'too late') return answer ?? {}
  gone.abort()
  return refuse(TOO_LATE)
}

function headerOf(request: http.IncomingMessage, name: string): string | null {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : null
}

function callerOf({ headers }: http.IncomingMessage, { secrets }: Door): Caller {
  if (secrets === null) return { way: 'command', mayAsk: true, proof: null }
  const given = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
  const { token, shim } = secrets
  if (isSame(given, shim.token)) return { way: 'command', mayAsk: true, proof: shim.proof }
  return { way: 'http', mayAsk: isSame(given, token), proof: null }
}

/** In constant time for tokens of any length. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(hashed(given), hashed(token))
}

function hashed(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

interface Payload {
  readonly value: unknown
  /** Why it cannot be judged; null: it can. */
  readonly problem: string | null
}

async function payloadOf(request: http.IncomingMessage): Promise<Payload> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    // What is too large is read to its end, so that the sender hears the answer.
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk)
    else chunks.length = 0
  }
  if (bytes > MAX_BODY_BYTES) return { value: null, problem: TOO_LARGE }
  try {
    return { value: JSON.parse(Buffer.concat(chunks).toString('utf8')), problem: null }
  } catch {
    return { value: null, problem: NOT_JSON }
  }
}

async function inTime<Result>(
  limitMs: () => number,
  work: Promise<Result>,
): Promise<Result | 'too late'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'too late'>((resolve) => {
    const wait = (waited: number) => {
      const limit = limitMs()
      if (limit <= waited) resolve('too late')
      else timer = setTimeout(() => wait(limit), limit - waited)
    }
    wait(0)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
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
