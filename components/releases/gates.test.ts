import { expect, test } from 'vitest'
import type { Gate } from '@/server/releases/release-input.ts'
import { type GateFacts, headline, showGates } from './gates.ts'

const gate = (id: Gate['id'], state: Gate['state'], question: string | null = null): Gate => ({
  id,
  state,
  sentence: `about ${id}`,
  question,
})
const READY: GateFacts = {
  gates: [gate('problems', 'passed')],
  isLater: false,
  canSave: true,
  answers: { environment: 'production', note: '', typedName: '', acknowledged: [] },
}
const DEMANDS = [gate('note_required', 'ask'), gate('name_required', 'ask')]
const NEEDS_APPROVAL = gate('approvals', 'missing')
const ASKS = gate('runtimes', 'ask', 'Publish to 3 of 4')
const OPEN = gate('backtest', 'open')

const missing = (facts: Partial<GateFacts>) =>
  showGates({ ...READY, ...facts })
    .filter(({ passed }) => !passed)
    .map(({ id }) => id)
const answered = (answers: Partial<GateFacts['answers']>) => ({ ...READY.answers, ...answers })

test.each<[string, Partial<GateFacts>, readonly string[]]>([
  ['nothing is missing', {}, []],
  ['errors', { gates: [gate('problems', 'missing')] }, ['problems']],
  ['an older base', { gates: [gate('behind', 'missing')] }, ['behind']],
  ['the same content', { gates: [gate('unchanged', 'missing')] }, ['unchanged']],
  ['an unsaved draft', { canSave: false }, ['saved']],
  ['a missing permission', { gates: [gate('permission', 'missing')] }, ['permission']],
  ['production without note and name', { gates: DEMANDS }, ['note_required', 'name_required']],
  [
    'production with a blank note and the name in the wrong case',
    { gates: DEMANDS, answers: answered({ note: '  ', typedName: 'Production' }) },
    ['note_required', 'name_required'],
  ],
  ['no answer of the server yet', { gates: null }, ['asked']],
  ['an approval is missing', { gates: [NEEDS_APPROVAL, OPEN] }, ['approvals']],
  ['a runtime lacks a type', { gates: [ASKS] }, ['runtimes']],
  [
    'a runtime lacks a type, acknowledged',
    { gates: [ASKS], answers: answered({ acknowledged: ['runtimes'] }) },
    [],
  ],
  [
    'a planned release, whose approvals are checked later',
    { gates: [NEEDS_APPROVAL], isLater: true },
    [],
  ],
  [
    'a planned release, which needs note and name now',
    { gates: DEMANDS, isLater: true },
    ['note_required', 'name_required'],
  ],
  [
    'production with note and name',
    { gates: DEMANDS, answers: answered({ note: 'why', typedName: 'production' }) },
    [],
  ],
])('the release dialog shows the missing gates: %s', (_name, facts, expected) => {
  expect(missing(facts)).toEqual(expected)
})

test('a gate of the release dialog states its requirement or its answer', () => {
  const labels = (facts: Partial<GateFacts>) =>
    showGates({ ...READY, ...facts }).map(({ label }) => label)
  expect(labels({ gates: DEMANDS })).toEqual(['about note_required', 'about name_required'])
  const answers = answered({ note: 'why', typedName: 'production' })
  expect(labels({ gates: DEMANDS, answers })).toEqual(['Note written', 'Name typed'])
  expect(labels({ gates: [NEEDS_APPROVAL], isLater: true })).toEqual([
    'about approvals. Without the approval by the scheduled time, the release is refused',
  ])
})

test('the headline of the release dialog counts the missing gates', () => {
  const said = (gates: readonly Gate[] | null) => headline(showGates({ ...READY, gates }), 'dev')
  expect(said(null)).toBe('Checking the requirements of dev')
  expect(said([])).toBe('Ready to publish to dev')
  expect(said([NEEDS_APPROVAL])).toBe('Publish blocked because 1 thing is missing')
  expect(said(DEMANDS)).toBe('Publish blocked because 2 things are missing')
})
