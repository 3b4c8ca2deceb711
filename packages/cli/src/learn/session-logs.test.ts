import type { EventBody, SessionEvent } from '@signalbox/core'
import { expect, test } from 'vitest'
import { labelSession } from './session-logs.ts'

const START: EventBody = {
  type: 'session.started',
  data: { ns: 'a', key: 'b', environment: 'dev', harness: { name: 'x' } },
}
const END: EventBody = { type: 'session.ended', data: { reason: 'completed' } }
const stop = (via: 'turn_end' | 'final', message: string | null): readonly EventBody[] => [
  { type: 'stop.attempted', data: { via } },
  {
    type: 'stop.decided',
    data: {
      attempt: 1,
      prior_blocks: 0,
      verdict: message === null ? 'allowed' : 'blocked',
      code: 'files.missing',
      params: {},
      message,
      check: null,
    },
  },
]

function label(bodies: readonly EventBody[]) {
  const log = bodies.map(
    // The body and the envelope of one type make an event of this type.
    (body, i) => ({ ...body, session: 'sess_1', seq: i + 1, at: 1000 }) as SessionEvent,
  )
  return labelSession(log, { good: null, bad: new Set(), since: null, prompt: 'a/b' })
}

test.each<[string, readonly EventBody[]]>([
  ['good', [START, END]],
  ['good', [START, ...stop('turn_end', 'No.'), ...stop('turn_end', null), END]],
  // The check at the end of a session judges the session's output, and is no stop.
  ['good', [START, ...stop('turn_end', null), ...stop('final', 'No.'), END]],
  ['stop_refused', [START, ...stop('turn_end', 'No.'), END]],
  ['stop_refused', [START, { type: 'completion.overridden', data: { cause: 'Enough.' } }, END]],
  ['not_ended', [START, ...stop('turn_end', null)]],
  ['not_completed', [START, { type: 'session.ended', data: { reason: 'failed' } }]],
  [
    'not_enforced',
    [START, { type: 'enforcement.lapsed', data: { code: 'hook_missing', detail: 'x' } }, END],
  ],
  ['other_prompt', [END]],
])('a session is %s: %#', (expected, bodies) => {
  expect(label(bodies)).toBe(expected)
})
