import { describe, expect, test } from 'vitest'
import { type PaletteGroup, rankGroups } from './palette-groups.ts'

const entry = (name: string) => ({ id: name, name, run: () => undefined })
const createGroup = (heading: string, ...names: readonly string[]): PaletteGroup => ({
  heading,
  entries: names.map(entry),
})
const listGroupNames = (groups: readonly PaletteGroup[]) =>
  groups.map(({ heading, entries }) => [heading, ...entries.map(({ name }) => name)])

const PAGES = createGroup('Go to', 'Overview', 'Sessions', 'Runtimes')
const CONFIGS = createGroup('Configs', 'team/coder', 'publish/shorter', 'publish/short')
const ROLL_BACKS = createGroup('Roll back', 'Roll back dev: publish/short from v2…')

describe('palette groups', () => {
  test('show everything in order while nothing is typed, without empty groups', () => {
    expect(listGroupNames(rankGroups([PAGES, createGroup('Nothing'), CONFIGS], '  '))).toEqual(
      listGroupNames([PAGES, CONFIGS]),
    )
  })

  test('begin with the best match, in any group', () => {
    expect(listGroupNames(rankGroups([PAGES, ROLL_BACKS, CONFIGS], 'publish/short'))).toEqual([
      ['Configs', 'publish/short', 'publish/shorter'],
      ['Roll back', 'Roll back dev: publish/short from v2…'],
    ])
  })

  test('find an entry by its keywords, and keep entries that the server found', () => {
    const sessions: PaletteGroup = {
      heading: 'Recent sessions',
      entries: [
        { ...entry('team/coder'), id: 'sess_1', words: 'sess_1 team/coder' },
        { ...entry('Open stop_2'), id: 'stop_2', isFound: true, words: 'anything' },
      ],
    }
    expect(listGroupNames(rankGroups([sessions], 'sess_1'))).toEqual([
      ['Recent sessions', 'Open stop_2', 'team/coder'],
    ])
  })

  test('keep the number of shown entries per group', () => {
    const few = { ...CONFIGS, most: 2 }
    expect(rankGroups([few], 'publish').map(({ most }) => most)).toEqual([2])
  })

  test('omit an entry that has the typed letters only scattered over its name', () => {
    const rollBack = createGroup('Roll back', 'Roll back staging: team/coder from v2…')
    expect(rankGroups([rollBack, PAGES], 'lost')).toEqual([])
    expect(listGroupNames(rankGroups([rollBack, PAGES], 'coder roll'))).toEqual([
      ['Roll back', 'Roll back staging: team/coder from v2…'],
    ])
  })

  test('palette groups are empty when nothing matches', () => {
    expect(rankGroups([PAGES, CONFIGS], 'zzzz')).toEqual([])
  })
})
