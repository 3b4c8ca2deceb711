import { fakeClock } from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import { Deadline } from './deadline.ts'

const START = Date.parse('2026-05-01T12:00:00Z')

describe('Deadline', () => {
  test('reads a date, epoch milliseconds and text with a zone as the same time', () => {
    const { now } = fakeClock(START)
    const instant = START + 60_000
    for (const at of [
      instant,
      new Date(instant),
      '2026-05-01T12:01:00Z',
      '2026-05-01T14:01:00+02:00',
    ]) {
      expect(new Deadline(at, { now }).remaining()).toBe(60_000)
    }
  })

  test.each([
    ['2026-05-01T12:01:00', 'has no time zone'],
    ['2026-05-01', 'has no time zone'],
    ['tomorrowZ', 'is not a point in time'],
    [Number.NaN, 'is not a point in time'],
    [START, 'has passed'],
    [START - 1, 'has passed'],
    [START + 999, 'at least one second'],
  ])('refuses %s', (at, message) => {
    expect(() => new Deadline(at, { now: () => START })).toThrow(message)
  })

  test('computes a remaining time below zero, and counts elapsed time from the start', () => {
    const clock = fakeClock(START)
    const deadline = Deadline.inSeconds(10, { now: clock.now, startedAt: START - 5000 })
    expect([deadline.remaining(), deadline.elapsed(), deadline.passed]).toEqual([
      10_000,
      5000,
      false,
    ])
    clock.advance(12_000)
    expect([deadline.remaining(), deadline.elapsed(), deadline.passed]).toEqual([
      -2000,
      17_000,
      true,
    ])
  })
})
