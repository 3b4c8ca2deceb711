import { expect, onTestFinished, test, vi } from 'vitest'
import { writeTogether } from './write-together.ts'

function writer(
  most = 10,
  more: {
    readonly weigh?: (item: string) => number
    readonly atOnce?: number
    readonly restMs?: number
    readonly calm?: { readonly rests: number; readonly isUrgent: (item: string) => boolean }
    readonly enough?: number
    readonly patienceMs?: number
    readonly pauseMs?: (writeMs: number) => number
  } = {},
) {
  const batches: string[][] = []
  let release = (): void => undefined
  const write = writeTogether<string, string>({
    selectKeys: (item) => [item[0] ?? ''],
    most,
    ...more,
    isOnesFault: (error) => error instanceof RangeError,
    write: async (items) => {
      batches.push([...items])
      if (batches.length === 1)
        await new Promise<void>((resolve) => {
          release = resolve
        })
      if (items.includes('bad')) throw new RangeError('bad')
      if (items.includes('down')) throw new Error('down')
      return items.map((item) => item.toUpperCase())
    },
  })
  return { batches, write, release: () => release() }
}

test('batched writes send the first item immediately and later items together, but a key once per batch', async () => {
  const { batches, write, release } = writer()
  const all = ['a1', 'b1', 'c1', 'b2', 'd1'].map(write)
  release()
  expect(await Promise.all(all)).toEqual(['A1', 'B1', 'C1', 'B2', 'D1'])
  expect(batches).toEqual([['a1'], ['b1', 'c1', 'd1'], ['b2']])
})

test('batched writes hold no more items than the limit', async () => {
  const { batches, write, release } = writer(2)
  const all = ['a', 'b', 'c', 'd'].map(write)
  release()
  await Promise.all(all)
  expect(batches).toEqual([['a'], ['b', 'c'], ['d']])
})

test('batched writes hold no more weight than the limit, and a heavier item is written alone', async () => {
  const { batches, write, release } = writer(4, { weigh: (item) => item.length })
  const all = ['a', 'bb', 'cc', 'ddddd', 'e'].map(write)
  release()
  await Promise.all(all)
  expect(batches).toEqual([['a'], ['bb', 'cc'], ['ddddd'], ['e']])
})

test('as many writes as permitted run at once, and later items wait for one of them', async () => {
  const { batches, write, release } = writer(10, { atOnce: 2 })
  const all = ['a', 'b', 'c', 'd'].map(write)
  expect(batches).toEqual([['a'], ['b']])
  release()
  await Promise.all(all)
  expect(batches).toEqual([['a'], ['b'], ['c', 'd']])
})

test('a second write starts once enough waits, and not for less', async () => {
  const { batches, write, release } = writer(10, { atOnce: 2, enough: 3 })
  const all = ['a', 'b', 'c'].map(write)
  expect(batches).toEqual([['a']])
  all.push(write('d'))
  expect(batches).toEqual([['a'], ['b', 'c', 'd']])
  release()
  await Promise.all(all)
})

test('less than enough waits for a write in progress no longer than its patience', async () => {
  const { batches, write, release } = writer(10, { atOnce: 2, enough: 3, patienceMs: 20 })
  const [first, second] = ['a', 'b'].map(write)
  expect(batches).toEqual([['a']])
  await second
  expect(batches).toEqual([['a'], ['b']])
  release()
  await first
})

test('after a write during which little arrived, more is gathered before the next write, unless enough waits', async () => {
  const { batches, write, release } = writer(10, { atOnce: 2, enough: 3, pauseMs: () => 60_000 })
  const [first, ...others] = ['a', 'b'].map(write)
  release()
  await first
  others.push(write('c'))
  expect(batches).toEqual([['a']])
  others.push(write('d'))
  await Promise.all(others)
  expect(batches).toEqual([['a'], ['b', 'c', 'd']])
})

test('the pause after a write depends on its duration, and ends with a write of what waits', async () => {
  const paused: number[] = []
  const pauseMs = (writeMs: number) => {
    paused.push(writeMs)
    return 1
  }
  const { batches, write, release } = writer(10, { enough: 3, pauseMs })
  const all = ['a', 'b'].map(write)
  release()
  await Promise.all(all)
  expect(batches).toEqual([['a'], ['b']])
  expect(paused).toEqual([expect.any(Number)])
})

test('one failing item of a batched write does not fail the others', async () => {
  const { write, release } = writer()
  const all = ['a', 'bad', 'c'].map(write)
  release()
  const [first, second, third] = await Promise.allSettled(all)
  expect([first, third]).toMatchObject([{ value: 'A' }, { value: 'C' }])
  expect(second).toMatchObject({ status: 'rejected' })
})

test('a common failure fails every item of a batched write, and the next write is tried', async () => {
  const { write, release } = writer()
  const all = ['a', 'down', 'c'].map(write)
  release()
  const settled = await Promise.allSettled(all)
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(await write('e')).toBe('E')
})

test('after a write, a resting writer gathers items, unless a whole batch waits already', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { batches, write, release } = writer(2, { restMs: 100 })
  const all = [write('a')]
  release()
  await all[0]
  all.push(write('b'))
  await vi.advanceTimersByTimeAsync(90)
  all.push(write('c'))
  expect(batches).toEqual([['a']])
  await vi.advanceTimersByTimeAsync(10)
  expect(batches).toEqual([['a'], ['b', 'c']])
  all.push(...['d', 'e', 'f', 'g', 'h'].map(write))
  await vi.advanceTimersByTimeAsync(100)
  expect(batches.slice(2)).toEqual([
    ['d', 'e'],
    ['f', 'g'],
  ])
  await vi.advanceTimersByTimeAsync(100)
  await Promise.all(all)
  expect(batches.at(-1)).toEqual(['h'])
})

test('a calm writer rests several times, until an urgent item ends that with the rest in progress', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const calm = { rests: 9, isUrgent: (item: string) => item.endsWith('!') }
  const { batches, write, release } = writer(3, { restMs: 100, calm })
  const all = [write('a')]
  release()
  await all[0]
  all.push(write('b'))
  await vi.advanceTimersByTimeAsync(999)
  expect(batches).toEqual([['a']])
  await vi.advanceTimersByTimeAsync(1)
  expect(batches).toEqual([['a'], ['b']])
  all.push(write('c'))
  await vi.advanceTimersByTimeAsync(250)
  all.push(write('d!'))
  await vi.advanceTimersByTimeAsync(50)
  expect(batches.at(-1)).toEqual(['c', 'd!'])
  all.push(...['e', 'f', 'g'].map(write))
  await vi.advanceTimersByTimeAsync(100)
  expect(batches.at(-1)).toEqual(['e', 'f', 'g'])
  await Promise.all(all)
})
