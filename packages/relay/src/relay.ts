// In place of the control plane, the relay answers only with its earlier answers, and reports "stored" only for data flushed to its own
// disk.
import { isJsonObject, type JsonObject } from '@signalbox/core'
import {
  EventsResponse,
  HeartbeatRequest,
  HeartbeatsRequest,
  isGzipBatch,
  LONGEST_HOLD_MS,
  RegisterRequest,
} from '@signalbox/wire'
import { AckedSessions } from './acked-sessions.ts'
import { judgeBatch } from './event-batch.ts'
import { EventSpool } from './event-spool.ts'
import { Forwarder } from './forwarder.ts'
import { GatheredHeartbeats } from './gathered-heartbeats.ts'
import { type KeptAnswer, KeptAnswers, readRevision } from './kept-answers.ts'
import { KeptRuntimes } from './kept-runtimes.ts'
import { hashSecret, type KeyScope, KnownKeys } from './known-keys.ts'
import { type Listener, NotificationFeed } from './notification-feed.ts'
import {
  away,
  FULL,
  json,
  NO_GZIP,
  pickHeaders,
  type RelayAnswer,
  STOPPING,
  served,
  TOO_LARGE,
  UNKNOWN_NOW,
  UNREADABLE,
  UNSUPPORTED,
} from './relay-answers.ts'
import { toJsonPost, Upstream, type UpstreamAnswer } from './upstream.ts'

export interface RelayOptions {
  readonly upstream: string
  readonly dataDir: string
  /** Bytes of events that may wait on disk; further batches are refused with 429. */
  readonly maxSpoolBytes: number
  /** Keys whose spooled events are forwarded before a runtime presents them. */
  readonly keys: readonly string[]
  readonly report: (line: string) => void
}

/** `passed`: the control plane refused. null: it is unreachable or failed on this request. */
type Fetched = KeptAnswer | { readonly passed: RelayAnswer } | null

interface SharedFetch {
  /** Never rejects. */
  readonly ended: Promise<void>
  /** For those that asked after the request began; null: none did. */
  next: Promise<Fetched> | null
}

export interface RelayRequest {
  readonly secret: string
  /** Begins with `?`; empty: no query. */
  readonly query: string
  readonly ifNoneMatch: string | undefined
  readonly contentEncoding: string | undefined
  readonly body: Buffer
}

const NOT_FOUND = 404
const FAILED = 500

export class Relay {
  readonly #keys: KnownKeys
  readonly #answers: KeptAnswers
  readonly #runtimes: KeptRuntimes
  readonly #spool: EventSpool
  readonly #acked = new AckedSessions()
  readonly #upstream: Upstream
  readonly #forwarder: Forwarder
  readonly #heartbeats: GatheredHeartbeats
  readonly #feeds = new Map<string, NotificationFeed>()
  readonly #fetches = new Map<string, SharedFetch>()
  #isClosed = false

  constructor({ upstream, dataDir, maxSpoolBytes, keys, report }: RelayOptions) {
    this.#keys = new KnownKeys(dataDir, report)
    this.#answers = new KeptAnswers(dataDir)
    this.#runtimes = new KeptRuntimes(dataDir, report)
    this.#spool = new EventSpool(dataDir, maxSpoolBytes)
    this.#upstream = new Upstream(upstream, () => {
      report('the control plane is back')
      this.#onBack().catch((error: unknown) =>
        report(`not everything was forwarded: ${String(error)}`),
      )
    })
    this.#heartbeats = new GatheredHeartbeats(this.#upstream)
    this.#forwarder = new Forwarder({
      spool: this.#spool,
      keys: this.#keys,
      upstream: this.#upstream,
      report,
    })
    for (const key of keys) this.#keys.hold(key)
    this.#forwarder.wake()
  }

  /** `question` is the path. */
  async answerKept(question: string, request: RelayRequest): Promise<RelayAnswer> {
    const { secret, query, ifNoneMatch } = request
    const asked = `${question}${query}`
    const hash = hashSecret(secret)
    const kept = this.#answers.get(hash, asked)
    this.#answers.touch(hash, asked)
    if (
      kept !== null &&
      // Key records are requested rarely, and change without a revision.
      question !== 'keys' &&
      this.#feeds.get(hash)?.isLive === true &&
      this.#keys.isKnown(secret, 'read')
    )
      return served(kept, ifNoneMatch)
    const answer = await this.#fetchShared(secret, asked)
    if (answer !== null) return 'body' in answer ? served(answer, ifNoneMatch) : answer.passed
    if (!this.#keys.isKnown(secret, 'read')) return UNKNOWN_NOW
    this.#keys.hold(secret)
    const last = this.#answers.get(hash, asked)
    return last === null ? away('The relay has no copy of this yet.') : served(last, ifNoneMatch)
  }

  /** For all runtimes that ask the same at once. A caller gets an answer that was requested after its call. */
  #fetchShared(secret: string, asked: string): Promise<Fetched> {
    const shared = this.#fetches.get(`${hashSecret(secret)} ${asked}`)
    if (shared === undefined) return this.#beginFetch(secret, asked)
    shared.next ??= shared.ended.then(() => this.#beginFetch(secret, asked))
    return shared.next
  }

  #beginFetch(secret: string, asked: string): Promise<Fetched> {
    const name = `${hashSecret(secret)} ${asked}`
    const answer = this.#fetchKept(secret, asked)
    const end = (): void => {
      if (shared.next === null) this.#fetches.delete(name)
    }
    const shared: SharedFetch = { ended: answer.then(end, end), next: null }
    this.#fetches.set(name, shared)
    return answer
  }

  /** null: the control plane is unreachable or fails on this request. */
  async #fetchKept(secret: string, asked: string): Promise<Fetched> {
    const hash = hashSecret(secret)
    const kept = this.#answers.get(hash, asked)
    const etag = kept?.headers['etag']
    const turn = this.#answers.nextTurn()
    const answer = await this.#upstream.send({
      method: 'GET',
      path: asked,
      secret,
      ...(etag === undefined ? {} : { headers: { 'if-none-match': etag } }),
    })
    if (answer === null || answer.status >= FAILED) return null
    if (answer.status === 304 && kept !== null) {
      await this.#letIn(secret, 'read')
      return kept
    }
    if (answer.status !== 200) return { passed: await this.#refusal(secret, answer) }
    await this.#letIn(secret, 'read')
    const body = answer.body.toString('utf8')
    const fresh = { question: asked, body, headers: pickHeaders(answer.headers) }
    await this.#answers.put(hash, fresh, turn)
    return fresh
  }

  async register(request: RelayRequest): Promise<RelayAnswer> {
    const { secret, body } = request
    const asked = parseRelayBody(body)
    const answer = await this.#pass('register', request)
    if (answer !== null) {
      const parsed = answer.status === 200 ? parseRelayBody(answer.body) : null
      if (asked !== null && parsed !== null)
        await this.#runtimes.registered(hashSecret(secret), asked, parsed)
      return await this.#passedOn(secret, answer)
    }
    if (!this.#keys.isKnown(secret, 'ingest')) return UNKNOWN_NOW
    this.#keys.hold(secret)
    if (asked === null || !RegisterRequest.safeParse(asked).success) return UNREADABLE
    const known = await this.#runtimes.registeredWhileAway(hashSecret(secret), asked)
    return known === null
      ? away('A new runtime can register when the control plane is back.')
      : json(200, known)
  }

  async heartbeat(request: RelayRequest): Promise<RelayAnswer> {
    const report = parseRelayBody(request.body)
    if (report !== null && HeartbeatRequest.safeParse(report).success)
      return await this.#report(request.secret, report)
    const answer = await this.#pass('heartbeat', request)
    if (answer !== null) return await this.#reported(request.secret, answer)
    return this.#keys.isKnown(request.secret, 'ingest') ? UNREADABLE : UNKNOWN_NOW
  }

  async heartbeats({ secret, body }: RelayRequest): Promise<RelayAnswer> {
    const parsed = HeartbeatsRequest.safeParse(parseRelayBody(body))
    if (!parsed.success) return UNREADABLE
    const answers = await Promise.all(
      parsed.data.heartbeats.map((report) => this.#report(secret, report)),
    )
    const failed = answers.find(({ status }) => status !== 200 && status !== NOT_FOUND)
    if (failed !== undefined) return failed
    return json(200, {
      answers: answers.map(({ status, body: text }) =>
        status === 200 ? parseRelayBody(Buffer.from(String(text))) : null,
      ),
    })
  }

  async #report(secret: string, report: JsonObject): Promise<RelayAnswer> {
    const answer = await this.#heartbeats.send(secret, report)
    if (answer !== null) return await this.#reported(secret, answer)
    if (!this.#keys.isKnown(secret, 'ingest')) return UNKNOWN_NOW
    this.#keys.hold(secret)
    if (!this.#runtimes.isKnown(hashSecret(secret), report['runtime_id']))
      return away('This runtime has not registered here.')
    this.#runtimes.keepReport(hashSecret(secret), report)
    const revision = this.#keptRevision(hashSecret(secret))
    return json(200, { desired_revision: revision, server_time: Date.now() })
  }

  async events(request: RelayRequest): Promise<RelayAnswer> {
    const { secret, body, contentEncoding } = request
    const hash = hashSecret(secret)
    // Spooled events go first, to keep the events of a session in order.
    if (this.#spool.isEmpty(hash)) {
      const answer = await this.#pass('events', request)
      if (answer !== null) {
        const parsed = EventsResponse.safeParse(parseRelayBody(answer.body))
        if (answer.status === 200 && parsed.success)
          this.#acked.acknowledged(hash, parsed.data.acked_through)
        return await this.#passedOn(secret, answer)
      }
    }
    if (!this.#keys.isKnown(secret, 'ingest')) return UNKNOWN_NOW
    this.#keys.hold(secret)
    const isGzip = isGzipBatch(contentEncoding)
    if (isGzip === null) return UNSUPPORTED
    const batch = await judgeBatch(body, isGzip)
    if (batch === 'bad_gzip') return NO_GZIP
    if (batch === 'too_large') return TOO_LARGE
    if (batch.count > 0 && !(await this.#spool.append(hash, batch.lines))) return FULL
    this.#forwarder.notice(hash)
    return json(200, {
      acked_through: this.#acked.stored(hash, batch.seqs),
      gaps: [],
      errors: batch.refusals.map((refusal) => ({ ...refusal })),
      stored: batch.count,
      duplicates: 0,
      relayed: true,
    })
  }

  /** Approvals cannot be stored: no reviewer can be asked while the control plane is unreachable. */
  async approvals(request: RelayRequest): Promise<RelayAnswer> {
    const answer = await this.#pass('approvals', request)
    if (answer !== null) return await this.#passedOn(request.secret, answer)
    return away('No one can approve a call while the control plane is unreachable.')
  }

  /** Only the control plane can publish a revision above a runtime's bundle. */
  async revision(request: RelayRequest): Promise<RelayAnswer> {
    const answer = await this.#pass('revision', request)
    if (answer !== null) return await this.#passedOn(request.secret, answer)
    return away('A newer bundle can be presented when the control plane is back.')
  }

  /** Subscribes to the notifications of the key. An answer instead of `leave`: the subscription is refused. */
  async listen(
    request: RelayRequest,
    listener: Listener,
  ): Promise<{ readonly leave: () => void } | RelayAnswer> {
    const { secret } = request
    // Runtimes of one key may request different parts of a bundle; each part has the revision.
    const asked = this.#answers
      .questions(hashSecret(secret))
      .find((one) => one.startsWith('config'))
    const query = asked?.slice('config'.length) ?? ''
    const answer = await this.answerKept('config', { ...request, query, ifNoneMatch: undefined })
    if (answer.status !== 200) return answer
    if (this.#isClosed) return STOPPING
    const hash = hashSecret(secret)
    const leave = this.#openFeed(secret).join(listener)
    const revision = answer.headers?.['signalbox-revision'] ?? '0'
    listener.send(`event: revision\nid: ${revision}\ndata: {"revision":${revision}}\n\n`)
    return { leave: () => (this.#feeds.has(hash) ? leave() : undefined) }
  }

  /** Highest revision stored for the key; 0: none. */
  #keptRevision(hash: string): number {
    const revisions = this.#answers.questions(hash).map((asked) => {
      const kept = this.#answers.get(hash, asked)
      return kept === null ? 0 : (readRevision(kept) ?? 0)
    })
    return Math.max(0, ...revisions)
  }

  #openFeed(secret: string): NotificationFeed {
    const hash = hashSecret(secret)
    const known = this.#feeds.get(hash)
    if (known !== undefined) return known
    const feed = new NotificationFeed({
      upstream: this.#upstream,
      secret,
      refresh: () => this.#refresh(secret),
      refused: () => void this.#keys.refused(secret).catch(() => undefined),
      closed: () => this.#feeds.delete(hash),
    })
    this.#feeds.set(hash, feed)
    return feed
  }

  /** True: everything stored for the key is current. */
  async #refresh(secret: string): Promise<boolean> {
    // Key records first: a bundle may be signed by a key that only they introduce, and they may be unavailable later.
    const questions = new Set(['keys', ...this.#answers.questions(hashSecret(secret))])
    for (const asked of questions) {
      const answer = await this.#fetchKept(secret, asked)
      if (answer === null) return false
      // An older control plane has no key records.
      if ('passed' in answer && !(asked === 'keys' && answer.passed.status === NOT_FOUND))
        return false
    }
    return true
  }

  async #reported(secret: string, answer: UpstreamAnswer): Promise<RelayAnswer> {
    this.#compare(hashSecret(secret), answer)
    return await this.#passedOn(secret, answer)
  }

  /** Reopens the stream after a lost notification, which then costs one heartbeat, as without a relay. */
  #compare(hash: string, answer: UpstreamAnswer): void {
    const feed = this.#feeds.get(hash)
    if (answer.status !== 200 || feed?.isLive !== true) return
    const desired = parseRelayBody(answer.body)?.['desired_revision']
    if (typeof desired === 'number' && desired > this.#keptRevision(hash)) feed.again()
  }

  health(): JsonObject {
    const { awaySince } = this.#upstream
    return {
      status: 'ok',
      control_plane: awaySince === null ? 'there' : 'away',
      away_since: awaySince,
      spooled_batches: this.#spool.batches,
      spooled_bytes: this.#spool.bytes,
      set_aside_batches: this.#spool.aside,
      waiting_for_key: this.#spool.waiting().filter((hash) => this.#keys.findSecret(hash) === null)
        .length,
    }
  }

  /** Ends the streams, starts nothing more, and aborts upstream requests after downstream requests have their answers. */
  async close(answered: Promise<void> = Promise.resolve()): Promise<void> {
    this.#isClosed = true
    for (const feed of [...this.#feeds.values()]) feed.stop()
    await Promise.all([this.#forwarder.stop(), answered])
    this.#upstream.stop()
  }

  #pass(
    path: 'register' | 'heartbeat' | 'events' | 'approvals' | 'revision',
    request: RelayRequest,
  ) {
    const { secret, body, contentEncoding } = request
    const type = path === 'events' ? 'application/x-ndjson' : 'application/json'
    return this.#upstream.send({
      method: 'POST',
      path,
      secret,
      body,
      // The control plane keeps the request open until a reviewer decides.
      holdMs: path === 'approvals' ? LONGEST_HOLD_MS : 0,
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
      await this.#answers.drop(hashSecret(secret))
      this.#feeds.get(hashSecret(secret))?.stop()
    }
    return { status: answer.status, headers: pickHeaders(answer.headers), body: answer.body }
  }

  async #letIn(secret: string, scope: KeyScope): Promise<void> {
    const isNew = this.#keys.findSecret(hashSecret(secret)) === null
    await this.#keys.letIn(secret, scope)
    if (isNew) this.#forwarder.wake()
  }

  async #onBack(): Promise<void> {
    this.#heartbeats.tryAgain()
    this.#forwarder.wake()
    // Catches up on notifications whose data could not be fetched.
    for (const feed of this.#feeds.values()) if (!feed.isLive) feed.again()
    for (const { hash, request } of this.#runtimes.listUnsent())
      await this.#registerLate(hash, request)
    const now = Date.now()
    await Promise.all(
      this.#runtimes.takeReports(now).map(async ({ hash, report, at }) => {
        // The runtime's clock advanced by the time that the heartbeat waited.
        const then = report['now']
        const moved = { ...report, now: (typeof then === 'number' ? then : 0) + (now - at) }
        const secret = this.#keys.findSecret(hash)
        if (secret !== null) await this.#heartbeats.send(secret, moved)
      }),
    )
  }

  async #registerLate(hash: string, value: JsonObject): Promise<void> {
    const secret = this.#keys.findSecret(hash)
    if (secret === null) return
    const answer = await this.#upstream.send(toJsonPost('register', secret, value))
    const parsed = answer?.status === 200 ? parseRelayBody(answer.body) : null
    if (parsed !== null) await this.#runtimes.registered(hash, value, parsed)
  }
}

function parseRelayBody(body: Buffer): JsonObject | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}
