// Every route of app/api on a loopback port, without Next: what the command line and scripts meet. Tests only.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { type Endpoint, endpointsOfTree } from './endpoints.ts'

export interface ApiServer {
  readonly url: string
  /** `GET /api/…` of each request that came, in order. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

interface Routed {
  readonly endpoint: Endpoint
  readonly pattern: RegExp
}

function patternOf({ name, method }: Endpoint): RegExp {
  const path = name.slice(method.length + 1).replaceAll(/\[(?:\.\.\.)?(\w+)\]/g, '(?<$1>[^/]+)')
  return new RegExp(`^${method} ${path}$`)
}

export async function serveApi(): Promise<ApiServer> {
  const endpoints = await endpointsOfTree()
  const routes = endpoints.map((endpoint): Routed => ({ endpoint, pattern: patternOf(endpoint) }))
  const asked: string[] = []
  const server = http.createServer((incoming, outgoing) => {
    asked.push(`${incoming.method} ${incoming.url}`)
    serve(routes, incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  // `listen` on a TCP port, so that the address is never a path.
  const { port } = server.address() as AddressInfo
  return {
    asked,
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function serve(
  routes: readonly Routed[],
  incoming: http.IncomingMessage,
  outgoing: http.ServerResponse,
): Promise<void> {
  const url = new URL(incoming.url ?? '/', 'http://127.0.0.1')
  const name = `${incoming.method} ${url.pathname}`
  const found = routes.find(({ pattern }) => pattern.test(name))
  if (found === undefined) {
    outgoing.writeHead(404, { 'content-type': 'text/html' }).end('<h1>404</h1>')
    return
  }
  const params = found.pattern.exec(name)?.groups ?? {}
  const request = await requestOf(incoming, url)
  const answer = await found.endpoint.handler(request, { params: Promise.resolve({ ...params }) })
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body === null) outgoing.end()
  // The two ReadableStream types differ in declaration only.
  else Readable.fromWeb(answer.body as never).pipe(outgoing)
}

async function requestOf(incoming: http.IncomingMessage, url: URL): Promise<Request> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk))
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers))
    if (typeof value === 'string') headers.set(name, value)
  const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }
  return new Request(url, { method: incoming.method ?? 'GET', headers, ...body })
}
