import { expect, test } from 'vitest'
import type { StandingGate } from '@/server/releases/release-gates.ts'
import { type GateFacts, gatesOf, headline } from './gates.ts'

const DEV = {
  ...{ id: 'env', name: 'dev', position: 0, revision: 3 },
  ...{ requiresNote: false, requiresTypedName: false },
  ...{ requiredApprovals: 0, rollbackSkipsApproval: true, requiresBacktest: false },
  live: { number: 4, digest: 'sha256:live', text: '{}', release: null },
}
const PRODUCTION = { ...DEV, name: 'production', requiresNote: true, requiresTypedName: true }
const READY: GateFacts = {
  ...{ target: DEV, mayPublish: true, canSave: true, errors: 0, baseVersion: 4 },
  ...{ digest: 'sha256:mine', note: '', typedName: '' },
  ...{ standing: [], acknowledged: [], isLater: false },
}

const NEEDS_APPROVAL: StandingGate = {
  ...{ id: 'approvals', state: 'missing', sentence: 'Approval 0 of 1 needed', question: null },
}
const ASKS: StandingGate = {
  ...{ id: 'runtimes', state: 'ask', sentence: 'worker-2 does not know checker “plan”' },
  question: 'Publish to 3 of 4',
}
const OPEN: StandingGate = {
  ...{ id: 'backtest', state: 'open', sentence: 'No backtest was run', question: null },
}

const missing = (facts: GateFacts) =>
  gatesOf(facts)
    .filter(({ passed }) => !passed)
    .map(({ id }) => id)

test.each<[string, GateFacts, readonly string[]]>([
  ['dev needs neither note nor name', READY, []],
  ['nothing live yet', { ...READY, target: { ...DEV, live: null }, baseVersion: null }, []],
  ['made from a newer version than the target runs', { ...READY, baseVersion: 9 }, []],
  ['errors', { ...READY, errors: 2 }, ['valid']],
  ['made from an older version', { ...READY, baseVersion: 3 }, ['base']],
  ['made from none', { ...READY, baseVersion: null }, ['base']],
  ['the same content', { ...READY, digest: 'sha256:live' }, ['changed']],
  ['not saved', { ...READY, canSave: false }, ['saved']],
  ['an editor', { ...READY, mayPublish: false }, ['permission']],
  ['production, bare', { ...READY, target: PRODUCTION }, ['note', 'name']],
  [
    'production, spaces and the wrong case',
    { ...READY, target: PRODUCTION, note: '  ', typedName: 'Production' },
    ['note', 'name'],
  ],
  ['the server was not heard yet', { ...READY, standing: null }, ['standing']],
  ['an approval is missing', { ...READY, standing: [NEEDS_APPROVAL, OPEN] }, ['approvals']],
  ['a runtime lacks a type', { ...READY, standing: [ASKS] }, ['runtimes']],
  [
    'a runtime lacks a type, ticked',
    { ...READY, standing: [ASKS], acknowledged: ['runtimes'] },
    [],
  ],
  [
    'a tick is no approval',
    { ...READY, standing: [NEEDS_APPROVAL], acknowledged: ['approvals'] },
    ['approvals'],
  ],
  ['planned: the server judges later', { ...READY, standing: [NEEDS_APPROVAL], isLater: true }, []],
  ['production', { ...READY, target: PRODUCTION, note: 'why', typedName: 'production' }, []],
])('%s', (_name, facts, expected) => {
  expect(missing(facts)).toEqual(expected)
})

test('counts the gates in the headline', () => {
  expect(headline(gatesOf(READY), 'dev')).toBe('Ready to publish to dev')
  expect(headline(gatesOf({ ...READY, errors: 1 }), 'dev')).toBe(
    'Publish blocked because 1 thing is missing',
  )
  expect(headline(gatesOf({ ...READY, target: PRODUCTION }), 'production')).toBe(
    'Publish blocked because 2 things are missing',
  )
})
