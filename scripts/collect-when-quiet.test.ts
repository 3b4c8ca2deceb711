import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { isWorthCollecting } from './collect-when-quiet.mjs'

const MIB = 1024 * 1024

test('garbage is collected only in a quiet process whose memory has grown', () => {
  const grown = { memory: 300 * MIB, afterLast: 250 * MIB }
  expect(isWorthCollecting({ ...grown, utilization: 0.1 })).toBe(true)
  expect(isWorthCollecting({ ...grown, utilization: 0.2 })).toBe(false)
  expect(isWorthCollecting({ ...grown, utilization: 0.1, afterLast: 270 * MIB })).toBe(false)
})

const PROGRAM = `
import { getHeapSpaceStatistics } from 'node:v8'
import { collect } from '${new URL('collect-when-quiet.mjs', import.meta.url).href}'
const youngSize = () => getHeapSpaceStatistics().find((one) => one.space_name === 'new_space').space_size
let kept = []
for (let n = 0; n < 3_000_000; n++) {
  if (n % 300_000 === 0) kept = []
  kept.push({ n })
}
kept = []
const grown = youngSize()
await collect()
console.log(JSON.stringify({ grown, left: youngSize() }))
`

test('collecting returns the room of the young generation, not only what is in it', () => {
  const flags = ['--max-semi-space-size=64', '--input-type=module', '--eval', PROGRAM]
  const { grown, left } = JSON.parse(execFileSync(process.execPath, flags, { encoding: 'utf8' }))
  expect(grown).toBeGreaterThan(30 * MIB)
  expect(left).toBeLessThan(grown / 8)
})
