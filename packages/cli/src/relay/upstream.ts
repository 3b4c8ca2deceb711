// The control plane, and whether it is there. While it is away requests are not sent one by one into a time-out; one small request tries
// until it answers.

const TIMEOUT_MS = 10_000
const TRY_MS = 1000
/** Answers of a proxy whose server is gone, and of a server that cannot work. */
const FIRST_AWAY = 500

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
}

/**
 * States: there ⇄ away. Away begins with a request that got no answer or one of 500 and above; it ends with an answer of
 * /api/health.
 */
export class Upstream {
  readonly #url: string
  readonly #stopped = new AbortController()
  readonly #onBack: () => void
  #awaySince: number | null = null
  #trying = false

  /** `onBack` is called whenever it is there again. */
  constructor(url: string, onBack: () => void) {
    this.#url = url.replace(/\/+$/, '')
    this.#onBack = onBack
  }

  /** Epoch milliseconds; null: it is there. */
  get awaySince(): number | null {
    return this.#awaySince
  }

  /** null: it is away. */
  async send(request: UpstreamRequest): Promise<UpstreamAnswer | null> {
    if (this.#awaySince !== null) return null
    const { method, path, secret, headers, body } = request
    try {
      const answer = await fetch(`${this.#url}/api/runtime/v1/${path}`, {
        method,
        headers: { ...headers, authorization: `Bearer ${secret}` },
        signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), this.#stopped.signal]),
        ...(body === undefined ? {} : { body: new Uint8Array(body) }),
      })
      const bytes = Buffer.from(await answer.arrayBuffer())
      if (answer.status < FIRST_AWAY)
        return { status: answer.status, headers: answer.headers, body: bytes }
    } catch {
      // No answer: below.
    }
    this.#away()
    return null
  }

  /** The stream of hints; null when it is not given. `status` 0: it is away. */
  async openStream(
    secret: string,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly body: AsyncIterable<Uint8Array> | null }> {
    if (this.#awaySince !== null) return { status: 0, body: null }
    try {
      const answer = await fetch(`${this.#url}/api/runtime/v1/config/stream`, {
        headers: { authorization: `Bearer ${secret}`, accept: 'text/event-stream' },
        signal: AbortSignal.any([signal, this.#stopped.signal]),
      })
      if (answer.ok) return { status: answer.status, body: answer.body }
      await answer.body?.cancel()
      if (answer.status < FIRST_AWAY) return { status: answer.status, body: null }
    } catch {
      if (signal.aborted) return { status: 0, body: null }
    }
    this.#away()
    return { status: 0, body: null }
  }

  stop(): void {
    this.#stopped.abort()
  }

  #away(): void {
    this.#awaySince ??= Date.now()
    if (this.#trying || this.#stopped.signal.aborted) return
    this.#trying = true
    this.#try()
  }

  #try(): void {
    const timer = setTimeout(async () => {
      if (this.#stopped.signal.aborted) return
      if (!(await this.#isHealthy())) return this.#try()
      this.#trying = false
      this.#awaySince = null
      this.#onBack()
    }, TRY_MS)
    timer.unref()
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
