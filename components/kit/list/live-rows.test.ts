import { expect, test } from 'vitest'
import { withHead } from './live-rows.ts'

const row = (id: string, text = 'as it was') => ({ id, text })

test('updates visible rows in place and holds new ones back', () => {
  const listed = [row('c'), row('b'), row('a')]
  const head = [row('e'), row('d'), row('c', 'changed'), row('b')]
  expect(withHead(listed, head)).toEqual({
    rows: [row('c', 'changed'), row('b'), row('a')],
    fresh: 2,
  })
})

test('reports nothing as new before the newest page was read again', () => {
  const listed = [row('a')]
  expect(withHead(listed, [])).toEqual({ rows: listed, fresh: 0 })
})
