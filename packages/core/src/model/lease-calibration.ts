import { pointerTo } from './json.ts'
import type { Problem } from './problem.ts'

/** The `lease` field of a config document. All times are in seconds; absent times have defaults. */
export interface LeaseDocument {
  /** Time for which a received message is hidden from other workers before the first extension. */
  readonly visibility_timeout?: number
  /** Time without a beat after which a worker counts as stuck. */
  readonly watchdog_threshold?: number
  /** Longest time that processing one message is expected to take. */
  readonly max_processing_time?: number
  /** Duration of the lease, from the beat that extends it. */
  readonly extension?: number
  /** Shortest time between two extensions. */
  readonly interval?: number
}

/** Seconds. These times fit together; they are those of the example in specs/leases.md. */
export const LEASE_DEFAULTS: Required<LeaseDocument> = {
  visibility_timeout: 1800,
  watchdog_threshold: 720,
  max_processing_time: 600,
  extension: 300,
  interval: 60,
}

const FIELDS = [
  'visibility_timeout',
  'watchdog_threshold',
  'max_processing_time',
  'extension',
  'interval',
] as const

/**
 * Returns the problems of these times: values that are not positive finite numbers, or, if there are none, violations of the rules between
 * the times. Empty: all times fit. `pointer` locates the lease in its document.
 */
export function calibrationProblems(lease: LeaseDocument, pointer = ''): readonly Problem[] {
  const times = { ...LEASE_DEFAULTS, ...lease }
  const broken = FIELDS.filter((field) => !(Number.isFinite(times[field]) && times[field] > 0))
  if (broken.length > 0) return broken.map((field) => notPositive(field, times[field], pointer))
  return listBrokenRules(times).map(({ field, message }) => ({
    pointer: pointerTo(pointer, field),
    code: 'lease_calibration',
    severity: 'error',
    message,
  }))
}

function notPositive(field: string, value: number, pointer: string): Problem {
  const message = `${field} is ${value}, but it must be a number of seconds greater than 0.`
  return {
    pointer: pointerTo(pointer, field),
    code: 'lease_calibration',
    severity: 'error',
    message,
  }
}

interface BrokenRule {
  readonly field: keyof LeaseDocument
  readonly message: string
}

function listBrokenRules(times: Required<LeaseDocument>): readonly BrokenRule[] {
  const { visibility_timeout, watchdog_threshold, max_processing_time, extension, interval } = times
  const broken: BrokenRule[] = []
  const longest = watchdog_threshold + max_processing_time
  if (visibility_timeout <= longest) {
    broken.push({
      field: 'visibility_timeout',
      message: `visibility_timeout (${visibility_timeout} s) must be greater than watchdog_threshold + max_processing_time (${watchdog_threshold} s + ${max_processing_time} s = ${longest} s), or a message is delivered again while its worker still works.`,
    })
  }
  if (extension >= visibility_timeout) {
    broken.push({
      field: 'extension',
      message: `extension (${extension} s) must be less than visibility_timeout (${visibility_timeout} s), or a stuck worker holds its message longer after a beat than without one.`,
    })
  }
  if (interval >= extension / 2) {
    broken.push({
      field: 'interval',
      message: `interval (${interval} s) must be less than half of extension (${extension} s / 2 = ${extension / 2} s), or one late beat lets the lease run out.`,
    })
  }
  return broken
}
