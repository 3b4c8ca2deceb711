import { expect, test } from 'vitest'
import { decideGrants, readGroups } from './group-roles.ts'

type Rules = Parameters<typeof decideGrants>[0]

const rules = (map: Rules['map'], without: Rules['without'] = 'refuse'): Rules => ({
  ...{ claim: 'groups', scopes: [], session_hours: 24 },
  map,
  without,
})

test.each([
  ['a list of names', { groups: ['a', 'b'] }, ['a', 'b']],
  ['one name', { groups: 'a' }, ['a']],
  ['no claim', {}, []],
  ['null', { groups: null }, []],
  ['an object', { groups: { a: true } }, null],
  ['a list with a number', { groups: ['a', 1] }, null],
  ['a claim that must be fetched', { _claim_names: { groups: 'src1' } }, null],
])('groups are read from a claim that is %s', (_, profile, groups) => {
  expect(readGroups(profile, 'groups')).toEqual(groups)
})

test('the highest role of all groups counts, and names only the groups that give it', () => {
  const map = rules([
    { group: 'staff', role: 'viewer' },
    { group: 'leads', role: 'admin' },
    { group: 'devs', role: 'editor' },
    { group: 'owners', role: 'admin' },
  ])
  expect(decideGrants(map, ['staff', 'owners', 'leads', 'other'], 'default')).toEqual([
    { project: 'default', role: 'admin', publishIn: null, groups: ['leads', 'owners'] },
  ])
})

test('a publisher may release to the environments of all groups, and everywhere when one names none', () => {
  const map = rules([
    { group: 'a', role: 'publisher', environments: ['staging'] },
    { group: 'b', role: 'publisher', environments: ['dev', 'staging'] },
    { group: 'c', role: 'publisher' },
  ])
  expect(decideGrants(map, ['a', 'b'], 'default')[0]?.publishIn).toEqual(['dev', 'staging'])
  expect(decideGrants(map, ['a', 'c'], 'default')[0]?.publishIn).toBeNull()
})

test('each project has its own role, and a rule without a project is one of the oldest', () => {
  const map = rules([
    { group: 'staff', role: 'viewer' },
    { group: 'staff', role: 'editor', project: 'payments-1' },
    { group: 'leads', role: 'admin', project: 'default' },
  ])
  expect(decideGrants(map, ['staff', 'leads'], 'default')).toEqual([
    { project: 'default', role: 'admin', publishIn: null, groups: ['leads'] },
    { project: 'payments-1', role: 'editor', publishIn: null, groups: ['staff'] },
  ])
})

test('a person without a mapped group gets nothing, or the stated role', () => {
  const map: Rules['map'] = [{ group: 'staff', role: 'admin' }]
  expect(decideGrants(rules(map), ['STAFF', 'staf'], 'default')).toEqual([])
  expect(decideGrants(rules(map, 'viewer'), [], 'default')).toEqual([
    { project: 'default', role: 'viewer', publishIn: null, groups: [] },
  ])
})
