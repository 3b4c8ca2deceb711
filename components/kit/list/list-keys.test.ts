import { expect, test } from 'vitest'
import { listKeys } from './list-keys.ts'

const nothing = (): void => undefined
const LEAST = { noun: 'stop', move: nothing, first: nothing, last: nothing, open: nothing }

test('a list binds keys for exactly the actions that it supports', () => {
  const names = listKeys(LEAST).map(({ shown }) => shown)
  expect(names).toEqual(['j', 'k', 'g g', '⇧G', '↓', '↑', 'Home', 'End', 'Enter'])
  const all = { peek: nothing, closePeek: nothing, mark: nothing, extend: nothing, why: nothing }
  const more = { showFresh: nothing, filter: nothing, actions: nothing }
  const linked = () => ({ title: 'Stops', link: 'http://here/stops' })
  const every = listKeys({ ...LEAST, ...all, ...more, linked, search: nothing }).map(
    ({ shown }) => shown,
  )
  expect(every).toHaveLength(21)
  expect(new Set(every).size).toBe(21)
})
