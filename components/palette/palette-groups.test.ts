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

describe('palette groups', () => {
  test('show everything in order while nothing is typed, without empty groups', () => {
    expect(namesOf(rankGroups([PAGES, groupOf('Nothing'), CONFIGS], '  '))).toEqual(
      namesOf([PAGES, CONFIGS]),
    )
  })

  test('begin with the best match, whatever its group', () => {
    expect(namesOf(rankGroups([PAGES, ROLL_BACKS, CONFIGS], 'publish/short'))).toEqual([
      ['Configs', 'publish/short', 'publish/shorter'],
      ['Roll back', 'Roll back dev: publish/short from v2…'],
    ])
  })

  test('find an entry by its keywords, and keep the matches', () => {
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

  test('keep the number of shown entries per group', () => {
    const few = { ...CONFIGS, most: 2 }
    expect(rankGroups([few], 'publish').map(({ most }) => most)).toEqual([2])
  })

  test('are empty when nothing matches', () => {
    expect(rankGroups([PAGES, CONFIGS], 'zzzz')).toEqual([])
  })
})
