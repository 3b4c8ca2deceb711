// What the relay does with each request of the data plane (specs/relay.md). It answers for the control plane only with what that answered
// before, and says "stored" only of what lies flushed on its own disk.
import { isJsonObject, type JsonObject } from '@signalbox/core'
import { HeartbeatRequest, RegisterRequest } from '@signalbox/wire'
import { judgeBatch, MAX_SENT_BYTES } from './event-batch.ts'
import { EventSpool } from './event-spool.ts'
import { Forwarder } from './forwarder.ts'
import { HintFeed, type Listener } from './hint-feed.ts'
import { type KeptAnswer, KeptAnswers, revisionOf } from './kept-answers.ts'
import { KeptRuntimes } from './kept-runtimes.ts'
import { type Door, hashOf, KnownKeys } from './known-keys.ts'
import { Upstream, type UpstreamAnswer } from './upstream.ts'

export interface RelayOptions {
  /** Address of the control plane. */
  readonly upstream: string
  readonly dataDir: string
  /** Bytes of events that may wait on disk; beyond them batches are refused with 429. */
  readonly maxSpoolBytes: number
  /** Keys whose spooled events are forwarded before a runtime comes with them. */
  readonly keys: readonly string[]
  readonly report: (line: string) => void
}

export interface RelayAnswer {
  readonly status: number
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | Buffer
}

export interface RelayRequest {
  readonly secret: string
  /** With its `?`; empty without. */
  readonly query: string
  readonly ifNoneMatch: string | undefined
  readonly contentEncoding: string | undefined
  readonly body: Buffer
}

const RETRY_AFTER_S = '5'
const FULL_RETRY_AFTER_S = '10'
/** Headers of a bundle that runtimes read. */
const KEPT_HEADERS = ['etag', 'content-type', 'signalbox-revision', 'signalbox-signature']

export class Relay {
  readonly #keys: KnownKeys
  readonly #answers: KeptAnswers
  readonly #runtimes: KeptRuntimes
  readonly #spool: EventSpool
  readonly #upstream: Upstream
  readonly #forwarder: Forwarder
  readonly #feeds = new Map<string, HintFeed>()

  constructor({ upstream, dataDir, maxSpoolBytes, keys, report }: RelayOptions) {
    this.#keys = new KnownKeys(dataDir)
    this.#answers = new KeptAnswers(dataDir)
    this.#runtimes = new KeptRuntimes(dataDir)
    this.#spool = new EventSpool(dataDir, maxSpoolBytes)
    this.#upstream = new Upstream(upstream, () => {
      report('the control plane is back')
      this.#onBack().catch((error: unknown) => report(`not all was passed on: ${String(error)}`))
    })
    this.#forwarder = new Forwarder({
      spool: this.#spool,
      keys: this.#keys,
      upstream: this.#upstream,
      report,
    })
    for (const key of keys) this.#keys.hold(key)
    this.#forwarder.wake()
  }

  /** GET config and GET keys: `question` is the path. */
  async answerKept(question: string, request: RelayRequest): Promise<RelayAnswer> {
    const { secret, query, ifNoneMatch } = request
    const asked = `${question}${query}`
    const hash = hashOf(secret)
    const kept = this.#answers.get(hash, asked)
    if (
      kept !== null &&
      // Asked for rarely, and changes without a revision.
      question !== 'keys' &&
      this.#feeds.get(hash)?.isLive === true &&
      this.#keys.isKnown(secret, 'read')
    )
      return served(kept, ifNoneMatch)
    const answer = await this.#fetchKept(secret, asked)
    if (answer !== null) return 'body' in answer ? served(answer, ifNoneMatch) : answer.passed
    if (!this.#keys.isKnown(secret, 'read')) return UNKNOWN_NOW
    this.#welcome(secret)
    const last = this.#answers.get(hash, asked)
    return last === null ? away('Nothing of this is kept here yet.') : served(last, ifNoneMatch)
  }

  /** null: the control plane is away. */
  async #fetchKept(
    secret: string,
    asked: string,
  ): Promise<KeptAnswer | { readonly passed: RelayAnswer } | null> {
    const hash = hashOf(secret)
    const kept = this.#answers.get(hash, asked)
    const etag = kept?.headers['etag']
    const answer = await this.#upstream.send({
      ...{ method: 'GET', path: asked, secret },
      ...(etag === undefined ? {} : { headers: { 'if-none-match': etag } }),
    })
    if (answer === null) return null
    if (answer.status === 304 && kept !== null) {
      await this.#letIn(secret, 'read')
      return kept
    }
    if (answer.status !== 200) return { passed: await this.#refusal(secret, answer) }
    await this.#letIn(secret, 'read')
    const body = answer.body.toString('utf8')
    const fresh = { question: asked, body, headers: pickHeaders(answer.headers) }
    await this.#answers.put(hash, fresh)
    return fresh
  }

  async register(request: RelayRequest): Promise<RelayAnswer> {
    const { secret, body } = request
    const asked = jsonOf(body)
    const answer = await this.#pass('register', request)
    if (answer !== null) {
      const told = answer.status === 200 ? jsonOf(answer.body) : null
      if (asked !== null && told !== null)
        await this.#runtimes.registered(hashOf(secret), asked, told)
      return await this.#passedOn(secret, answer)
    }
    if (!this.#keys.isKnown(secret, 'ingest')) return UNKNOWN_NOW
    this.#welcome(secret)
    if (asked === null || !RegisterRequest.safeParse(asked).success) return UNREADABLE
    const known = await this.#runtimes.registeredWhileAway(hashOf(secret), asked)
    return known === null
      ? away('A runtime that the control plane does not know yet can register when it is back.')
      : json(200, known)
  }

  async heartbeat(request: RelayRequest): Promise<RelayAnswer> {
    const { secret, body } = request
    const answer = await this.#pass('heartbeat', request)
    if (answer !== null) return await this.#passedOn(secret, answer)
    if (!this.#keys.isKnown(secret, 'ingest')) return UNKNOWN_NOW
    this.#welcome(secret)
    const report = jsonOf(body)
    if (report === null || !HeartbeatRequest.safeParse(report).success) return UNREADABLE
    if (!this.#runtimes.isKnown(hashOf(secret), report['runtime_id']))
      return away('This runtime did not register here.')
    this.#runtimes.keepReport(hashOf(secret), report)
    const revision = this.#keptRevision(hashOf(secret))
    return json(200, { desired_revision: revision, server_time: Date.now() })
  }

  async events(request: RelayRequest): Promise<RelayAnswer> {
    const { secret, body, contentEncoding } = request
    const hash = hashOf(secret)
    // What waits goes first, so that the events of a session keep their order.
    if (this.#spool.isEmpty(hash)) {
      const answer = await this.#pass('events', request)
      if (answer !== null) return await this.#passedOn(secret, answer)
    }
    if (!this.#keys.isKnown(secret, 'ingest')) return UNKNOWN_NOW
    this.#welcome(secret)
    const encoding = (contentEncoding ?? 'identity').trim().toLowerCase()
    if (!['gzip', 'x-gzip', 'identity', ''].includes(encoding)) return UNSUPPORTED
    const batch = judgeBatch(body, encoding.endsWith('gzip'))
    if (batch === null) return NO_GZIP
    if (batch.count > 0 && !(await this.#spool.append(hash, batch.lines))) return FULL
    this.#forwarder.wake()
    return json(200, {
      acked_through: batch.through,
      gaps: [],
      errors: batch.refusals.map((refusal) => ({ ...refusal })),
      stored: batch.count,
      duplicates: 0,
      relayed: true,
    })
  }

  /** Joins the hints of the key. null: it is not let in; an answer says why. */
  async listen(
    request: RelayRequest,
    listener: Listener,
  ): Promise<{ readonly leave: () => void } | RelayAnswer> {
    const { secret } = request
    // Runtimes of one key may read different parts of a bundle; any of them says the revision.
    const asked = this.#answers.questions(hashOf(secret)).find((one) => one.startsWith('config'))
    const query = asked?.slice('config'.length) ?? ''
    const answer = await this.answerKept('config', { ...request, query, ifNoneMatch: undefined })
    if (answer.status !== 200) return answer
    const hash = hashOf(secret)
    const leave = this.#feedOf(secret).join(listener)
    const revision = answer.headers?.['signalbox-revision'] ?? '0'
    listener.send(`event: revision\nid: ${revision}\ndata: {"revision":${revision}}\n\n`)
    return { leave: () => (this.#feeds.has(hash) ? leave() : undefined) }
  }

  /** Highest revision that is kept for the key; 0 when there is none. */
  #keptRevision(hash: string): number {
    const revisions = this.#answers.questions(hash).map((asked) => {
      const kept = this.#answers.get(hash, asked)
      return kept === null ? 0 : (revisionOf(kept) ?? 0)
    })
    return Math.max(0, ...revisions)
  }

  #feedOf(secret: string): HintFeed {
    const hash = hashOf(secret)
    const known = this.#feeds.get(hash)
    if (known !== undefined) return known
    const feed = new HintFeed({
      upstream: this.#upstream,
      secret,
      refresh: async () => {
        // The records first: a bundle may be of a key that only they lead to, and nobody may be there to ask for them later.
        const questions = new Set(['keys', ...this.#answers.questions(hash)])
        for (const asked of questions) await this.#fetchKept(secret, asked)
      },
      refused: () => void this.#keys.refused(secret).catch(() => undefined),
      closed: () => this.#feeds.delete(hash),
    })
    this.#feeds.set(hash, feed)
    return feed
  }

  health(): JsonObject {
    const { awaySince } = this.#upstream
    return {
      status: 'ok',
      control_plane: awaySince === null ? 'there' : 'away',
      away_since: awaySince,
      spooled_batches: this.#spool.batches,
      spooled_bytes: this.#spool.bytes,
      waiting_for_key: this.#spool.waiting().filter((hash) => this.#keys.secretOf(hash) === null)
        .length,
    }
  }

  async close(): Promise<void> {
    for (const feed of [...this.#feeds.values()]) feed.stop()
    await this.#forwarder.stop()
    this.#upstream.stop()
  }

  #pass(path: 'register' | 'heartbeat' | 'events', request: RelayRequest) {
    const { secret, body, contentEncoding } = request
    const type = path === 'events' ? 'application/x-ndjson' : 'application/json'
    return this.#upstream.send({
      ...{ method: 'POST', path, secret, body },
      headers: {
        'content-type': type,
        ...(contentEncoding === undefined ? {} : { 'content-encoding': contentEncoding }),
      },
    })
  }

  async #passedOn(secret: string, answer: UpstreamAnswer): Promise<RelayAnswer> {
    if (answer.status !== 200) return await this.#refusal(secret, answer)
    await this.#letIn(secret, 'ingest')
    return { status: 200, headers: pickHeaders(answer.headers), body: answer.body }
  }

  async #refusal(secret: string, answer: UpstreamAnswer): Promise<RelayAnswer> {
    if (answer.status === 401) {
      await this.#keys.refused(secret)
      this.#answers.drop(hashOf(secret))
      this.#feeds.get(hashOf(secret))?.stop()
    }
    return { status: answer.status, headers: pickHeaders(answer.headers), body: answer.body }
  }

  async #letIn(secret: string, door: Door): Promise<void> {
    const isNew = this.#keys.secretOf(hashOf(secret)) === null
    await this.#keys.letIn(secret, door)
    if (isNew) this.#forwarder.wake()
  }

  /** A known key came while the control plane is away: what waits for it can go when that is back. */
  #welcome(secret: string): void {
    this.#keys.hold(secret)
  }

  async #onBack(): Promise<void> {
    this.#forwarder.wake()
    for (const { hash, request } of this.#runtimes.untold())
      await this.#tell('register', hash, request)
    const now = Date.now()
    for (const { hash, report, at } of this.#runtimes.takeReports(now)) {
      // The runtime's clock went on meanwhile, as ours did.
      const then = report['now']
      await this.#tell('heartbeat', hash, {
        ...report,
        now: (typeof then === 'number' ? then : 0) + (now - at),
      })
    }
  }

  async #tell(path: 'register' | 'heartbeat', hash: string, value: JsonObject): Promise<void> {
    const secret = this.#keys.secretOf(hash)
    if (secret === null) return
    const body = Buffer.from(JSON.stringify(value))
    const headers = { 'content-type': 'application/json' }
    const answer = await this.#upstream.send({ method: 'POST', path, secret, headers, body })
    const told = answer?.status === 200 ? jsonOf(answer.body) : null
    if (path === 'register' && told !== null) await this.#runtimes.registered(hash, value, told)
  }
}

function served({ body, headers }: KeptAnswer, ifNoneMatch: string | undefined): RelayAnswer {
  const { etag } = headers
  const known = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (etag !== undefined && known.includes(etag)) return { status: 304, headers }
  return { status: 200, headers, body }
}

function pickHeaders(headers: Headers): { readonly [name: string]: string } {
  const names = [...KEPT_HEADERS, 'retry-after', 'cache-control']
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value] as const]
    }),
  )
}

function jsonOf(body: Buffer): JsonObject | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

function json(status: number, value: object): RelayAnswer {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return { status, headers, body: JSON.stringify(value) }
}

/** RFC 9457, as the server's. */
export function problem(
  { status, title, retryAfter }: { status: number; title: string; retryAfter?: string },
  detail: string,
): RelayAnswer {
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    },
    body: JSON.stringify({ type: 'about:blank', title, status, detail }),
  }
}

function away(detail: string): RelayAnswer {
  return problem(
    { status: 503, title: 'Unavailable', retryAfter: RETRY_AFTER_S },
    `The control plane is away. ${detail}`,
  )
}

const UNKNOWN_NOW = away('This key was not let in before, and nobody can say now whether it may.')
const INVALID = 'Invalid request'
const UNREADABLE = problem(
  { status: 422, title: INVALID },
  'The body does not have the form that this endpoint takes.',
)
const NO_GZIP = problem({ status: 400, title: INVALID }, 'The body is not valid gzip.')
const UNSUPPORTED = problem(
  { status: 415, title: 'Unsupported encoding' },
  'Send the batch as gzip or without content-encoding.',
)
const FULL = problem(
  { status: 429, title: 'Too many requests', retryAfter: FULL_RETRY_AFTER_S },
  'The spool of this relay is full. Send the same batch again later.',
)
export const TOO_LARGE = problem(
  { status: 413, title: 'Too large' },
  `A batch may have ${MAX_SENT_BYTES / (1024 * 1024)} MiB as sent. Send smaller ones.`,
)
