import { expect, test } from 'vitest'
import { describePresent } from './presence-words.ts'

const row = (tab: string, name: string, part: string | null = null) => ({
  ...{ tab, part, name },
  userId: name,
})

test('names each other user once, with the part of the newest tab', () => {
  const rows = [row('c', 'Bo', 'Policies'), row('b', 'Bo'), row('a', 'Ana'), row('d', 'Ana')]
  expect(describePresent(rows, { me: 'Ana', tab: 'a' })).toEqual([
    'Bo is also here, editing Policies',
    'You are also here in another tab',
  ])
})

test('does not name the tab itself', () => {
  expect(describePresent([row('a', 'Ana')], { me: 'Ana', tab: 'a' })).toEqual([])
})
