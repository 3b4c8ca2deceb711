import { expect, test } from 'vitest'
import { retryDelaySeconds } from './loop-settings.ts'

test.each([
  [1, 60],
  [2, 120],
  [4, 240],
  [14, 840],
  [15, 900],
  [16, 900],
  [1000, 900],
])('after delivery %i a failed message waits %i s', (deliveryCount, delay) => {
  expect(retryDelaySeconds(deliveryCount)).toBe(delay)
})
