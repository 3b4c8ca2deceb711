import { expect, test } from 'vitest'
import { withHead } from './live-rows.ts'

const row = (id: string, text = 'as it was') => ({ id, text })

test('rows on screen change in place, and new ones wait', () => {
  const listed = [row('c'), row('b'), row('a')]
  const head = [row('e'), row('d'), row('c', 'changed'), row('b')]
  expect(withHead(listed, head)).toEqual({
    rows: [row('c', 'changed'), row('b'), row('a')],
    fresh: 2,
  })
})

test('nothing is new before the newest page was read again', () => {
  const listed = [row('a')]
  expect(withHead(listed, [])).toEqual({ rows: listed, fresh: 0 })
})
