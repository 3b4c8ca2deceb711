// Sends spooled segments, oldest first, until each is acknowledged. The agent never waits for it.
import type { EventsResponse } from '@signalbox/wire'
import { backoffMs } from './backoff.ts'
import type { DataPlane, Failure } from './data-plane.ts'
import type { OnDiagnostic } from './diagnostic.ts'
import { sleep } from './sleep.ts'
import type { Segment, Spool } from './spool.ts'

const GATHER_MS = 150
/** While the key is refused: it may be restored, and events must not be lost. */
const DENIED_MS = 30_000

/**
 * States: idle (nothing held) → gathering (an event arrived) → sending → idle, or → waiting (a send failed) → sending.
 * Invariant: an event is on disk until the server has stored it or refused it by line.
 */
export class Uploader {
  readonly #spool: Spool
  readonly #plane: DataPlane
  readonly #report: OnDiagnostic
  readonly #stopped = new AbortController()
  #wake: (() => void) | null = null
  readonly #running: Promise<void>

  constructor(parts: {
    readonly spool: Spool
    readonly plane: DataPlane
    readonly report: OnDiagnostic
  }) {
    this.#spool = parts.spool
    this.#plane = parts.plane
    this.#report = parts.report
    this.#running = this.#run()
  }

  /** Called after each append. */
  notice(): void {
    this.#wake?.()
  }

  /** Tries to send what is held within `ms`; what remains stays on disk for the next process. */
  async close(ms: number): Promise<void> {
    for (const until = Date.now() + ms; Date.now() < until; ) {
      const segment = this.#spool.oldest()
      if (segment === null) break
      if (!(await this.#send(segment, 1)).done) await sleep(100, AbortSignal.timeout(ms))
    }
    this.#stopped.abort()
    this.#wake?.()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped
    let attempt = 0
    while (!signal.aborted) {
      const segment = this.#spool.oldest()
      if (segment === null) {
        await this.#untilNoticed()
        await sleep(GATHER_MS, signal)
        continue
      }
      const sent = await this.#send(segment, attempt + 1)
      attempt = sent.done ? 0 : attempt + 1
      if (!sent.done) await sleep(sent.waitMs, signal)
    }
  }

  #untilNoticed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#stopped.signal.aborted) {
        resolve()
        return
      }
      this.#wake = () => {
        this.#wake = null
        resolve()
      }
    })
  }

  async #send(
    segment: Segment,
    attempt: number,
  ): Promise<{ readonly done: boolean; readonly waitMs: number }> {
    if (segment.count === 0) {
      this.#spool.remove(segment)
      return { done: true, waitMs: 0 }
    }
    const answer = await this.#plane.sendEvents(segment.lines)
    if (answer.ok) {
      this.#keepRefused(segment, answer.value)
      this.#spool.remove(segment)
      return { done: true, waitMs: 0 }
    }
    return { done: false, waitMs: this.#waitAfter(answer, attempt) }
  }

  #keepRefused(segment: Segment, answer: EventsResponse): void {
    if (answer.errors.length === 0) return
    const lines = segment.lines.split('\n')
    this.#spool.setAside(answer.errors.map((error) => lines[error.line - 1] ?? ''))
    for (const error of answer.errors) {
      this.#report({
        level: 'error',
        code: 'event_refused',
        message: `The server refused an event: ${error.detail}`,
      })
    }
  }

  #waitAfter(failure: Failure, attempt: number): number {
    if (failure.kind !== 'retry') {
      this.#report({
        level: 'error',
        code: `events_${failure.kind}`,
        message: `Events stay on disk: ${failure.detail}`,
      })
      return DENIED_MS
    }
    if (attempt === 1) {
      this.#report({
        level: 'warning',
        code: 'events_waiting',
        message: `Events wait on disk: ${failure.detail}`,
      })
    }
    return failure.retryAfterMs ?? backoffMs(attempt, Math.random())
  }
}
