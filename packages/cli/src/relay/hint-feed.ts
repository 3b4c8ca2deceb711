// Hints: one stream from the control plane for each key, however many runtimes listen here with it. While it is open the control plane
// checks the key every ten seconds, so that what is kept for the key may be served without asking again.
import type { Upstream } from './upstream.ts'

/** The control plane shows a sign of life every ten seconds. */
const SILENT_MS = 25_000
const ALIVE_MS = 10_000
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 10_000

export interface Listener {
  readonly send: (text: string) => void
  readonly end: () => void
}

export interface FeedParts {
  readonly upstream: Upstream
  readonly secret: string
  /** A new revision is there: fetches and keeps it before anybody is told. */
  readonly refresh: () => Promise<void>
  /** The key is not let in any more. */
  readonly refused: () => void
  /** Nobody listens any more. */
  readonly closed: () => void
}

/** Ends when the last listener leaves or the key is refused. */
export class HintFeed {
  readonly #parts: FeedParts
  readonly #listeners = new Set<Listener>()
  readonly #stopped = new AbortController()
  readonly #alive: NodeJS.Timeout
  #isLive = false

  constructor(parts: FeedParts) {
    this.#parts = parts
    this.#alive = setInterval(() => this.#tell(': alive\n\n'), ALIVE_MS)
    this.#run().catch(() => this.stop())
  }

  /** The stream is open, and what was kept is what the control plane serves. */
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

  stop(): void {
    if (this.#stopped.signal.aborted) return
    this.#stopped.abort()
    this.#isLive = false
    clearInterval(this.#alive)
    for (const { end } of [...this.#listeners]) end()
    this.#parts.closed()
  }

  #tell(text: string): void {
    for (const { send } of this.#listeners) send(text)
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped
    for (let attempt = 0; !signal.aborted; attempt++) {
      const { status, body } = await this.#parts.upstream.openStream(this.#parts.secret, signal)
      if (status === 401 || status === 403) {
        this.#parts.refused()
        return this.stop()
      }
      if (body !== null) {
        attempt = 0
        await this.#read(body)
      }
      this.#isLive = false
      await pause(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt), signal)
    }
  }

  async #read(body: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    const chunks = body[Symbol.asyncIterator]()
    let text = ''
    try {
      while (!this.#stopped.signal.aborted) {
        const next = await withinTime(chunks.next())
        if (next === null || next.done === true) break
        text += decoder.decode(next.value, { stream: true })
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) await this.#take(block)
      }
    } catch {
      // The stream broke; it is opened again.
    }
    await chunks.return?.().catch(() => undefined)
  }

  async #take(block: string): Promise<void> {
    if (!/^event: \w+$/m.test(block)) return
    if (/^event: revision$/m.test(block)) {
      this.#isLive = false
      await this.#parts.refresh()
      this.#isLive = !this.#stopped.signal.aborted
    }
    this.#tell(`${block}\n\n`)
  }
}

/** null: nothing came for so long that the connection is as good as cut. */
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
