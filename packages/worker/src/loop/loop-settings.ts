import { calibrationProblems, LEASE_DEFAULTS } from '@signalbox/core/lint'
import { GuardrailError } from '@signalbox/runtime/base'

/** The `lease` of a config document. All times are in seconds; an absent time has its default. */
export interface LeaseTimes {
  /** Time for which a received message is hidden from other workers. Default 1800. */
  readonly visibilityTimeout?: number
  /** Time that a handler may take without a beat before it is aborted. Default 720. */
  readonly watchdogThreshold?: number
  /** Maximum expected time for one message; only checked against the other times. Default 600. */
  readonly maxProcessingTime?: number
  /** Duration of the lease after a beat extends it. Default 300. */
  readonly extension?: number
  /** Minimum time between two extensions. Default 60. */
  readonly interval?: number
}

/** Throws `bad_options` with one sentence per violated rule. */
export function loopSettings(times: LeaseTimes): Required<LeaseTimes> {
  const settings = {
    visibilityTimeout: LEASE_DEFAULTS.visibility_timeout,
    watchdogThreshold: LEASE_DEFAULTS.watchdog_threshold,
    maxProcessingTime: LEASE_DEFAULTS.max_processing_time,
    extension: LEASE_DEFAULTS.extension,
    interval: LEASE_DEFAULTS.interval,
    ...times,
  }
  const problems = calibrationProblems({
    visibility_timeout: settings.visibilityTimeout,
    watchdog_threshold: settings.watchdogThreshold,
    max_processing_time: settings.maxProcessingTime,
    extension: settings.extension,
    interval: settings.interval,
  })
  if (problems.length === 0) return settings
  throw new GuardrailError('bad_options', problems.map(({ message }) => message).join('\n'))
}

const STEP_SECONDS = 60
const LONGEST_SECONDS = 900

export function retryDelaySeconds(deliveryCount: number): number {
  return Math.min(STEP_SECONDS * deliveryCount, LONGEST_SECONDS)
}
