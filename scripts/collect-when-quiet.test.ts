import { expect, test } from 'vitest'
import { isWorthCollecting } from './collect-when-quiet.mjs'

const MIB = 1024 * 1024

test('garbage is collected only in a quiet process whose memory has grown', () => {
  const grown = { memory: 300 * MIB, afterLast: 250 * MIB }
  expect(isWorthCollecting({ ...grown, utilization: 0.1 })).toBe(true)
  expect(isWorthCollecting({ ...grown, utilization: 0.5 })).toBe(false)
  expect(isWorthCollecting({ ...grown, utilization: 0.1, afterLast: 270 * MIB })).toBe(false)
})
