import type { OnDiagnostic } from '@signalbox/runtime'
import { readErrorCode } from '@signalbox/runtime/base'

const LONGEST_SWEEP_MS = 60_000

export interface IdleSweep {
  /** Milliseconds without a request after which a session ends. */
  readonly idleMs: number
  readonly report: OnDiagnostic
  /** Ends the sessions without a request since `before`, epoch milliseconds. */
  readonly endIdle: (before: number) => Promise<unknown>
}

/** Sweeps now and from time to time; returns the function that stops it. */
export function sweepIdle({ idleMs, report, endIdle }: IdleSweep): () => void {
  const sweep = () => {
    endIdle(Date.now() - idleMs).catch((error: unknown) =>
      report({ level: 'error', code: 'idle_not_ended', message: readErrorCode(error) }),
    )
  }
  sweep()
  const timer = setInterval(sweep, Math.min(LONGEST_SWEEP_MS, idleMs))
  timer.unref()
  return () => clearInterval(timer)
}
