import { expect, test } from 'vitest'
import { findPagePath } from './id-path.ts'

test('an id is mapped to its page where it identifies one', () => {
  expect(findPagePath('rel_1')).toBe('/releases/rel_1')
  expect(findPagePath('rt_1')).toBe('/runtimes/rt_1')
  expect(findPagePath('bkt_1')).toBe('/backtests/bkt_1')
  expect(findPagePath('evt_01A_7')).toBe('/e/evt_01A_7')
})

test('the id of a config, a word and a name of a built-in object are mapped to no page', () => {
  for (const text of ['cfg_1', 'user', 'stop', 'constructor_1', 'stop_1 or so'])
    expect(findPagePath(text)).toBeNull()
})
