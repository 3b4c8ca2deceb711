// Notices that a handler no longer beats (specs/leases.md). A handler that blocks the event loop is noticed by its lease alone.
import { LEASE_DEFAULTS } from '@signalbox/core/lint'
import type { OnDiagnostic } from '@signalbox/runtime/base'
import { sleep } from '@signalbox/runtime/base'
import type { Heartbeat } from '../lease/heartbeat.ts'
import { moreThanZero } from '../mailbox/mailbox-settings.ts'

/** Node's timers end here; longer waits are taken in parts. */
const LONGEST_SLEEP_MS = 2 ** 31 - 1

export interface Watch {
  readonly thresholdSeconds: number
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Ends the watch. */
  readonly signal: AbortSignal
}

/** Resolves when no beat has come for the threshold, counted from now before the first one, or when the watch is ended. */
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
  /** Name in reports. */
  readonly name: string
  readonly heartbeat: Heartbeat
  /** Seconds without a beat after which the loop is reported. Absent: the watchdog's. */
  readonly thresholdSeconds?: number
}

export interface WatchdogOptions {
  readonly loops: readonly WatchedLoop[]
  /** Default 720. */
  readonly thresholdSeconds?: number
  readonly report: OnDiagnostic
  /** Epoch milliseconds, the clock of the heartbeats; absent: the system's. */
  readonly now?: () => number
}

/** Reports each loop that has not beaten within its threshold, once until it beats again. It ends nothing. */
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

/** Resolves at the next beat, or when `signal` is aborted. */
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
