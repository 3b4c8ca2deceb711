import { expect, test } from 'vitest'
import { applyPatches } from './patches.ts'

interface Run {
  readonly id: string
  readonly startedAt: number
  readonly status: string
}

function reading(id: string, startedAt: number, more: { status?: string; matches?: boolean } = {}) {
  return { id, startedAt, status: 'running', matches: true, ...more }
}

const listed: readonly Run[] = [reading('b', 2000), reading('a', 1000)]
const beganAt = ({ startedAt }: Run) => startedAt

test('a newer row replaces the listed row in its place even when it no longer matches', () => {
  const patches = new Map([['a', reading('a', 1000, { status: 'ended', matches: false })]])
  const { rows, fresh } = applyPatches(listed, patches, beganAt)
  expect(rows.map(({ id, status }) => `${id} ${status}`)).toEqual(['b running', 'a ended'])
  expect(fresh).toBe(0)
})

test.each([
  ['a new row', reading('c', 3000), 1],
  ['a new row that the filter excludes', reading('c', 3000, { matches: false }), 0],
  ['an old row behind the last page', reading('c', 500), 0],
])('the count of new rows of a list is right after %s', (_name, row, fresh) => {
  expect(applyPatches(listed, new Map([['c', row]]), beganAt)).toMatchObject({ fresh })
})

test('a first page that is read again replaces listed rows in place, and holds back new rows', () => {
  const head = [reading('d', 4000), reading('c', 3000), reading('b', 2000, { status: 'ended' })]
  const { rows, fresh } = applyPatches(listed, new Map(head.map((row) => [row.id, row])), beganAt)
  expect(rows.map(({ id, status }) => `${id} ${status}`)).toEqual(['b ended', 'a running'])
  expect(fresh).toBe(2)
})

test('a list has no new rows before its first page is read again', () => {
  expect(applyPatches(listed, new Map(), beganAt)).toEqual({ rows: listed, fresh: 0 })
})
