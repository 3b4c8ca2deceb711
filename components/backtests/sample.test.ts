import { expect, it } from 'vitest'
import { DEFAULT_SAMPLE, parseInstants, rangeText, SAMPLES, selectSample } from './sample.ts'

const NOW = 1_795_000_000_000

it('parses every offered sample and the default sample', () => {
  for (const { value } of SAMPLES) expect(selectSample(value, NOW), value).not.toBeNull()
  expect(selectSample(DEFAULT_SAMPLE, NOW)).toEqual({ kind: 'last', sessions: 50 })
})

it('parses a time range whose end follows its start', () => {
  const range = '2026-11-20T10:00Z..2026-11-20T12:00Z'
  expect(selectSample(range, NOW)).toEqual({
    kind: 'range',
    from: Date.UTC(2026, 10, 20, 10),
    to: Date.UTC(2026, 10, 20, 12),
  })
})

it('parses a saved view by its id, and rejects a deleted one', () => {
  const view = {
    kind: 'view',
    id: 'view_1',
    name: 'Denied',
    filter: { verdict: 'denied' },
  } as const
  const { id: _id, ...sample } = view
  expect(selectSample('view_1', NOW, [view])).toEqual(sample)
  expect(selectSample('view_2', NOW, [view])).toBeNull()
})

it('reports both times when a range ends before it starts, and parses its own output', () => {
  const range = { from: NOW, to: NOW - 1 }
  expect(parseInstants(rangeText(range))).toEqual(range)
  expect(selectSample(rangeText(range), NOW)).toBeNull()
  expect(parseInstants('50')).toBeNull()
})

it.each(['', '0', '-5', '5001', 'soon', '2026-11-20T12:00Z..2026-11-20T10:00Z', 'a..b', '1..2..3'])(
  'rejects a text that is not a sample: %s',
  (text) => {
    expect(selectSample(text, NOW)).toBeNull()
  },
)
