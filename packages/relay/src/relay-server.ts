import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { describeError, endWithAnswers, readErrorCode, requestUrl } from '@signalbox/runtime/base'
import { isGzipBatch, MAX_BATCH_BYTES, MAX_COMPRESSED_BYTES } from '@signalbox/wire'
import { secretIn } from './known-keys.ts'
import { Relay, type RelayOptions, type RelayRequest } from './relay.ts'
import { problem, type RelayAnswer, TOO_LARGE } from './relay-answers.ts'

export interface RelayServerOptions extends RelayOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
}

export interface RunningRelay {
  readonly port: number
  close(): Promise<void>
}

const PREFIX = '/api/runtime/v1/'
const DRAIN_MS = 10_000
/** Node answers a request that does not arrive in time with 408. The longest is a batch of a few MiB. */
const TIMED = { requestTimeout: 30_000, headersTimeout: 10_000, connectionsCheckingInterval: 5_000 }

type Handler = (request: RelayRequest) => Promise<RelayAnswer>

/** The folder is unusable, or the server cannot listen on the address. */
export class RelayError extends Error {}

/** Rejects with RelayError. */
export async function startRelay(options: RelayServerOptions): Promise<RunningRelay> {
  const relay = relayIn(options)
  const handlers: { readonly [route: string]: Handler } = {
    'GET config': (request) => relay.answerKept('config', request),
    'GET keys': (request) => relay.answerKept('keys', request),
    'POST register': (request) => relay.register(request),
    'POST heartbeat': (request) => relay.heartbeat(request),
    'POST heartbeats': (request) => relay.heartbeats(request),
    'POST approvals': (request) => relay.approvals(request),
    'POST revision': (request) => relay.revision(request),
    'POST events': (request) => relay.events(request),
  }
  const server = http.createServer(TIMED, (incoming, outgoing) => {
    serve({ relay, handlers, incoming, outgoing }).catch((error: unknown) => {
      options.report(`a request failed: ${describeError(error)}`)
      if (outgoing.headersSent) outgoing.destroy()
      else write(outgoing, FAILED)
    })
  })
  endWithAnswers(server)
  await listening(server, options).catch(async (error: unknown) => {
    await relay.close()
    throw new RelayError(
      `The relay cannot listen on ${options.host}:${options.port}: ${readErrorCode(error)}.`,
    )
  })
  // A connection was not accepted; open ones continue.
  server.on('error', (error) =>
    options.report(`a connection was not accepted: ${readErrorCode(error)}`),
  )
  // The server listens on TCP, so the address is never a path.
  const { port } = server.address() as AddressInfo
  return {
    port,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
      await relay.close(closed)
      clearTimeout(late)
    },
  }
}

function relayIn(options: RelayServerOptions): Relay {
  try {
    return new Relay(options)
  } catch (error) {
    const why = describeError(error)
    throw new RelayError(`The relay cannot use the folder ${options.dataDir}: ${why}.`)
  }
}

function listening(
  server: http.Server,
  { port, host }: Pick<RelayServerOptions, 'port' | 'host'>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** For example a disk that cannot take a batch: the runtime keeps it. */
const FAILED = problem(
  { status: 503, title: 'Unavailable', retryAfter: '5' },
  'The relay failed. Its log has the reason.',
)
const NO_KEY = problem(
  { status: 401, title: 'Unauthenticated' },
  'Send the API key as "Authorization: Bearer sbx_…".',
)
const NOT_FOUND = problem(
  { status: 404, title: 'Not found' },
  'A relay serves the data plane only.',
)

interface Exchange {
  readonly relay: Relay
  readonly handlers: { readonly [route: string]: Handler }
  readonly incoming: http.IncomingMessage
  readonly outgoing: http.ServerResponse
}

async function serve(exchange: Exchange): Promise<void> {
  const { relay, handlers, incoming, outgoing } = exchange
  const { pathname, search } = requestUrl(incoming)
  if (incoming.method === 'GET' && pathname === '/api/health') {
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
    return write(outgoing, { status: 200, headers, body: JSON.stringify(relay.health()) })
  }
  const path = pathname.startsWith(PREFIX) ? pathname.slice(PREFIX.length) : ''
  const handler = handlers[`${incoming.method} ${path}`]
  const isStream = incoming.method === 'GET' && path === 'config/stream'
  if (handler === undefined && !isStream) return write(outgoing, NOT_FOUND)
  const secret = secretIn(incoming.headers.authorization)
  if (secret === null) return write(outgoing, NO_KEY)
  const body = await readRelayBody(incoming)
  if (body === null) return write(outgoing, TOO_LARGE)
  const request: RelayRequest = {
    secret,
    query: search,
    ifNoneMatch: incoming.headers['if-none-match'],
    contentEncoding: incoming.headers['content-encoding'],
    body,
  }
  if (handler !== undefined) return write(outgoing, await handler(request))
  await stream(exchange, request)
}

async function stream({ relay, outgoing }: Exchange, request: RelayRequest): Promise<void> {
  let isOpen = false
  const open = (): void => {
    if (isOpen) return
    isOpen = true
    outgoing.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
  }
  const joined = await relay.listen(request, {
    send: (text) => {
      open()
      outgoing.write(text)
    },
    end: () => outgoing.end(),
  })
  if (!('leave' in joined)) return write(outgoing, joined)
  if (outgoing.destroyed) joined.leave()
  else outgoing.once('close', joined.leave)
}

/** null: the body exceeds the limit of a batch. It is still read to its end, so that the sender receives the answer. */
async function readRelayBody(incoming: http.IncomingMessage): Promise<Buffer | null> {
  const isGzip = isGzipBatch(incoming.headers['content-encoding'])
  const most = isGzip === true ? MAX_COMPRESSED_BYTES : MAX_BATCH_BYTES
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size <= most) chunks.push(bytes)
    else chunks.length = 0
  }
  return size > most ? null : Buffer.concat(chunks)
}

function write(outgoing: http.ServerResponse, { status, headers, body }: RelayAnswer): void {
  outgoing.writeHead(status, headers)
  outgoing.end(status === 304 ? undefined : body)
}
