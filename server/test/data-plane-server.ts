// The data plane's real handlers on a loopback port, without Next: what a runtime meets, for tests that run one.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { getConfigStream } from '../http/config-stream.ts'
import { getConfig } from '../http/get-config.ts'
import { getKeys } from '../http/get-keys.ts'
import { getHealth } from '../http/health.ts'
import { postHeartbeat } from '../http/heartbeat.ts'
import { postEvents } from '../http/ingest-events.ts'
import { postRegister } from '../http/register.ts'

const ROUTES: { readonly [route: string]: (request: Request) => Promise<Response> } = {
  'GET config': getConfig,
  'GET config/stream': getConfigStream,
  'GET keys': getKeys,
  'POST register': postRegister,
  'POST heartbeat': postHeartbeat,
  'POST events': postEvents,
  'GET /api/health': getHealth,
}

export interface DataPlaneServer {
  readonly port: number
  readonly url: string
  /** Cuts every connection. */
  close(): Promise<void>
}

/** `wanted`: the port of an earlier one, to come back as a restarted server does. */
export async function serveDataPlane(wanted = 0): Promise<DataPlaneServer> {
  const server = http.createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve) => {
    server.listen(wanted, '127.0.0.1', resolve)
  })
  // `listen` on a TCP port, so that the address is never a path.
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function serve(incoming: http.IncomingMessage, outgoing: http.ServerResponse): Promise<void> {
  const path = new URL(incoming.url ?? '/', 'http://server').pathname.replace(
    '/api/runtime/v1/',
    '',
  )
  const handler = ROUTES[`${incoming.method} ${path}`]
  if (handler === undefined) {
    outgoing.writeHead(404).end()
    return
  }
  const gone = new AbortController()
  outgoing.on('close', () => gone.abort())
  const answer = await handler(await requestOf(incoming, gone.signal))
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body === null) outgoing.end()
  // The two ReadableStream types differ in declaration only.
  else Readable.fromWeb(answer.body as never).pipe(outgoing)
}

async function requestOf(incoming: http.IncomingMessage, signal: AbortSignal): Promise<Request> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk))
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers))
    if (typeof value === 'string') headers.set(name, value)
  return new Request(`http://127.0.0.1${incoming.url}`, {
    method: incoming.method ?? 'GET',
    headers,
    signal,
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
  })
}
