import { expect, test } from 'vitest'
import { instantIn, localIn } from './zoned-time.ts'

const utc = (text: string): number => Date.parse(text)

test.each([
  ['UTC', '2026-11-21T18:00', '2026-11-21T18:00Z'],
  ['winter in Berlin', '2026-11-21T18:00', '2026-11-21T17:00Z', 'Europe/Berlin'],
  ['summer in Berlin', '2026-07-01T18:00', '2026-07-01T16:00Z', 'Europe/Berlin'],
  ['half an hour off UTC', '2026-11-21T18:00', '2026-11-21T12:30Z', 'Asia/Kolkata'],
  ['behind UTC, over midnight', '2026-11-21T20:00', '2026-11-22T01:00Z', 'America/New_York'],
  [
    'the first of two equal hours when the clock goes back',
    '2026-10-25T02:30',
    '2026-10-25T00:30Z',
    'Europe/Berlin',
  ],
  [
    'the hour after a skipped one when the clock goes forward',
    '2026-03-29T02:30',
    '2026-03-29T01:30Z',
    'Europe/Berlin',
  ],
])(
  'a local time is converted to an instant: %s',
  (...[, local = '', expected = '', zone = 'UTC']) => {
    expect(instantIn(local, zone)).toBe(utc(expected))
  },
)

test.each(['', '2026-11-21', 'tomorrow', '2026-13-01T00:00'])(
  'the text %j is rejected as a local time',
  (local) => {
    expect(instantIn(local, 'UTC')).toBeNull()
  },
)

test('an instant is formatted as the local time that parses to it', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'Asia/Kolkata']) {
    const at = utc('2026-11-21T18:00Z')
    expect(instantIn(localIn(at, zone), zone)).toBe(at)
  }
  expect(localIn(utc('2026-11-21T18:00Z'), 'Asia/Kolkata')).toBe('2026-11-21T23:30')
})
