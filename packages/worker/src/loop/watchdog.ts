// A handler that blocks the event loop is detected only by the end of its lease (specs/leases.md).
import { LEASE_DEFAULTS } from '@signalbox/core/lint'
import type { OnDiagnostic } from '@signalbox/runtime/base'
import { sleep } from '@signalbox/runtime/base'
import type { Heartbeat } from '../lease/heartbeat.ts'
import { moreThanZero } from '../mailbox/mailbox-settings.ts'

/** Maximum of Node's timers; longer waits are split. */
const LONGEST_SLEEP_MS = 2 ** 31 - 1

export interface Watch {
  readonly thresholdSeconds: number
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Resolves after the threshold without a beat, counted from the call or the latest beat, or when the watch ends. */
export async function untilQuiet(
  heartbeat: Heartbeat,
  { thresholdSeconds, now, signal }: Watch,
): Promise<void> {
  const startedAt = now()
  while (!signal.aborted) {
    const quietMs = now() - (heartbeat.lastBeatAt ?? startedAt)
    const leftMs = thresholdSeconds * 1000 - quietMs
    if (leftMs <= 0) return
    await sleep(Math.min(leftMs, LONGEST_SLEEP_MS), signal)
  }
}

export interface WatchedLoop {
  readonly name: string
  readonly heartbeat: Heartbeat
  /** Seconds without a beat after which the loop is reported. Absent: the watchdog's threshold. */
  readonly thresholdSeconds?: number
}

export interface WatchdogOptions {
  readonly loops: readonly WatchedLoop[]
  /** Default 720. */
  readonly thresholdSeconds?: number
  readonly report: OnDiagnostic
  /** Epoch milliseconds, the clock of the heartbeats; absent: the system's clock. */
  readonly now?: () => number
}

/** Reports each loop without a beat within its threshold, once until it beats again. Ends nothing. */
export class Watchdog {
  readonly #loops: readonly Required<WatchedLoop>[]
  readonly #report: OnDiagnostic
  readonly #now: () => number

  /** Throws `bad_options`. */
  constructor({ loops, thresholdSeconds, report, now = Date.now }: WatchdogOptions) {
    const common = thresholdSeconds ?? LEASE_DEFAULTS.watchdog_threshold
    this.#loops = loops.map((loop) => {
      const own = moreThanZero(loop.thresholdSeconds ?? common, 'thresholdSeconds')
      return { ...loop, thresholdSeconds: own }
    })
    this.#report = report
    this.#now = now
  }

  /** Watches until `signal` is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#loops.map((loop) => this.#watch(loop, signal)))
  }

  async #watch(
    { name, heartbeat, thresholdSeconds }: Required<WatchedLoop>,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      await untilQuiet(heartbeat, { thresholdSeconds, now: this.#now, signal })
      if (signal.aborted) return
      const message = `The loop "${name}" has sent no beat for ${thresholdSeconds} s.`
      this.#report({ level: 'error', code: 'loop_quiet', message })
      await nextBeat(heartbeat, signal)
    }
  }
}

function nextBeat(heartbeat: Heartbeat, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      forget()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const forget = heartbeat.onBeat(end)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
