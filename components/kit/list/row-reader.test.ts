import { expect, test } from 'vitest'
import { RowReader, type RowSource } from './row-reader.ts'

interface Row {
  readonly id: string
  readonly events: number
}

interface Server {
  readonly source: RowSource<Row>
  readonly set: (rows: Readonly<Record<string, number>>) => void
  /** Answers the requests so far, with the data at the time of each request. */
  readonly answer: () => Promise<void>
  readonly asked: readonly string[]
}

function server(): Server {
  let known: Readonly<Record<string, number>> = {}
  const asked: string[] = []
  const open: (() => void)[] = []
  const later = <T>(value: T): Promise<T> =>
    new Promise((resolve) => {
      open.push(() => resolve(value))
    })
  return {
    asked,
    set: (rows) => {
      known = rows
    },
    answer: async () => {
      for (const give of open.splice(0)) give()
      await Promise.resolve()
    },
    source: {
      read: (ids) => {
        asked.push(`rows ${ids.join(' ')}`)
        return later(
          ids.flatMap((id) => {
            const events = known[id]
            return events === undefined ? [] : [{ id, events, matches: true }]
          }),
        )
      },
      readHead: () => {
        asked.push('head')
        return later(Object.keys(known))
      },
    },
  }
}

test('the row reader reads a row again when a notification arrives during its read', async () => {
  const { source, set, answer, asked } = server()
  const reader = new RowReader<Row>()
  set({ a: 1 })
  reader.wait(['a'])
  const first = reader.next(source)
  set({ a: 2 })
  reader.wait(['a'])
  expect(await reader.next(source)).toBeNull()
  await answer()
  expect(await first).toEqual([{ id: 'a', events: 1, matches: true }])
  const second = reader.next(source)
  await answer()
  expect(await second).toEqual([{ id: 'a', events: 2, matches: true }])
  expect(asked).toEqual(['rows a', 'rows a'])
})

test('the row reader finds sessions that began in a gap even while the first page was being read', async () => {
  const { source, set, answer, asked } = server()
  const reader = new RowReader<Row>()
  reader.markAll([])
  const before = reader.next(source)
  set({ fresh: 1 })
  reader.markAll([])
  const after = reader.next(source)
  await answer()
  expect(await before).toBeNull()
  expect(await after).toBeNull()
  expect(asked).toEqual(['head', 'head'])
  const rows = reader.next(source)
  await answer()
  expect(await rows).toEqual([{ id: 'fresh', events: 1, matches: true }])
})

test('the row reader retries failed and canceled reads, and reads no row that is on hold', async () => {
  const { source, set, answer, asked } = server()
  const reader = new RowReader<Row>()
  set({ a: 1, b: 1 })
  reader.wait(['a', 'b'])
  reader.hold('b')
  expect(await reader.next({ ...source, read: () => Promise.resolve(null) })).toBeNull()
  const givenUp = reader.next(source)
  reader.abort()
  await answer()
  expect(await givenUp).toBeNull()
  reader.release('b')
  const rows = reader.next(source)
  await answer()
  expect((await rows)?.map(({ id }) => id)).toEqual(['b', 'a'])
  expect(asked).toEqual(['rows a', 'rows b a'])
})

test('the row reader reads the first page when a notification names no row, and returns its rows', async () => {
  const head = [{ id: 'a', events: 1, matches: true }]
  let asked = 0
  const readHead = () => {
    asked += 1
    return Promise.resolve(head)
  }
  const reader = new RowReader<Row>()
  expect(await reader.next({ readHead })).toBeNull()
  reader.markHead()
  expect(await reader.next({ readHead })).toEqual(head)
  expect(await reader.next({ readHead })).toBeNull()
  expect(asked).toBe(1)
})
