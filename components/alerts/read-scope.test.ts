import { expect, test } from 'vitest'
import { readScope } from './read-scope.ts'

test.each([
  ['denial_rate', 'dev', ['Environment dev']],
  ['blocked_stops', 'dev team/coder', ['Environment dev', 'Config team/coder']],
  ['denial_rate', 'dev worker 3', ['Environment dev', 'Runtime worker 3']],
  [
    'denial_rate',
    'dev team/coder a/worker 3',
    ['Environment dev', 'Config team/coder', 'Runtime a/worker 3'],
  ],
  ['runtimes_behind', 'dev a/worker 3', ['Environment dev', 'Runtime a/worker 3']],
  ['silent_runtimes', 'dev a/worker', ['Environment dev', 'Runtime a/worker']],
  [
    'denials_after_release',
    'dev team/coder v4 rel_1',
    ['Environment dev', 'Config team/coder', 'Version v4', 'Release rel_1'],
  ],
  [
    'long_sessions',
    'dev team/coder sess_1',
    ['Environment dev', 'Config team/coder', 'Session sess_1'],
  ],
  [
    'blocks_in_a_row',
    'dev team/coder sess_1 plan after #0',
    ['Environment dev', 'Config team/coder', 'Session sess_1', 'Check plan after #0'],
  ],
  [
    'approval_waiting',
    'dev team/coder call_1',
    ['Environment dev', 'Config team/coder', 'Call call_1'],
  ],
] as const)('every part of the scope of %s is named: %s', (signal, scope, facts) => {
  expect(readScope({ signal, scope }).map(({ name, text }) => `${name} ${text}`)).toEqual(facts)
})
