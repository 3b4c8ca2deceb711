import { expect, it } from 'vitest'
import { DEFAULT_SAMPLE, parseInstants, rangeText, SAMPLES, selectSample } from './sample.ts'

const NOW = 1_795_000_000_000

it('every offered backtest sample and the default one are parsed', () => {
  for (const { value } of SAMPLES) expect(selectSample(value, NOW), value).not.toBeNull()
  expect(selectSample(DEFAULT_SAMPLE, NOW)).toEqual({ kind: 'last', sessions: 50 })
})

it('a time range whose end follows its start is a backtest sample', () => {
  const range = '2026-11-20T10:00Z..2026-11-20T12:00Z'
  expect(selectSample(range, NOW)).toEqual({
    kind: 'range',
    from: Date.UTC(2026, 10, 20, 10),
    to: Date.UTC(2026, 10, 20, 12),
  })
})

it('a saved view is a backtest sample by its id, and a deleted one is rejected', () => {
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

it('a time range that ends before it starts keeps both times in the field, and is no backtest sample', () => {
  const range = { from: NOW, to: NOW - 1 }
  expect(parseInstants(rangeText(range))).toEqual(range)
  expect(selectSample(rangeText(range), NOW)).toBeNull()
  expect(parseInstants('50')).toBeNull()
})

it.each(['', '0', '-5', '5001', 'soon', '2026-11-20T12:00Z..2026-11-20T10:00Z', 'a..b', '1..2..3'])(
  'a text that is not a backtest sample is rejected: %s',
  (text) => {
    expect(selectSample(text, NOW)).toBeNull()
  },
)
