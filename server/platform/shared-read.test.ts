import { expect, test } from 'vitest'
import { sharedRead } from './shared-read.ts'

function source() {
  let value = 0
  const open: (() => void)[] = []
  let reads = 0
  const read = sharedRead((key: string) => {
    reads += 1
    const seen = `${key}${value}`
    return new Promise<string>((resolve) => {
      open.push(() => resolve(seen))
    })
  })
  return {
    read,
    change: () => {
      value += 1
    },
    async answer() {
      open.shift()?.()
      for (let i = 0; i < 5; i++) await Promise.resolve()
    },
    reads: () => reads,
  }
}

test('callers that arrive during a read share the next read, which sees earlier changes', async () => {
  const { read, change, answer, reads } = source()
  const first = read('a')
  change()
  const later = [read('a'), read('a'), read('a')]
  await answer()
  expect(await first).toBe('a0')
  await answer()
  expect(await Promise.all(later)).toEqual(['a1', 'a1', 'a1'])
  expect(reads()).toBe(2)
  const last = read('a')
  await answer()
  expect(await last).toBe('a1')
  expect(reads()).toBe(3)
})

test('shared reads under different keys do not wait for each other', async () => {
  const { read, answer } = source()
  const [one, other] = [read('a'), read('b')]
  await answer()
  await answer()
  expect([await one, await other]).toEqual(['a0', 'b0'])
})

test('a failed read fails for all callers that shared it, and is repeated for the next caller', async () => {
  let fails = true
  const read = sharedRead(async (key) => {
    if (fails) throw new Error('away')
    return key
  })
  const asked = [read('a'), read('a')]
  for (const one of asked) await expect(one).rejects.toThrow('away')
  fails = false
  expect(await read('a')).toBe('a')
})
