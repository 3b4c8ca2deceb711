import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { OnDiagnostic } from '@signalbox/runtime'
import { type McpProxy, type SessionGate, startMcpProxy } from './mcp-proxy.ts'
import type { Transport } from './transport.ts'

export interface HttpProxyOptions {
  readonly connect: () => Transport
  readonly openSession: () => Promise<SessionGate> | SessionGate
  /** Accepted values of the Host header. Absent: loopback addresses. */
  readonly allowedHosts?: readonly string[]
  /** Milliseconds without a request after which a session ends. Absent: 30 minutes. */
  readonly idleMs?: number
  readonly onDiagnostic?: OnDiagnostic
}

export interface HttpProxy {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  close(): Promise<void>
}

interface Connection {
  readonly transport: StreamableHTTPServerTransport
  readonly proxy: McpProxy
  readonly ended: Promise<void>
  seenAt: number
}

const IDLE_MS = 30 * 60_000
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** Each session of the protocol has its own guarded session and its own connection to the MCP server. */
export function httpProxy(options: HttpProxyOptions): HttpProxy {
  return new Connections(options)
}

class Connections implements HttpProxy {
  readonly #options: HttpProxyOptions
  readonly #live = new Map<string, Connection>()
  readonly #sweeper: NodeJS.Timeout

  constructor(options: HttpProxyOptions) {
    this.#options = options
    const { idleMs = IDLE_MS } = options
    this.#sweeper = setInterval(() => this.#endIdle(idleMs), Math.max(1000, idleMs / 4))
    this.#sweeper.unref()
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#answer(request, response)
    } catch (error) {
      this.#report(error)
      if (!response.headersSent)
        refuse(response, 502, 'The MCP server behind this proxy cannot be reached.')
      else response.end()
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper)
    await Promise.all(
      [...this.#live.values()].map(async ({ proxy, ended }) => {
        await proxy.close()
        await ended
      }),
    )
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A web page must not reach a tool server on this machine through its own host name.
    if (!this.#isOurs(request))
      return refuse(response, 403, 'Requests from this origin or host are not allowed.')
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? this.#live.get(id) : undefined
    if (known !== undefined) {
      known.seenAt = performance.now()
      return known.transport.handleRequest(request, response)
    }
    if (id !== undefined) return refuse(response, 404, 'There is no such session.')
    if (request.method !== 'POST')
      return refuse(response, 400, 'The first request must be initialize.')
    const transport = await this.#connect()
    await transport.handleRequest(request, response)
    // A request other than initialize begins no session.
    if (transport.sessionId === undefined) await transport.close()
  }

  #isOurs({ headers }: IncomingMessage): boolean {
    if (headers.origin !== undefined) return false
    const host = headers.host ?? ''
    return this.#options.allowedHosts?.includes(host) ?? LOOPBACK.test(host)
  }

  async #connect(): Promise<StreamableHTTPServerTransport> {
    const { connect, openSession, onDiagnostic } = this.#options
    // Loaded only here, so that a host that proxies streams with another SDK need not install this one.
    const { StreamableHTTPServerTransport } = await import(
      '@modelcontextprotocol/sdk/server/streamableHttp.js'
    )
    const session = await openSession()
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        this.#live.set(id, { transport, proxy, ended, seenAt: performance.now() })
      },
    })
    const proxy = await startMcpProxy({
      client: transport,
      server: connect(),
      gate: session,
      ...(onDiagnostic === undefined ? {} : { onDiagnostic }),
    }).catch(async (error: unknown) => {
      await session.end({ reason: 'failed', error: 'The MCP server could not be reached.' })
      throw error
    })
    const ended = this.#endWith(proxy, { transport, session })
    return transport
  }

  async #endWith(
    proxy: McpProxy,
    of: { readonly transport: StreamableHTTPServerTransport; readonly session: SessionGate },
  ): Promise<void> {
    await proxy.settled
    if (of.transport.sessionId !== undefined) this.#live.delete(of.transport.sessionId)
    await of.session.end({ reason: 'completed' }).catch((error: unknown) => this.#report(error))
    await proxy.closed
  }

  #endIdle(idleMs: number): void {
    const since = performance.now() - idleMs
    for (const { proxy, seenAt } of this.#live.values()) if (seenAt < since) void proxy.close()
  }

  #report(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    this.#options.onDiagnostic?.({ level: 'error', code: 'mcp_proxy_failed', message })
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = { jsonrpc: '2.0', id: null, error: { code: -32000, message } }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
