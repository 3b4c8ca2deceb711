// One stream per key. While it is open, the control plane checks the key every ten seconds, so stored answers may be served without a
// request.
import type { Upstream } from './upstream.ts'

/** The control plane sends a keep-alive every ten seconds. */
const SILENT_MS = 25_000
const ALIVE_MS = 10_000
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 10_000

export interface Listener {
  readonly send: (text: string) => void
  readonly end: () => void
}

export interface FeedParts {
  readonly upstream: Pick<Upstream, 'openStream'>
  readonly secret: string
  /** Fetches and stores a new revision before listeners are notified. False: a part could not be fetched. */
  readonly refresh: () => Promise<boolean>
  readonly refused: () => void
  readonly closed: () => void
}

/**
 * States: waiting → opening → live (everything that the stream announced is stored) → waiting, when the stream ends, falls silent, or
 * announces data that cannot be fetched now. The control plane sends its revision at the beginning of each stream, so each attempt retries
 * what the previous one missed. Stops when the last listener leaves, the key is refused, or the relay stops.
 */
export class NotificationFeed {
  readonly #parts: FeedParts
  readonly #listeners = new Set<Listener>()
  readonly #alive: NodeJS.Timeout
  #turn = new AbortController()
  #attempt = 0
  #isLive = false
  #isStopped = false

  constructor(parts: FeedParts) {
    this.#parts = parts
    this.#alive = setInterval(() => this.#notify(': alive\n\n'), ALIVE_MS)
    this.#run().catch(() => this.stop())
  }

  /** True: the stream is open, and the stored data is what the control plane serves. */
  get isLive(): boolean {
    return this.#isLive
  }

  join(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.stop()
    }
  }

  /** Skips the delay of earlier failures. Call when a notification was missed or data can be fetched again. */
  again(): void {
    this.#isLive = false
    this.#attempt = 0
    this.#turn.abort()
  }

  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#isLive = false
    this.#turn.abort()
    clearInterval(this.#alive)
    const listeners = [...this.#listeners]
    // A notification may be in progress, and must not be written to an ended stream.
    this.#listeners.clear()
    for (const { end } of listeners) end()
    this.#parts.closed()
  }

  #notify(text: string): void {
    for (const { send } of this.#listeners) send(text)
  }

  async #run(): Promise<void> {
    for (; !this.#isStopped; this.#attempt++) {
      await this.#open(this.#nextTurn())
      this.#isLive = false
      this.#turn.abort()
      if (this.#isStopped) return
      const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#attempt)
      // Jitter, so that relays that lost the same control plane do not return together.
      await pause(full * (0.5 + 0.5 * Math.random()), this.#nextTurn())
    }
  }

  #nextTurn(): AbortSignal {
    this.#turn = new AbortController()
    return this.#turn.signal
  }

  async #open(turn: AbortSignal): Promise<void> {
    const { status, body } = await this.#parts.upstream.openStream(this.#parts.secret, turn)
    if (status === 401 || status === 403) {
      this.#parts.refused()
      return this.stop()
    }
    if (body !== null) await this.#read(body, turn)
  }

  async #read(body: AsyncIterable<Uint8Array>, turn: AbortSignal): Promise<void> {
    const decoder = new TextDecoder()
    const chunks = body[Symbol.asyncIterator]()
    let text = ''
    try {
      while (!turn.aborted) {
        const next = await withinTime(chunks.next())
        if (next === null || next.done === true) break
        text += decoder.decode(next.value, { stream: true })
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) if (!(await this.#take(block, turn))) return
      }
    } catch {
      // The stream or the disk failed; the stream is opened again.
    }
  }

  /** False: the announced data could not be fetched, and no listener is notified. */
  async #take(block: string, turn: AbortSignal): Promise<boolean> {
    if (!/^event: \w+$/m.test(block)) return true
    if (/^event: revision$/m.test(block)) {
      this.#isLive = false
      if (!(await this.#parts.refresh()) || turn.aborted) return false
      this.#isLive = true
      this.#attempt = 0
    }
    this.#notify(`${block}\n\n`)
    return true
  }
}

/** null: nothing arrived in time, and the connection counts as cut. */
async function withinTime<Value>(next: Promise<Value>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), SILENT_MS)
  })
  try {
    return await Promise.race([next, late])
  } finally {
    clearTimeout(timer)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
