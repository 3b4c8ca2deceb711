// Maps every status of the control plane to one of three kinds of failure (specs/data-plane.md).
import { gzipSync } from 'node:zlib'
import { isJsonObject } from '@signalbox/core'
import {
  type AwaitAnswerRequest,
  AwaitAnswerResponse,
  BUNDLE_PARTS,
  EventsResponse,
  type HeartbeatRequest,
  HeartbeatResponse,
  KeysResponse,
  type RegisterRequest,
  RegisterResponse,
  RevisionResponse,
  type SignedKeyRecord,
  textDigest,
} from '@signalbox/wire'
import { describeError } from '../base/guardrail-error.ts'
import { openNotificationStream } from './notification-stream.ts'

/** `retry`: try again later; `refused`: the request is wrong; `denied`: the API key is not accepted. */
export type Failure = {
  readonly ok: false
  readonly kind: 'retry' | 'refused' | 'denied'
  readonly detail: string
  /** Absent: no answer came, or it could not be parsed. */
  readonly status?: number
  /** From the Retry-After header. Absent: use the back-off. */
  readonly retryAfterMs?: number
}

type Answer<Value> = { readonly ok: true; readonly value: Value } | Failure

export interface FetchedBundle {
  readonly text: string
  readonly signature: string
}

export interface OpenedStream {
  /** null: the server did not accept. */
  readonly body: AsyncIterable<Uint8Array> | null
  /** From the Retry-After header. Absent: use the back-off. */
  readonly retryAfterMs?: number
}

export interface DataPlaneOptions {
  readonly url: string
  readonly apiKey: string
  /** Absent: the global fetch, and node:http for the stream of notifications. */
  readonly fetch?: typeof globalThis.fetch
}

const PARTS = `parts=${BUNDLE_PARTS.join(',')}`
const TIMEOUT_MS = 15_000
/** Limit for Retry-After: a mistyped value must not silence a runtime for a day. */
const LONGEST_RETRY_AFTER_MS = 5 * 60_000

export class DataPlane {
  readonly #options: DataPlaneOptions

  constructor(options: DataPlaneOptions) {
    this.#options = options
  }

  async register(body: RegisterRequest): Promise<Answer<RegisterResponse>> {
    return parsed(await this.#post('register', JSON.stringify(body)), RegisterResponse.safeParse)
  }

  async heartbeat(body: HeartbeatRequest): Promise<Answer<HeartbeatResponse>> {
    return parsed(await this.#post('heartbeat', JSON.stringify(body)), HeartbeatResponse.safeParse)
  }

  async presentBundle(bundle: FetchedBundle): Promise<Answer<RevisionResponse>> {
    return parsed(await this.#post('revision', JSON.stringify(bundle)), RevisionResponse.safeParse)
  }

  /** `lines` is NDJSON. */
  async sendEvents(lines: string, signal: AbortSignal): Promise<Answer<EventsResponse>> {
    const answer = await this.#send('events', {
      method: 'POST',
      body: gzipSync(lines),
      signal,
      headers: { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
    })
    return parsed(answer, EventsResponse.safeParse)
  }

  /** Waits for a reviewer's answer while the server holds the request, at most `hold_ms`. */
  async awaitAnswer(
    question: AwaitAnswerRequest,
    signal: AbortSignal,
  ): Promise<Answer<AwaitAnswerResponse>> {
    const answer = await this.#send('approvals', {
      method: 'POST',
      body: JSON.stringify(question),
      signal,
      headers: { 'content-type': 'application/json' },
      holdMs: question.hold_ms,
    })
    return parsed(answer, AwaitAnswerResponse.safeParse)
  }

  /** null: the current bundle still has this digest. */
  async fetchBundle(digest: string | null): Promise<Answer<FetchedBundle | null>> {
    const headers = digest === null ? {} : { 'if-none-match': `"${digest}"` }
    const answer = await this.#send(`config?${PARTS}`, { headers })
    if (!answer.ok) return answer
    if (answer.value.status === 304) return { ok: true, value: null }
    const signature = answer.value.headers.get('signalbox-signature') ?? ''
    try {
      return { ok: true, value: { text: await answer.value.text(), signature } }
    } catch (error) {
      return unanswered(error)
    }
  }

  /** `digest`: of the response text. */
  async fetchKeys(): Promise<
    Answer<{ readonly records: readonly SignedKeyRecord[]; readonly digest: string }>
  > {
    const answer = await this.#send('keys', { headers: {} })
    if (!answer.ok) return answer
    const text = await answer.value.text().catch(() => '')
    const read = parsedText(text, KeysResponse.safeParse)
    if (!read.ok) return read
    return { ok: true, value: { records: read.value.records, digest: textDigest(text) } }
  }

  async openStream(signal: AbortSignal): Promise<OpenedStream> {
    const headers = { ...this.#authorization(), accept: 'text/event-stream' }
    const address = this.#address(`config/stream?push=bundle&${PARTS}`)
    if (this.#options.fetch !== undefined) {
      const answer = await this.#options.fetch(address, { headers, signal })
      if (answer.ok) return { body: answer.body }
      await answer.body?.cancel()
      return { body: null, ...readRetryAfter(answer.headers.get('retry-after')) }
    }
    const answer = await openNotificationStream(address, { headers, signal })
    if (answer.statusCode === 200) return { body: answer }
    answer.resume()
    return { body: null, ...readRetryAfter(answer.headers['retry-after'] ?? null) }
  }

  #post(path: string, body: string): Promise<Answer<Response>> {
    return this.#send(path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
  }

  async #send(
    path: string,
    { holdMs = 0, ...init }: RequestInit & { headers: Record<string, string>; holdMs?: number },
  ): Promise<Answer<Response>> {
    try {
      const fetch = this.#options.fetch ?? globalThis.fetch
      const timeout = AbortSignal.timeout(TIMEOUT_MS + holdMs)
      const answer = await fetch(this.#address(path), {
        ...init,
        headers: { ...init.headers, ...this.#authorization() },
        signal: init.signal ? AbortSignal.any([timeout, init.signal]) : timeout,
      })
      if (answer.ok || answer.status === 304) return { ok: true, value: answer }
      return await readPlaneFailure(answer)
    } catch (error) {
      return unanswered(error)
    }
  }

  #address(path: string): string {
    return `${this.#options.url.replace(/\/+$/, '')}/api/runtime/v1/${path}`
  }

  #authorization(): Record<string, string> {
    return { authorization: `Bearer ${this.#options.apiKey}` }
  }
}

/** Takes the cause of the error, because fetch reports every lost connection as `fetch failed`. */
function unanswered(error: unknown): Failure {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  return { ok: false, kind: 'retry', detail: describeError(cause) || describeError(error) }
}

async function readPlaneFailure(answer: Response): Promise<Failure> {
  const text = await answer.text().catch(() => '')
  const { status } = answer
  const problem = parsePlaneJson(text)
  const told = isJsonObject(problem) ? problem['detail'] : null
  const detail = `${status} ${(typeof told === 'string' ? told : text).slice(0, 300)}`
  if (status === 401 || status === 403) return { ok: false, kind: 'denied', detail, status }
  if (status === 429 || status === 408 || status >= 500) {
    const retryAfter = readRetryAfter(answer.headers.get('retry-after'))
    return { ok: false, kind: 'retry', detail, status, ...retryAfter }
  }
  return { ok: false, kind: 'refused', detail, status }
}

/** Empty: the header is missing or unreadable. */
function readRetryAfter(header: string | null): { readonly retryAfterMs?: number } {
  const seconds = Number(header)
  if (!(Number.isFinite(seconds) && seconds > 0)) return {}
  return { retryAfterMs: Math.min(seconds * 1000, LONGEST_RETRY_AFTER_MS) }
}

type Parse<Value> = (
  value: unknown,
) =>
  | { readonly success: true; readonly data: Value }
  | { readonly success: false; readonly error: Error }

async function parsed<Value>(
  answer: Answer<Response>,
  parse: Parse<Value>,
): Promise<Answer<Value>> {
  if (!answer.ok) return answer
  return parsedText(await answer.value.text().catch(() => ''), parse)
}

function parsedText<Value>(text: string, parse: Parse<Value>): Answer<Value> {
  const result = parse(parsePlaneJson(text))
  if (result.success) return { ok: true, value: result.data }
  return {
    ok: false,
    kind: 'retry',
    detail: `The response has an unexpected form: ${result.error.message}`,
  }
}

function parsePlaneJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
