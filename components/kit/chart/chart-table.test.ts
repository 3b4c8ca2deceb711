import { expect, test } from 'vitest'
import { formatChartCsv } from './chart-table.ts'
import { bucketText, computeTicks, rateText } from './chart-words.ts'

test('the CSV file of a chart quotes fields with commas or quotes, and neutralizes formulas', () => {
  const columns = [
    { name: 'rule', isNumber: false },
    { name: 'calls, denied', isNumber: true },
  ]
  const rows = [
    [{ text: 'a "b"' }, { text: '1,284', value: 1284 }],
    [{ text: '=1+1' }, { text: '–', value: null }],
  ]
  expect(formatChartCsv({ columns, rows })).toBe(
    'rule,"calls, denied"\r\n"a ""b""",1284\r\n\'=1+1,\r\n',
  )
})

test('a rate of a chart is shown with its base, and without a percentage when the base is zero', () => {
  expect(rateText(311, 12_940, 'call')).toBe('2.4% of 12,940 calls')
  expect(rateText(1, 1, 'delivery')).toBe('100% of 1 delivery')
  expect(rateText(0, 0, 'delivery')).toBe('no deliveries')
})

test('a chart labels hours in the zone of the reader and days in UTC', () => {
  const at = Date.UTC(2026, 10, 20, 23)
  expect(bucketText(at, 3_600_000, 'Europe/Berlin')).toBe('2026-11-21 00:00 CET, 1 h')
  expect(bucketText(Date.UTC(2026, 10, 20), 86_400_000, 'Europe/Berlin')).toBe('2026-11-20 (UTC)')
})

test('a chart has hour ticks within three days and day ticks beyond, at most twelve', () => {
  const from = Date.UTC(2026, 10, 20)
  const hours = (count: number) => Array.from({ length: count }, (_, i) => from + i * 3_600_000)
  const texts = (count: number, zone: string) =>
    computeTicks(hours(count), 3_600_000, zone).map(({ text }) => text)
  expect(texts(12, 'UTC').slice(0, 3)).toEqual(['Nov 20', '01:00', '02:00'])
  expect(texts(168, 'Europe/Berlin').slice(0, 3)).toEqual(['Nov 21', 'Nov 22', 'Nov 23'])
  expect(texts(168, 'UTC')).toHaveLength(7)
  expect(texts(24, 'UTC').length).toBeLessThanOrEqual(12)
})
