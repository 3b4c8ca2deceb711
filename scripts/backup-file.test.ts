import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, expect, test } from 'vitest'
import { ByteReader, openBackup, sealing } from './backup-file.mjs'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-sealed-'))
const file = path.join(folder, 'sealed')
const PASSPHRASE = 'correct horse battery'
const ABOUT = { createdAt: '2026-11-23T12:00:00.000Z', migrations: ['0001_init'] }
/** Two whole chunks and a part of a third. */
const CONTENT = randomBytes(2 * 256 * 1024 + 100)

afterAll(() => fs.rmSync(folder, { recursive: true }))

async function seal(content: readonly Buffer[]): Promise<void> {
  await pipeline(
    Readable.from(content),
    sealing(ABOUT, PASSPHRASE),
    fs.createWriteStream(file, { flush: true }),
  )
}

async function opened(): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const bytes of openBackup(file, PASSPHRASE).content()) parts.push(bytes)
  return Buffer.concat(parts)
}

async function pieces(): Promise<readonly Buffer[]> {
  const bytes = fs.readFileSync(file)
  const begin = bytes.indexOf('\n') + 1
  const reader = new ByteReader(Readable.from([bytes.subarray(begin)]))
  const found = [bytes.subarray(0, begin)]
  while (!(await reader.isAtEnd())) {
    const length = (await reader.take(4)) ?? Buffer.alloc(0)
    found.push(Buffer.concat([length, (await reader.take(length.readUInt32BE())) ?? length]))
  }
  return found
}

test.each([
  ['many pieces', Array.from({ length: 5000 }, (_, i) => CONTENT.subarray(i * 100, i * 100 + 100))],
  ['exactly one chunk', [CONTENT.subarray(0, 256 * 1024)]],
  ['nothing', []],
])(
  'a backup file that was sealed in chunks opens with its whole content: %s',
  async (_, content) => {
    await seal(content)
    expect((await opened()).equals(Buffer.concat(content))).toBe(true)
  },
)

test('a backup file whose chunks are missing, swapped or from another file is refused', async () => {
  await seal([CONTENT])
  const [head, a, b, c] = await pieces()
  await seal([CONTENT])
  const [, , other] = await pieces()
  if (!head || !a || !b || !c || !other) throw new Error('The file has other chunks than expected.')
  const outcomes: string[] = []
  for (const chunks of [
    [a, b],
    [a, c],
    [b, a, c],
    [a, other, c],
  ]) {
    fs.writeFileSync(file, Buffer.concat([head, ...chunks]))
    const outcome = await opened().then(
      () => 'whole',
      (error: unknown) => String(error).replace(/^.*cannot be used: /, ''),
    )
    outcomes.push(outcome)
  }
  const early = 'it ends early, so a part of it is missing.'
  const harmed = 'it is damaged.'
  expect(outcomes).toEqual([early, harmed, harmed, harmed])
})
