import { expect, test } from 'vitest'
import { percentText, plural, shareText, timesText } from './count-text.ts'

test.each([
  [0, 'stop', '0 stops'],
  [1, 'stop', '1 stop'],
  [1_000, 'delivery', '1,000 deliveries'],
  [2, 'breach', '2 breaches'],
  [2, 'day', '2 days'],
])('plural formats %i of the noun %s as "%s"', (count, noun, text) => {
  expect(plural(count, noun)).toBe(text)
})

test('percentText has no space, and a decimal only below ten', () => {
  expect([0, 2.44, 9.94, 9.96, 12.6].map(percentText)).toEqual(['0%', '2.4%', '9.9%', '10%', '13%'])
  expect(shareText(1, 4)).toBe('25%')
})

test('timesText formats one time as "once"', () => {
  expect([1, 1_000].map(timesText)).toEqual(['once', '1,000 times'])
})

test('shareText formats a share of a zero total as a dash', () => {
  expect(shareText(0, 0)).toBe('–')
})
