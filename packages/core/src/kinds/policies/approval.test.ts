import { expect, test } from 'vitest'
import {
  type ConfigDocument,
  compileConfig,
  type Effect,
  initialState,
  type SessionEvent,
  step,
} from '../../index.ts'

const CONFIG: ConfigDocument = {
  schema_version: 1,
  ns: 'any',
  key: 'prompt',
  policies: [
    { id: 'rate', type: 'rate_limit', tools: ['deploy'], max_calls: 1, per_seconds: 60 },
    { id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 60 },
  ],
}

type Body = Pick<SessionEvent, 'type' | 'data'>

function decisions(bodies: readonly Body[], config = CONFIG): readonly Effect[] {
  const compiled = compileConfig(config)
  if (!compiled.ok) throw new Error('does not compile')
  let state = initialState('any:prompt')
  return bodies.flatMap((body, i) => {
    // Every body is written below with the data of its type.
    const event = { session: 'sess_any', seq: i + 1, at: 1_000 + i, ...body } as SessionEvent
    const next = step(compiled.config, state, event)
    state = next.state
    return next.effects
  })
}

const request = (call_id: string): Body => ({
  type: 'tool.requested',
  data: { call_id, tool: 'deploy', args: {} },
})
const approve = (call_id: string): Body => ({
  type: 'approval.decided',
  data: { call_id, decision: 'approved' },
})

test('two calls that wait for approval at the same time cannot both pass a rate limit of one', () => {
  const effects = decisions([request('a'), request('b'), approve('a'), approve('b')])
  expect(effects.map((effect) => effect.kind)).toEqual([
    'approval.requested',
    'approval.requested',
    'tool.decided',
    'tool.decided',
  ])
  expect(effects[2]?.data).toMatchObject({ call_id: 'a', decision: 'allowed' })
  expect(effects[3]?.data).toMatchObject({
    call_id: 'b',
    decision: 'denied',
    reason: "Tool 'deploy' is limited to 1 call per 60 seconds. Try again in 60 seconds.",
  })
})

test('an approval for a call that does not wait is an anomaly', () => {
  const [, , again] = decisions([request('a'), approve('a'), approve('a')])
  expect(again).toMatchObject({ kind: 'anomaly', data: { code: 'approval_without_request' } })
})

test('an approval timeout with a fraction of a millisecond ends at a whole millisecond', () => {
  const [asked] = decisions([request('a')], {
    ...CONFIG,
    policies: [{ id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 1.0055 }],
  })
  expect(asked).toMatchObject({ kind: 'approval.requested', data: { expires_at: 2_006 } })
})
