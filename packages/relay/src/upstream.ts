// While the control plane is unreachable, requests fail at once; one small request is repeated until it succeeds.

const TIMEOUT_MS = 10_000
/** Pause before a health check, doubled after each failed one up to the longest, in milliseconds; half of it is random. */
const FIRST_TRY_MS = 1000
const LONGEST_TRY_MS = 5000
/** States that a relay's own control plane is unreachable. The relay itself works, and a relay below it goes on using it. */
export const RELAY_AWAY = 'signalbox-relay-away'
/** At 500 a server may fail on one request or on all. Higher statuses mean a server that cannot work, or a proxy without its server. */
const FAILED = 500

export interface UpstreamAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
}

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST'
  /** Below /api/runtime/v1/, with its query. */
  readonly path: string
  readonly secret: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: Buffer
  /** Extra time that the answer may take, milliseconds. Absent: 0. */
  readonly holdMs?: number
}

export function toJsonPost(path: string, secret: string, value: object): UpstreamRequest {
  const headers = { 'content-type': 'application/json' }
  return { method: 'POST', path, secret, headers, body: Buffer.from(JSON.stringify(value)) }
}

/**
 * States: reachable ⇄ unreachable. A request without an answer, with one above 500, or with 500 while /api/health fails, makes it
 * unreachable. A healthy server that fails on one request stays reachable for the others. An answer of /api/health makes it reachable.
 */
export class Upstream {
  readonly #url: string
  /** Aborted one by one, because a signal that is joined to a permanent one stays attached to it: measured, 70 bytes each. */
  readonly #open = new Set<AbortController>()
  readonly #onBack: () => void
  #awaySince: number | null = null
  #trying = false
  #isStopped = false

  /** `onBack` is called whenever the control plane becomes reachable. */
  constructor(url: string, onBack: () => void) {
    this.#url = url.replace(/\/+$/, '')
    this.#onBack = onBack
  }

  /** Epoch milliseconds; null: reachable. */
  get awaySince(): number | null {
    return this.#awaySince
  }

  /** null: the control plane is unreachable from here, or from the relay in between. */
  async send(request: UpstreamRequest): Promise<UpstreamAnswer | null> {
    if (this.#awaySince !== null || this.#isStopped) return null
    const { method, path, secret, headers, body, holdMs = 0 } = request
    const cut = new AbortController()
    const late = setTimeout(() => cut.abort(), TIMEOUT_MS + holdMs)
    this.#open.add(cut)
    try {
      const answer = await fetch(`${this.#url}/api/runtime/v1/${path}`, {
        method,
        headers: { ...headers, authorization: `Bearer ${secret}` },
        signal: cut.signal,
        ...(body === undefined ? {} : { body: new Uint8Array(body) }),
      })
      const bytes = Buffer.from(await answer.arrayBuffer())
      if (answer.headers.has(RELAY_AWAY)) return null
      if (await this.#isThere(answer.status))
        return { status: answer.status, headers: answer.headers, body: bytes }
    } catch {
      // Handled below.
    } finally {
      clearTimeout(late)
      this.#open.delete(cut)
    }
    this.#away()
    return null
  }

  /** Opens the stream of notifications. `body` null: the server does not offer it. `status` 0: it is unreachable. */
  async openStream(
    secret: string,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly body: AsyncIterable<Uint8Array> | null }> {
    if (this.#awaySince !== null) return { status: 0, body: null }
    try {
      const answer = await fetch(`${this.#url}/api/runtime/v1/config/stream`, {
        headers: { authorization: `Bearer ${secret}`, accept: 'text/event-stream' },
        signal,
      })
      if (answer.ok) return { status: answer.status, body: answer.body }
      await answer.body?.cancel()
      if (answer.headers.has(RELAY_AWAY)) return { status: 0, body: null }
      if (await this.#isThere(answer.status)) return { status: answer.status, body: null }
    } catch {
      if (signal.aborted) return { status: 0, body: null }
    }
    this.#away()
    return { status: 0, body: null }
  }

  /** Does not end streams; their own signals do. */
  stop(): void {
    this.#isStopped = true
    for (const cut of this.#open) cut.abort()
  }

  #away(): void {
    this.#awaySince ??= Date.now()
    if (this.#trying || this.#isStopped) return
    this.#trying = true
    this.#try(FIRST_TRY_MS)
  }

  #try(pauseMs: number): void {
    const timer = setTimeout(
      async () => {
        if (this.#isStopped) return
        if (!(await this.#isHealthy())) return this.#try(Math.min(LONGEST_TRY_MS, 2 * pauseMs))
        this.#trying = false
        this.#awaySince = null
        this.#onBack()
      },
      pauseMs * (0.5 + 0.5 * Math.random()),
    )
    timer.unref()
  }

  async #isThere(status: number): Promise<boolean> {
    return status < FAILED || (status === FAILED && (await this.#isHealthy()))
  }

  async #isHealthy(): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      const answer = await fetch(`${this.#url}/api/health`, { signal })
      await answer.body?.cancel()
      return answer.ok
    } catch {
      return false
    }
  }
}
