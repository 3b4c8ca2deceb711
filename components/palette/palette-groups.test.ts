// The palette's order: what is typed decides, and when a line arrived does not.
import { describe, expect, test } from 'vitest'
import { type PaletteGroup, rankGroups } from './palette-groups.ts'

const entry = (name: string) => ({ id: name, name, run: () => undefined })
const groupOf = (heading: string, ...names: readonly string[]): PaletteGroup => ({
  heading,
  entries: names.map(entry),
})
const namesOf = (groups: readonly PaletteGroup[]) =>
  groups.map(({ heading, entries }) => [heading, ...entries.map(({ name }) => name)])

const PAGES = groupOf('Go to', 'Overview', 'Sessions', 'Runtimes')
const CONFIGS = groupOf('Configs', 'team/coder', 'publish/shorter', 'publish/short')
const ROLL_BACKS = groupOf('Roll back', 'Roll back dev: publish/short from v2…')

describe('the palette', () => {
  test('shows everything as it came while nothing is typed, but no empty group', () => {
    expect(namesOf(rankGroups([PAGES, groupOf('Nothing'), CONFIGS], '  '))).toEqual(
      namesOf([PAGES, CONFIGS]),
    )
  })

  test('begins with the best match, whatever group it is in', () => {
    expect(namesOf(rankGroups([PAGES, ROLL_BACKS, CONFIGS], 'publish/short'))).toEqual([
      ['Configs', 'publish/short', 'publish/shorter'],
      ['Roll back', 'Roll back dev: publish/short from v2…'],
    ])
  })

  test('finds an entry by the words that it is known by, and keeps what was found for it', () => {
    const sessions: PaletteGroup = {
      heading: 'Recent sessions',
      entries: [
        { ...entry('team/coder'), id: 'sess_1', words: 'sess_1 team/coder' },
        { ...entry('Open stop_2'), id: 'stop_2', isFound: true, words: 'anything' },
      ],
    }
    expect(namesOf(rankGroups([sessions], 'sess_1'))).toEqual([
      ['Recent sessions', 'Open stop_2', 'team/coder'],
    ])
  })

  test('keeps how many of a group are shown', () => {
    const few = { ...CONFIGS, most: 2 }
    expect(rankGroups([few], 'publish').map(({ most }) => most)).toEqual([2])
  })

  test('is empty where nothing matches', () => {
    expect(rankGroups([PAGES, CONFIGS], 'zzzz')).toEqual([])
  })
})
