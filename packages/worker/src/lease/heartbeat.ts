// Has no timer of its own, so a stuck worker looks stuck (specs/leases.md).
import type { OnDiagnostic } from '@signalbox/runtime/base'
import { describeError } from '@signalbox/runtime/base'

type BeatCallback = () => void | Promise<void>

export interface HeartbeatOptions {
  /** Epoch milliseconds; absent: the system's clock. */
  readonly now?: () => number
  /** Called when a callback failed; absent: failures are not reported. */
  readonly report?: OnDiagnostic
}

export class Heartbeat {
  readonly #now: () => number
  readonly #report: OnDiagnostic | undefined
  readonly #callbacks = new Set<{ readonly call: BeatCallback }>()
  #lastBeatAt: number | null = null

  constructor({ now = Date.now, report }: HeartbeatOptions = {}) {
    this.#now = now
    this.#report = report
  }

  /** Epoch milliseconds; null: no beat yet. */
  get lastBeatAt(): number | null {
    return this.#lastBeatAt
  }

  /** Cheap enough to call for every hundredth item of a long iteration. Never throws and never waits. */
  beat(): void {
    this.#lastBeatAt = this.#now()
    for (const { call } of [...this.#callbacks]) this.#notify(call)
  }

  /** Calls `callback` until the returned function is called. A callback that throws or rejects is reported; the others are still called. */
  onBeat(callback: BeatCallback): () => void {
    const entry = { call: callback }
    this.#callbacks.add(entry)
    return () => {
      this.#callbacks.delete(entry)
    }
  }

  #notify(call: BeatCallback): void {
    const failed = (error: unknown) => {
      this.#report?.({
        level: 'error',
        code: 'beat_callback_failed',
        message: `A callback of the heartbeat failed: ${describeError(error)}`,
      })
    }
    try {
      call()?.catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}
