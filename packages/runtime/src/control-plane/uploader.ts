// Sends spooled segments, oldest first, until each is acknowledged. The agent never waits for uploads.
import type { EventsResponse } from '@signalbox/wire'
import { backoffMs, retryMs } from '../base/backoff.ts'
import type { OnDiagnostic } from '../base/diagnostic.ts'
import { describeError } from '../base/guardrail-error.ts'
import { awaitedSleep, sleep } from '../base/sleep.ts'
import type { DataPlane, Failure } from './data-plane.ts'
import type { Segment, Spool } from './spool.ts'

/** Gathers a batch after a pause. Events that arrive during a request form the next batch without a wait. */
const GATHER_MS = 50
/** Pause after the server refused the key or the request. Either may be fixed, and events must not be lost. */
const REFUSED_MS = 30_000
const HURRIED_MS = 200

export interface UploaderParts {
  readonly spool: Spool
  readonly plane: DataPlane
  readonly report: OnDiagnostic
}

/**
 * States: idle (nothing held) → gathering (an event arrived) → sending → idle, or → waiting (a send failed) → sending.
 * `close` skips gathering and shortens waiting until everything is sent or its time is up. Invariant: an event is on disk
 * until the server has stored it or refused its line; offered = acknowledged + held + refused.
 */
export class Uploader {
  readonly #parts: UploaderParts
  readonly #stopped = new AbortController()
  readonly #hurry = new AbortController()
  #wake: (() => void) | null = null
  #lastTrouble: string | null = null
  readonly #running: Promise<void>

  constructor(parts: UploaderParts) {
    this.#parts = parts
    this.#running = this.#run()
  }

  notice(): void {
    this.#wake?.()
  }

  /** Tries to send the spooled events within `ms`; the rest stays on disk for the next process. */
  async close(ms: number): Promise<void> {
    this.#hurry.abort()
    this.#wake?.()
    const done = new AbortController()
    await Promise.race([this.#running, awaitedSleep(ms, done.signal)])
    done.abort()
    this.#stopped.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    for (let attempt = 0; !this.#stopped.signal.aborted; ) {
      const next = await this.#round(attempt + 1)
      if (next === 'closed') return
      attempt = next === 'sent' ? 0 : attempt + 1
    }
  }

  /** Sends one segment, or waits for one. Never rejects: a disk error is retried. */
  async #round(attempt: number): Promise<'sent' | 'failed' | 'closed'> {
    try {
      const segment = this.#parts.spool.oldest()
      if (segment !== null) return await this.#send(segment, attempt)
      if (this.#hurry.signal.aborted) return 'closed'
      await this.#untilNoticed()
      await sleep(GATHER_MS, this.#hurry.signal)
      return 'sent'
    } catch (error) {
      this.#trouble('spool_unreadable', `Events could not be read: ${describeError(error)}`)
      await this.#pause(backoffMs(attempt, Math.random()))
      return 'failed'
    }
  }

  #untilNoticed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = null
        resolve()
      }
    })
  }

  #pause(ms: number): Promise<void> {
    const hurried = this.#hurry.signal.aborted
    return sleep(
      hurried ? Math.min(ms, HURRIED_MS) : ms,
      hurried ? this.#stopped.signal : this.#hurry.signal,
    )
  }

  async #send(segment: Segment, attempt: number): Promise<'sent' | 'failed'> {
    const { spool, plane } = this.#parts
    if (segment.count > 0) {
      const answer = await plane.sendEvents(segment.lines, this.#stopped.signal)
      if (!answer.ok) {
        if (!this.#stopped.signal.aborted) await this.#pause(this.#waitAfter(answer, attempt))
        return 'failed'
      }
      this.#keepRefused(segment, answer.value)
      this.#lastTrouble = null
    }
    spool.remove(segment)
    return 'sent'
  }

  #keepRefused(segment: Segment, answer: EventsResponse): void {
    if (answer.errors.length === 0) return
    const lines = segment.lines.split('\n')
    this.#parts.spool.setAside(answer.errors.map((error) => lines[error.line - 1] ?? ''))
    for (const error of answer.errors) {
      this.#parts.report({
        level: 'error',
        code: 'event_refused',
        message: `The server refused an event: ${error.detail}`,
      })
    }
  }

  #waitAfter(failure: Failure, attempt: number): number {
    this.#trouble(
      failure.kind === 'retry' ? 'events_waiting' : `events_${failure.kind}`,
      `Events wait on disk: ${failure.detail}`,
    )
    if (failure.kind !== 'retry') return REFUSED_MS
    return retryMs(failure, attempt, Math.random())
  }

  #trouble(code: string, message: string): void {
    if (this.#lastTrouble === code) return
    this.#lastTrouble = code
    this.#parts.report({ level: code === 'events_waiting' ? 'warning' : 'error', code, message })
  }
}
