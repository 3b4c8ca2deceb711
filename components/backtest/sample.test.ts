import { expect, it } from 'vitest'
import { DEFAULT_SAMPLE, SAMPLES, sampleOf } from './sample.ts'

const NOW = 1_795_000_000_000

it('reads every sample that is offered, and the default', () => {
  for (const { value } of SAMPLES) expect(sampleOf(value, NOW), value).not.toBeNull()
  expect(sampleOf(DEFAULT_SAMPLE, NOW)).toEqual({ kind: 'last', sessions: 50 })
})

it('reads a range of instants, the end behind the beginning', () => {
  const range = '2026-11-20T10:00Z..2026-11-20T12:00Z'
  expect(sampleOf(range, NOW)).toEqual({
    kind: 'range',
    from: Date.UTC(2026, 10, 20, 10),
    to: Date.UTC(2026, 10, 20, 12),
  })
})

it.each(['', '0', '-5', '5001', 'soon', '2026-11-20T12:00Z..2026-11-20T10:00Z', 'a..b', '1..2..3'])(
  'names no sample: %s',
  (text) => {
    expect(sampleOf(text, NOW)).toBeNull()
  },
)
