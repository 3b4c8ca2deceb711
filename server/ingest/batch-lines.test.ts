import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { readLines } from './batch-lines.ts'

const CHUNK_BYTES = 16 * 1024

test('a large body is decompressed chunk by chunk without piling up listeners', async () => {
  const warnings: string[] = []
  const onWarning = ({ name }: Error): number => warnings.push(name)
  process.on('warning', onWarning)
  onTestFinished(() => {
    process.off('warning', onWarning)
  })
  const lines = Array.from({ length: 40 }, () => randomBytes(12 * 1024).toString('base64'))
  const body = gzipSync(`${lines.join('\n')}\n`)
  const count = Math.ceil(body.length / CHUNK_BYTES)
  const chunks = Array.from({ length: count }, (_, at) =>
    body.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES),
  )
  expect(count).toBeGreaterThan(20)
  const read = await readLines(chunks, true)
  expect(read.ok && read.lines.map(({ text }) => text)).toEqual(lines)
  // Warnings are emitted in a later turn.
  await wait(10)
  expect(warnings).toEqual([])
})
