import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { LogText } from './log-text.ts'

test('a long log text built in pieces equals the whole, and other requests run in between', async () => {
  const lines = Array.from({ length: 4 }, (_, index) => `"${index}${'é'.repeat(150_000)}"`)
  const text = new LogText()
  let hadTurn = false
  setImmediate(() => {
    hadTurn = true
  })
  for (const line of lines) await text.add(line)
  expect(hadTurn).toBe(true)
  const whole = lines.map((line) => `${line}\n`).join('')
  const { pieces, digest } = text.end()
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces.join('')).toBe(whole)
  expect(digest).toBe(`sha256:${createHash('sha256').update(whole).digest('hex')}`)
  expect([text.count, text.bytes]).toEqual([4, Buffer.byteLength(whole)])
})
