import fc from 'fast-check'
import { expect, test } from 'vitest'
import { calibrationProblems, LEASE_DEFAULTS, type LeaseDocument } from './lease-calibration.ts'

test('the default lease times are consistent', () => {
  expect(calibrationProblems({})).toEqual([])
})

const BOUNDARIES: readonly {
  readonly field: keyof LeaseDocument
  readonly breaks: number
  readonly keeps: number
  readonly message: string
}[] = [
  {
    field: 'visibility_timeout',
    breaks: 1320,
    keeps: 1321,
    message:
      'visibility_timeout (1320 s) must be greater than watchdog_threshold + max_processing_time (720 s + 600 s = 1320 s), or a message is delivered again while its worker still works.',
  },
  {
    field: 'extension',
    breaks: 1800,
    keeps: 1799,
    message:
      'extension (1800 s) must be less than visibility_timeout (1800 s), or a stuck worker holds its message longer after a beat than without one.',
  },
  {
    field: 'interval',
    breaks: 150,
    keeps: 149,
    message:
      'interval (150 s) must be less than half of extension (300 s / 2 = 150 s), or one late beat lets the lease run out.',
  },
]

test.each(BOUNDARIES)(
  'the lease time $field is a problem at $breaks s and valid at $keeps s',
  (row) => {
    expect(calibrationProblems({ [row.field]: row.breaks }, '/lease')).toEqual([
      {
        pointer: `/lease/${row.field}`,
        code: 'lease_calibration',
        severity: 'error',
        message: row.message,
      },
    ])
    expect(calibrationProblems({ [row.field]: row.keeps })).toEqual([])
  },
)

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
  'a lease interval of %d seconds is reported as invalid, and as the only problem',
  (interval) => {
    expect(calibrationProblems({ interval }, '/lease')).toEqual([
      {
        pointer: '/lease/interval',
        code: 'lease_calibration',
        severity: 'error',
        message: `interval is ${interval}, but it must be a number of seconds greater than 0.`,
      },
    ])
  },
)

test('lease times have no problem exactly when the three inequalities hold', () => {
  const seconds = fc.integer({ min: 1, max: 4000 })
  const leases = fc.record({
    visibility_timeout: seconds,
    watchdog_threshold: seconds,
    max_processing_time: seconds,
    extension: seconds,
    interval: seconds,
  })
  fc.assert(
    fc.property(leases, (lease) => {
      const holds =
        lease.visibility_timeout > lease.watchdog_threshold + lease.max_processing_time &&
        lease.extension < lease.visibility_timeout &&
        lease.interval < lease.extension / 2
      expect(calibrationProblems(lease).length === 0).toBe(holds)
    }),
  )
})

test('absent lease times are replaced by their defaults', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4000 }), (extension) => {
      expect(calibrationProblems({ extension })).toEqual(
        calibrationProblems({ ...LEASE_DEFAULTS, extension }),
      )
    }),
  )
})
