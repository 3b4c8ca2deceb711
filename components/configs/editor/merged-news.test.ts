import { expect, test } from 'vitest'
import { mergeTexts } from './merge-texts.ts'
import { findPlacePointer, mergedSentence } from './merged-news.ts'

const CONFIG = {
  name: 'one',
  metadata: { team: 'a' },
  limits: { max_stop_blocks: 1 },
  policies: [
    { id: 'first', max_calls: 1 },
    { id: 'rate', max_calls: 5 },
  ],
}
const text = (more: object) => JSON.stringify({ ...CONFIG, ...more })

test('the notice of a merge names its author and the changed parts of the document', () => {
  const said = (...places: string[]) => mergedSentence({ who: 'Ana', places })
  expect(said('feedback_providers › hint › trigger')).toBe('Ana’s change to Feedback was merged')
  expect(said('policies › rate', 'limits › max_stop_blocks', 'policies › order')).toBe(
    'Ana’s changes to Policies and Limits were merged',
  )
  expect(said('metadata › team')).toBe('Ana’s change to metadata was merged')
})

test('each merged place is found in the resulting text', () => {
  const theirs = text({
    metadata: { team: 'b' },
    policies: [{ id: 'rate', max_calls: 7 }, { id: 'first', max_calls: 1 }, { id: 'new' }],
  })
  const made = mergeTexts({ base: text({}), mine: text({ name: 'mine' }), theirs })
  const places = made?.taken.map((place) => [place, findPlacePointer(made.text, place)])
  expect(places).toEqual([
    ['metadata › team', '/metadata/team'],
    ['policies › rate › max_calls', '/policies/0/max_calls'],
    ['policies › new', '/policies/2'],
    ['policies › order', '/policies'],
  ])
})

test('the merged place of a removed rule is its list, and that of a broken text is the beginning', () => {
  expect(findPlacePointer(text({}), 'policies › gone › max_calls')).toBe('/policies')
  expect(findPlacePointer('{', 'name')).toBe('')
})
