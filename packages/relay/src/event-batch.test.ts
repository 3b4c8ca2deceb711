import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { judgeBatch } from './event-batch.ts'

const MIB = 1024 * 1024

test('a batch of empty lines is decompressed only up to the last line read', async () => {
  // More than a batch may have: inflated whole, it would be too large.
  const bomb = gzipSync(Buffer.alloc(65 * MIB, '\n'))
  expect(await judgeBatch(bomb, true)).toMatchObject({
    count: 0,
    refusals: [{ line: 20_001, code: 'too_many_lines' }],
  })
})

test('a batch that decompresses beyond the limit is too_large, and invalid gzip is bad_gzip', async () => {
  expect(await judgeBatch(gzipSync(Buffer.alloc(65 * MIB, 'x')), true)).toBe('too_large')
  expect(await judgeBatch(Buffer.from('plain'), true)).toBe('bad_gzip')
  expect(await judgeBatch(gzipSync('{}').subarray(0, 8), true)).toBe('bad_gzip')
})
