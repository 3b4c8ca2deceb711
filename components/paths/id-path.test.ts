import { expect, test } from 'vitest'
import { findPagePath } from './id-path.ts'

test('maps an id to its page where the id identifies one', () => {
  expect(findPagePath('rel_1')).toBe('/releases/rel_1')
  expect(findPagePath('rt_1')).toBe('/runtimes/rt_1')
  expect(findPagePath('evt_01A_7')).toBe('/e/evt_01A_7')
})

test('maps a config’s id, a word and names of objects to no page', () => {
  for (const text of ['cfg_1', 'user', 'stop', 'constructor_1', 'stop_1 or so'])
    expect(findPagePath(text)).toBeNull()
})
