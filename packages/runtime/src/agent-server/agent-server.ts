// The agent protocol over HTTP (specs/agent-protocol.md). Every answer that allows something comes from a GuardedSession; whatever fails
// is refused with a status that makes the client deny.
import { createHash } from 'node:crypto'
import type http from 'node:http'
import {
  type AgentBody,
  type AgentPost,
  agentOpenApi,
  MAX_AGENT_BODY_BYTES,
  parseAgentBody,
} from '@signalbox/wire'
import { describeError } from '../base/guardrail-error.ts'
import { isSameSecret, readBearer, readBody, requestUrl } from '../base/http-server.ts'
import { SDK_VERSION } from '../base/version.ts'
import { AgentProblem } from './agent-problem.ts'
import type { AgentSession, AskedRequest } from './agent-session.ts'
import { type AgentServerOptions, AgentSessions, type Caller } from './agent-sessions.ts'

export interface AgentToken {
  readonly secret: string
  /** Prompts that it may open; null: all of the server. */
  readonly prompts: readonly string[] | null
}

export interface AgentServer {
  /** Number of sessions that have not ended. */
  readonly size: number
  /**
   * Answers the requests of one listener. `tokens` null: whoever can connect may open every prompt, as on a Unix socket of mode 0600, and
   * may prove to share a folder with this process.
   */
  readonly listener: (tokens: readonly AgentToken[] | null) => http.RequestListener
  /** Ends the sessions without a request since `before` (epoch milliseconds), as aborted. */
  readonly endIdle: (before: number) => Promise<void>
  /** Records the stops that clients let through while no server answered; so do `endIdle` and the end of each session. */
  readonly readOverridden: () => Promise<void>
  /** Leaves sessions open. Call it after the listeners are closed. */
  readonly close: () => void
}

export function createAgentServer(options: AgentServerOptions): AgentServer {
  const sessions = new AgentSessions(options)
  const report = (error: unknown) => {
    const message = describeError(error)
    options.onDiagnostic?.({ level: 'error', code: 'agent_request_failed', message })
  }
  return {
    get size() {
      return sessions.size
    },
    listener: (tokens) => (request, response) => {
      serve({ sessions, tokens, request, response, report }).catch((error: unknown) => {
        report(error)
        response.destroy()
      })
    },
    endIdle: (before) => sessions.endIdle(before),
    readOverridden: () => sessions.readOverridden(),
    close: () => sessions.close(),
  }
}

interface Exchange {
  readonly sessions: AgentSessions
  readonly tokens: readonly AgentToken[] | null
  readonly request: http.IncomingMessage
  readonly response: http.ServerResponse
  readonly report: (error: unknown) => void
}

interface Answer {
  readonly status: number
  /** JSON. */
  readonly body: object
  /** Called when the answer was sent, or could not be. Absent: nothing follows. */
  readonly sent?: (wasHeard: boolean) => Promise<void>
}

const BASE = '/agent/v1/'
const SESSION_PATH = /^sessions\/(sess_[A-Za-z0-9]{1,40})(?:\/([a-z-]{1,20}))?$/

const NO_TOKEN = 'Send the token of the daemon as "Authorization: Bearer <token>".'
const NO_PATH = 'There is no such path.'
const NO_METHOD = 'This path has another method.'

type Deciding = (session: AgentSession, text: string) => AskedRequest
type Reporting = (session: AgentSession, text: string) => Promise<void> | void

/** Requests that are decided once, by the last part of their path. */
const DECIDING: ReadonlyMap<string, Deciding> = new Map([
  ['before-tool', (session, text) => session.before(parseBody('before-tool', text))],
  ['after-tool', (session, text) => session.after(parseBody('after-tool', text))],
  ['stop', (session, text) => session.stop(parseBody('stop', text))],
  ['end', (session, text) => session.end(parseBody('end', text))],
] satisfies [AgentPost, Deciding][])

const REPORTING: ReadonlyMap<string, Reporting> = new Map([
  ['plan', (session, text) => session.plan(parseBody('plan', text))],
  ['usage', (session, text) => session.usage(parseBody('usage', text))],
  ['note', (session, text) => session.note(parseBody('note', text))],
  ['beat', (_, text) => void parseBody('beat', text)],
  ['facts', (session, text) => session.answerFacts(parseBody('facts', text))],
] satisfies [AgentPost, Reporting][])

async function serve(exchange: Exchange): Promise<void> {
  const { request, response, report } = exchange
  const closed = new Promise<void>((resolve) => void response.once('close', resolve))
  const answer = await route(exchange).catch((error: unknown) => {
    if (error instanceof AgentProblem) return toProblem(error)
    // A client that left in the middle of its body is no failure.
    if (!response.closed) report(error)
    return FAILED
  })
  // A body that no code read would be taken for the next request.
  request.resume()
  // Node.js counts an answer to a closed connection as written.
  const isGone = response.closed
  send(response, answer)
  await closed
  await answer.sent?.(!isGone && response.writableFinished)
}

async function route(exchange: Exchange): Promise<Answer> {
  const { request, sessions } = exchange
  const { pathname } = requestUrl(request)
  const path = pathname.startsWith(BASE) ? pathname.slice(BASE.length) : ''
  if (path === 'health') return get(exchange, { version: SDK_VERSION, sessions: sessions.size })
  if (path === 'openapi.json') return get(exchange, agentOpenApi(SDK_VERSION))
  const caller = identify(exchange)
  if (path === 'sessions') {
    const body = parseBody('sessions', await readPost(request))
    return { status: 201, body: await sessions.open(body, caller) }
  }
  const [, id, call] = SESSION_PATH.exec(path) ?? []
  if (id === undefined) throw new AgentProblem('path_unknown', NO_PATH)
  if (call === undefined) return get(exchange, (await sessions.find(id, caller)).state)
  const decide = DECIDING.get(call)
  const report = REPORTING.get(call)
  if (decide === undefined && report === undefined) throw new AgentProblem('path_unknown', NO_PATH)
  const text = await readPost(request)
  const ended = call === 'end' ? sessions.findEnd(id, caller.owner) : null
  if (ended !== null) return { status: 200, body: ended }
  const session = await sessions.find(id, caller)
  if (call === 'end') await sessions.readOverridden()
  if (decide !== undefined) return answerDecided(session, decide(session, text))
  await report?.(session, text)
  return { status: 200, body: {} }
}

async function answerDecided(session: AgentSession, asked: AskedRequest): Promise<Answer> {
  const reply = await session.reply(asked)
  return { ...reply, sent: (wasHeard) => session.replied(asked, reply, wasHeard) }
}

function get({ request }: Exchange, body: object): Answer {
  if (request.method === 'GET') return { status: 200, body }
  throw new AgentProblem('method_unknown', NO_METHOD)
}

/** Throws AgentProblem without a valid token. */
function identify({ request, tokens }: Exchange): Caller {
  if (tokens === null) return { owner: 'socket', prompts: null, mayShare: true }
  const given = readBearer(request)
  const token = given === '' ? undefined : tokens.find(({ secret }) => isSameSecret(given, secret))
  if (token === undefined) throw new AgentProblem('unauthenticated', NO_TOKEN)
  const owner = createHash('sha256').update(token.secret).digest('hex').slice(0, OWNER_LENGTH)
  return { owner, prompts: token.prompts, mayShare: false }
}

/** Hexadecimal digits of a hash that names a token and does not reveal it. */
const OWNER_LENGTH = 16

/** Rejects with AgentProblem. */
async function readPost(request: http.IncomingMessage): Promise<string> {
  if (request.method !== 'POST') throw new AgentProblem('method_unknown', NO_METHOD)
  const body = await readBody(request, MAX_AGENT_BODY_BYTES)
  if (body === null) throw new AgentProblem('too_large', 'The body is larger than 8 MiB.')
  return body.toString('utf8')
}

const BODY_PROBLEMS = {
  not_json: 'The body is not JSON.',
  too_deep: 'The body is nested deeper than 64.',
  body_invalid: 'The body is not valid.',
} as const

/** Throws AgentProblem. */
function parseBody<Post extends AgentPost>(post: Post, text: string): AgentBody<Post> {
  const parsed = parseAgentBody(post, text)
  if (parsed.ok) return parsed.body
  throw new AgentProblem(parsed.code, BODY_PROBLEMS[parsed.code], parsed.problems)
}

const FAILED: Answer = {
  status: 500,
  body: {
    type: 'about:blank',
    title: 'Failed',
    status: 500,
    detail: 'The daemon could not answer this request.',
    code: 'failed',
  },
}

function toProblem({ status, code, message, problems }: AgentProblem): Answer {
  const errors = problems.map((each) => ({ pointer: each.pointer, detail: each.message }))
  const body = {
    type: 'about:blank',
    title: 'Refused',
    status,
    detail: message,
    code,
    ...(errors.length === 0 ? {} : { errors }),
  }
  return { status, body }
}

function send(response: http.ServerResponse, { status, body }: Answer): void {
  const text = JSON.stringify(body)
  response
    .writeHead(status, {
      'content-type': status < 400 ? 'application/json' : 'application/problem+json',
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    })
    .end(text)
}
