// Implements the data plane (specs/data-plane.md). Decides nothing, and checks only what tests of runtimes need.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { JsonObject } from '@signalbox/core'
import {
  computeDigest,
  derivePublicKey,
  type SessionOrderV1,
  type SignedKeyRecord,
  type SignedSessionOrder,
  signKeyRecord,
  signSessionOrder,
  signText,
  textDigest,
} from '@signalbox/wire'
import { FakeEventStore } from './fake-event-store.ts'

export type DataPlanePath =
  | 'register'
  | 'heartbeat'
  | 'config'
  | 'config/stream'
  | 'events'
  | 'keys'
  | 'approvals'

export interface InjectedFailure {
  readonly status?: number
  /** Seconds, sent as Retry-After. */
  readonly retryAfter?: number
  /** Delay of the answer, milliseconds. */
  readonly delayMs?: number
}

export interface FakeHeartbeat {
  readonly runtime_id: string
  readonly applied: { readonly revision: number; readonly source: string } | null
  readonly rejected: { readonly revision: number; readonly reason: string } | null
  readonly live_sessions: number
  readonly spooled_events: number
  readonly parts?: readonly JsonObject[]
  readonly keys?: readonly string[]
  readonly orders?: true
  readonly moved_sessions?: readonly string[]
  readonly stopping?: true
}

export interface ServedDocument {
  readonly ns: string
  readonly key: string
}

interface Exchange {
  readonly request: http.IncomingMessage
  readonly response: http.ServerResponse
  readonly body: Buffer
}

interface Bundle {
  readonly revision: number
  readonly text: string
}

/** `n`: any byte; the same byte gives the same key. */
export function fakeSeed(n: number): string {
  return Buffer.alloc(32, n).toString('base64url')
}

const SEED = fakeSeed(7)
export const FAKE_PROJECT = 'default'
export const FAKE_API_KEY = `sbx_0123abcd_${'k'.repeat(43)}`

/** Start it with `await plane.start()`, end it with `await plane.stop()`; it keeps its port after a restart. */
export class FakeControlPlane {
  readonly apiKey = FAKE_API_KEY
  readonly #environment: string
  readonly #apiKeys = new Set([`Bearer ${FAKE_API_KEY}`])
  readonly events = new FakeEventStore()
  readonly heartbeats: FakeHeartbeat[] = []
  readonly registrations: JsonObject[] = []
  readonly requests = new Map<DataPlanePath, number>()
  bundlesSent = 0
  readonly #failures = new Map<DataPlanePath, InjectedFailure>()
  /** Open streams; true: the client requested pushed bundles. */
  readonly #streams = new Map<http.ServerResponse, boolean>()
  #server: http.Server | null = null
  #port = 0
  #bundle: Bundle
  #revoked = false
  #seed = SEED
  #records: readonly SignedKeyRecord[] | null = null
  #pollSeconds = 0.05
  /** Answer to every heartbeat; null: like an older server, it gives no orders. */
  #orders: readonly SignedSessionOrder[] | null = null
  #push: ((bundle: object) => object) | null = null

  readonly #heartbeatSeconds: number

  constructor({
    environment = 'dev',
    heartbeatSeconds = 0.1,
  }: { readonly environment?: string; readonly heartbeatSeconds?: number } = {}) {
    this.#environment = environment
    this.#heartbeatSeconds = heartbeatSeconds
    this.#bundle = this.#buildPortableBundle(0, [])
  }

  get publicKey(): string {
    return derivePublicKey(this.#seed)
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async start(): Promise<void> {
    const server = http.createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy())
    })
    this.#server = server
    await new Promise<void>((resolve) => {
      server.listen(this.#port, '127.0.0.1', resolve)
    })
    // The server listens on TCP, so the address is never a path.
    this.#port = (server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    const server = this.#server
    if (server === null) return
    this.#server = null
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  }

  /** Accepts any JSON, so that broken configs can be served. Returns the revision. */
  publish(...documents: readonly ServedDocument[]): number {
    return this.serveRevision(this.#bundle.revision + 1, ...documents)
  }

  publishBeside(document: ServedDocument, parts: object): number {
    const { revision } = this.#bundle
    this.#bundle = this.#buildPortableBundle(revision + 1, [document], parts)
    this.#notifyStreams()
    return revision + 1
  }

  serveRevision(revision: number, ...documents: readonly ServedDocument[]): number {
    this.#bundle = this.#buildPortableBundle(revision, documents)
    this.#notifyStreams()
    return revision
  }

  fail(path: DataPlanePath, failure: InjectedFailure): void {
    this.#failures.set(path, failure)
  }

  recover(path: DataPlanePath): void {
    this.#failures.delete(path)
  }

  revokeKey(): void {
    this.#revoked = true
  }

  acceptKey(apiKey: string): void {
    this.#apiKeys.add(`Bearer ${apiKey}`)
  }

  restoreKey(): void {
    this.#revoked = false
  }

  breakSignature(): void {
    this.#seed = fakeSeed(8)
  }

  /** Serves these key records from now on; before, the server does not know the endpoint. */
  serveKeys(records: readonly SignedKeyRecord[]): void {
    this.#records = records
  }

  /** Answers every heartbeat with these orders from now on. `seed`: private key that signs them; absent: that of the bundles. */
  giveOrders(orders: readonly SessionOrderV1[], seed = this.#seed): void {
    this.#orders = orders.map((order) => signSessionOrder(order, seed))
  }

  #ordersField(): object {
    return this.#orders === null ? {} : { orders: this.#orders }
  }

  /** The seeds are private keys. */
  handOver(previous: string, next: string): void {
    const at = { project: FAKE_PROJECT, createdAt: 1_700_000_000_000 }
    this.#records = [...(this.#records ?? []), signKeyRecord(at, { previous, next })]
  }

  signBy(seed: string): void {
    this.#seed = seed
  }

  /** Digest of the key records; empty, like an older server, until there are records. */
  #keysDigest(): object {
    return this.#records === null ? {} : { keys: textDigest(this.#keysText()) }
  }

  #keysText(): string {
    return JSON.stringify({ records: this.#records ?? [] })
  }

  setPollSeconds(seconds: number): void {
    this.#pollSeconds = seconds
  }

  /** From now on; before, clients are only notified, as by an older server. `harm`: damages a pushed bundle in transit. */
  pushBundles(harm: (bundle: object) => object = (bundle) => bundle): void {
    this.#push = harm
  }

  #notifyStreams(): void {
    for (const [stream, wantsBundles] of this.#streams)
      stream.write(
        wantsBundles && this.#push !== null ? this.#pushed(this.#push) : this.#notification(),
      )
  }

  #notification(): string {
    const { revision, text } = this.#bundle
    const data = JSON.stringify({ revision, digest: textDigest(text) })
    return `event: revision\nid: ${revision}\ndata: ${data}\n\n`
  }

  #pushed(harm: (bundle: object) => object): string {
    const { revision, text } = this.#bundle
    const signature = signText(text, this.#seed)
    const data = JSON.stringify(harm({ revision, digest: textDigest(text), signature, text }))
    return `event: bundle\nid: ${revision}\ndata: ${data}\n\n`
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const path = parsePlanePath(request)
    if (path === null) {
      response.writeHead(404).end()
      return
    }
    this.#requests(path)
    const failure = this.#failures.get(path)
    const body = await collectBody(request)
    if (failure?.delayMs !== undefined) await new Promise((go) => setTimeout(go, failure.delayMs))
    if (failure?.status !== undefined) {
      const { status, retryAfter } = failure
      const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
      problem(response, status, headers)
      return
    }
    if (this.#revoked || !this.#apiKeys.has(request.headers.authorization ?? '')) {
      problem(response, 401, {})
      return
    }
    this.#answer(path, { request, response, body })
  }

  #requests(path: DataPlanePath): void {
    this.requests.set(path, (this.requests.get(path) ?? 0) + 1)
  }

  #answer(path: DataPlanePath, { request, response, body }: Exchange): void {
    switch (path) {
      case 'register':
        this.registrations.push(JSON.parse(body.toString()))
        json(response, this.#registration())
        break
      case 'heartbeat':
        this.heartbeats.push(JSON.parse(body.toString()))
        json(response, {
          desired_revision: this.#bundle.revision,
          server_time: Date.now(),
          ...this.#keysDigest(),
          ...this.#ordersField(),
        })
        break
      case 'keys':
        if (this.#records === null) problem(response, 404, {})
        else response.writeHead(200, { 'content-type': 'application/json' }).end(this.#keysText())
        break
      case 'config':
        this.#serveBundle(request, response)
        break
      case 'config/stream':
        this.#stream(request, response)
        break
      case 'events':
        json(response, this.events.take(gunzipSync(body).toString('utf8')))
        break
      case 'approvals':
        // Stays open: no reviewer ever answers.
        break
      default:
        path satisfies never
    }
  }

  #registration(): object {
    return {
      runtime_id: 'rt_fake',
      project: FAKE_PROJECT,
      environment: this.#environment,
      public_key: this.publicKey,
      server_time: Date.now(),
      poll_seconds: this.#pollSeconds,
      heartbeat_seconds: this.#heartbeatSeconds,
      ...(this.#orders === null ? {} : { orders: true }),
      ...this.#keysDigest(),
    }
  }

  #serveBundle(request: http.IncomingMessage, response: http.ServerResponse): void {
    const { revision, text } = this.#bundle
    const etag = `"${textDigest(text)}"`
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304).end()
      return
    }
    this.bundlesSent += 1
    response.writeHead(200, {
      etag,
      'signalbox-revision': String(revision),
      'signalbox-signature': signText(text, this.#seed),
      'content-type': 'application/json',
    })
    response.end(text)
  }

  #buildPortableBundle(
    revision: number,
    documents: readonly ServedDocument[],
    parts: object = {},
  ): Bundle {
    const configs = documents.map((document) => ({
      ns: document.ns,
      key: document.key,
      version: Math.max(1, revision),
      digest: computeDigest(document),
      document,
      ...parts,
    }))
    const text = JSON.stringify({
      bundle_version: 1,
      project: FAKE_PROJECT,
      environment: this.#environment,
      revision,
      created_at: 1_700_000_000_000,
      configs,
    })
    return { revision, text }
  }

  #stream(request: http.IncomingMessage, response: http.ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(this.#notification())
    this.#streams.set(response, (request.url ?? '').includes('push=bundle'))
    response.on('close', () => this.#streams.delete(response))
  }
}

const PATHS: readonly string[] = [
  'register',
  'heartbeat',
  'config',
  'config/stream',
  'events',
  'keys',
  'approvals',
] satisfies readonly DataPlanePath[]

function isPath(path: string): path is DataPlanePath {
  return PATHS.includes(path)
}

function parsePlanePath(request: http.IncomingMessage): DataPlanePath | null {
  const path = (request.url ?? '').replace('/api/runtime/v1/', '').replace(/\?.*$/, '')
  return isPath(path) ? path : null
}

async function collectBody(request: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

function json(response: http.ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

function problem(
  response: http.ServerResponse,
  status: number,
  headers: { readonly [name: string]: string },
): void {
  response.writeHead(status, { 'content-type': 'application/problem+json', ...headers })
  response.end(
    JSON.stringify({
      type: 'about:blank',
      title: 'Fake failure',
      status,
      detail: 'The test asked for it.',
    }),
  )
}
