import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BatchLines, isGzipBatch } from './batch-lines.ts'

const encodeText = (text: string) => new TextEncoder().encode(text)

function read(...chunks: readonly Uint8Array[]): BatchLines {
  const batch = new BatchLines()
  for (const chunk of chunks) batch.push(chunk)
  batch.end()
  return batch
}

it('BatchLines returns the same numbered lines for any split into chunks', () => {
  const text = fc
    .array(fc.constantFrom('a', 'é', '\n', ' ', '\r', '{}', '🙂'))
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, fc.nat(), (batch, at) => {
      const bytes = encodeText(batch)
      const cut = at % (bytes.length + 1)
      const expected = batch
        .split('\n')
        .map((line, index) => ({ number: index + 1, text: line.trim() }))
        .filter((line) => line.text !== '')
      expect(read(bytes.subarray(0, cut), bytes.subarray(cut)).lines).toEqual(expected)
    }),
  )
})

it('BatchLines skips and reports a line of more than 256 KiB, and continues', () => {
  const long = new Uint8Array(256 * 1024).fill(0x61)
  const { lines, refusals } = read(encodeText('one\n'), long, encodeText('!\nthree'))
  expect(lines).toEqual([
    { number: 1, text: 'one' },
    { number: 3, text: 'three' },
  ])
  expect(refusals).toMatchObject([{ line: 2, code: 'too_long' }])
})

it('BatchLines reads the first 20,000 lines and reports the next one', () => {
  const { lines, refusals } = read(encodeText('x\n'.repeat(20_005)))
  expect(lines).toHaveLength(20_000)
  expect(refusals).toMatchObject([{ line: 20_001, code: 'too_many_lines' }])
})

it('BatchLines reads nothing after the last accepted line', () => {
  const batch = new BatchLines()
  batch.push(encodeText('\n'.repeat(20_000)))
  expect(batch.isFull).toBe(false)
  batch.push(encodeText('\nx\n'))
  batch.push(encodeText('rest'))
  batch.end()
  expect(batch.isFull).toBe(true)
  expect(batch.lines).toEqual([])
  expect(batch.refusals).toMatchObject([{ line: 20_001, code: 'too_many_lines' }])
})

it('isGzipBatch detects gzip, no compression and an unknown compression', () => {
  expect([' GZIP ', 'x-gzip', 'identity', '', null, undefined, 'br'].map(isGzipBatch)).toEqual([
    ...[true, true, false, false, false, false],
    null,
  ])
})
