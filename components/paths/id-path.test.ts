import { expect, test } from 'vitest'
import { pathOfId } from './id-path.ts'

test('maps an id to its page where the id identifies one', () => {
  expect(pathOfId('rel_1')).toBe('/releases/rel_1')
  expect(pathOfId('rt_1')).toBe('/runtimes/rt_1')
  expect(pathOfId('evt_01A_7')).toBe('/e/evt_01A_7')
})

test('maps a config’s id, a word and names of objects to no page', () => {
  for (const text of ['cfg_1', 'user', 'stop', 'constructor_1', 'stop_1 or so'])
    expect(pathOfId(text)).toBeNull()
})
