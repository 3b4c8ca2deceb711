import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Relay, type RelayOptions, type RelayRequest } from '../relay.ts'

export interface Asked {
  /** Method and path, for example `GET config?parts=1`, with the query. */
  readonly route: string
  /** Decompressed. */
  readonly body: string
  readonly response: http.ServerResponse
}

/** null: the fake control plane's usual answer. */
export type Answer = {
  readonly status: number
  readonly body?: string
  readonly headers?: { readonly [name: string]: string }
} | null

export const KEY = `sbx_0123abcd_${'k'.repeat(43)}`

export class RelayLab {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-relay-lab-'))
  readonly asked: string[] = []
  readonly lines: string[] = []
  revision = 1
  readonly #answer: (asked: Asked) => Answer
  readonly #server: http.Server
  readonly #streams = new Set<http.ServerResponse>()
  readonly #relays: Relay[] = []

  constructor(answer: (asked: Asked) => Answer = () => null) {
    this.#answer = answer
    this.#server = http.createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy())
    })
  }

  async listen(): Promise<void> {
    if (this.#server.listening) return
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  async start(options: Partial<RelayOptions> = {}): Promise<Relay> {
    await this.listen()
    const relay = new Relay({
      upstream: this.url,
      dataDir: this.folder,
      maxSpoolBytes: 64 * 1024 * 1024,
      keys: [],
      report: (line) => this.lines.push(line),
      ...options,
    })
    this.#relays.push(relay)
    return relay
  }

  get url(): string {
    // The server listens on TCP, so the address is never a path.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  release(): void {
    this.revision += 1
    for (const stream of this.#streams) stream.write(this.#notification())
  }

  async end(): Promise<void> {
    for (const relay of this.#relays) await relay.close()
    this.#server.close()
    this.#server.closeAllConnections()
    fs.rmSync(this.folder, { recursive: true, force: true })
  }

  #notification(): string {
    return `event: revision\nid: ${this.revision}\ndata: {"revision":${this.revision}}\n\n`
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const sent = Buffer.concat(chunks)
    const isGzip = request.headers['content-encoding'] === 'gzip'
    const body = (isGzip ? gunzipSync(sent) : sent).toString('utf8')
    const place = (request.url ?? '').replace('/api/runtime/v1/', '')
    const route = `${request.method} ${place}`
    this.asked.push(route)
    const answer = this.#answer({ route, body, response })
    if (answer !== null) response.writeHead(answer.status, answer.headers).end(answer.body)
    else if (!response.headersSent) this.#usual(place, body, response)
  }

  #usual(place: string, body: string, response: http.ServerResponse): void {
    const { revision } = this
    if (place === 'config/stream') {
      this.#streams.add(response.on('close', () => this.#streams.delete(response)))
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(this.#notification())
    } else if (place.startsWith('config'))
      response
        .writeHead(200, { etag: `"${revision}"`, 'signalbox-revision': String(revision) })
        .end(`bundle ${revision}`)
    else if (place === 'events') {
      const stored = body.split('\n').filter((line) => line !== '').length
      const rest = { acked_through: {}, gaps: [], errors: [], duplicates: 0 }
      response.writeHead(200).end(JSON.stringify({ ...rest, stored }))
    } else if (place === 'heartbeat')
      response.writeHead(200).end(JSON.stringify({ desired_revision: revision, server_time: 1 }))
    else response.writeHead(200).end('{}')
  }
}

export function buildRequest(body: string | Buffer = '', secret: string = KEY): RelayRequest {
  const none = { query: '', ifNoneMatch: undefined, contentEncoding: undefined }
  return { ...none, secret, body: Buffer.from(body) }
}
