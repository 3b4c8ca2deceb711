import { expect, test } from 'vitest'
import { compileConfig } from '../engine/compile.ts'
import { step } from '../engine/step.ts'
import type { EventBody } from '../model/event.ts'
import type { FileFact } from '../model/fact.ts'
import { initialState } from '../model/state.ts'
import type { GovernedState } from '../tighten/governing.ts'
import { changedParts, type StatePart } from './state-changes.ts'

function createGovernedState(): GovernedState {
  const result = compileConfig({
    schema_version: 1,
    ns: 'a',
    key: 'b',
    policies: [
      { id: 'rbw', type: 'read_before_write', read_tools: ['read'], write_tools: ['write'] },
      { id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 60 },
    ],
    feedback_providers: [
      {
        id: 'hint',
        type: 'static',
        feedback: 'x',
        trigger: { on_file_created: { filename: 'GO' } },
      },
    ],
    task_completion_checker: {
      id: 'all',
      type: 'composite',
      checkers: [
        { id: 'plan', type: 'plan' },
        { id: 'tested', type: 'tool_succeeded', tool: 'test' },
      ],
    },
  })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  const { config } = result
  return { digest: 'sha256:1', config, state: initialState(config.promptName) }
}

const ask = (call_id: string, tool: string, args = {}): EventBody => ({
  type: 'tool.requested',
  data: { call_id, tool, args },
})
type Finished = [
  call_id: string,
  tool: string,
  outcome: 'success' | 'failure' | 'denied',
  files?: { readonly [path: string]: FileFact },
]
const end = (...[call_id, tool, outcome, files = {}]: Finished): EventBody => ({
  type: 'tool.invoked',
  data: { call_id, tool, outcome, facts: { files } },
})
const file = (fingerprint: string): FileFact => ({ exists: true, kind: 'file', fingerprint })
const started = { ns: 'a', key: 'b', environment: 'dev', harness: { name: 'x' } } as const
const usage = (total_tokens: number): EventBody => ({
  type: 'usage.recorded',
  data: { evaluation_id: 'e', input_tokens: 0, output_tokens: 0, total_tokens },
})
const plan = (...steps: readonly { readonly title: string; readonly status?: string }[]) =>
  ({ type: 'plan.updated', data: { steps } }) as const

const SESSION: readonly (readonly [string, EventBody, readonly StatePart[]])[] = [
  [
    'the start',
    { type: 'session.started', data: { ...started, budget: { max_total_tokens: 100 } } },
    ['limits'],
  ],
  ['a note', { type: 'note', data: { text: 'x' } }, []],
  ['another prompt', { type: 'prompt.rendered', data: { prompt: 'c' } }, ['prompt']],
  ['the same prompt', { type: 'prompt.rendered', data: { prompt: 'c' } }, []],
  ['a first plan', plan({ title: 's' }), ['plan', 'checks']],
  ['the same plan', plan({ title: 's' }), []],
  ['another title', plan({ title: 't' }), ['plan']],
  ['another status of an open step', plan({ title: 't', status: 'active' }), ['plan']],
  ['a finished step', plan({ title: 't', status: 'done' }), ['plan', 'checks']],
  ['a request', ask('1', 'read', { path: 'a' }), []],
  ['a first read', end('1', 'read', 'success', { a: file('1') }), ['reads', 'successes']],
  ['a request', ask('2', 'read', { path: 'a' }), []],
  ['a read of the same content', end('2', 'read', 'success', { a: file('1') }), []],
  ['a request', ask('3', 'read', { path: 'a' }), []],
  ['a read of other content', end('3', 'read', 'success', { a: file('2') }), ['reads']],
  ['a request', ask('denied', 'lint'), []],
  ['a first call that is denied', end('denied', 'lint', 'denied'), []],
  ['a request', ask('4', 'test'), []],
  ['a first failure', end('4', 'test', 'failure'), ['successes', 'checks']],
  ['a request', ask('5', 'test'), []],
  ['another failure', end('5', 'test', 'failure'), []],
  ['a request', ask('6', 'test'), []],
  ['a success after failures', end('6', 'test', 'success'), ['successes', 'checks']],
  ['a request', ask('7', 'test'), []],
  ['a failure after a success', end('7', 'test', 'failure'), ['successes', 'checks']],
  ['a call that waits', ask('8', 'deploy'), ['approvals']],
  [
    'its answer',
    { type: 'approval.decided', data: { call_id: '8', decision: 'approved' } },
    ['approvals'],
  ],
  ['a request', ask('9', 'read', { path: 'a' }), []],
  [
    'a delivery of feedback',
    end('9', 'read', 'success', { a: file('2'), GO: { exists: true } }),
    ['feedback'],
  ],
  ['a stop', { type: 'stop.attempted', data: { via: 'turn_end' } }, ['stops']],
  ['usage within the budget', usage(99), []],
  ['usage of the whole budget', usage(100), ['checks']],
  ['another budget', { type: 'session.started', data: { ...started, budget: {} } }, ['limits']],
  ['a deadline', { type: 'session.started', data: { ...started, deadline_at: 9 } }, ['limits']],
  ['the end', { type: 'session.ended', data: { reason: 'completed' } }, ['limits']],
]

test('changedParts lists what each event of a session changes, and nothing else', () => {
  let before = createGovernedState()
  const found = SESSION.map(([what, body], i) => {
    const event = { session: 'sess_1', seq: i + 1, at: 0, ...body }
    const after = { ...before, state: step(before.config, before.state, event).state }
    const parts = changedParts(before, after)
    before = after
    return [what, parts]
  })
  expect(found).toEqual(SESSION.map(([what, , parts]) => [what, parts]))
})

test('changedParts lists another version, and checks that differ in it', () => {
  const before = createGovernedState()
  expect(changedParts(before, { ...before, digest: 'sha256:2' })).toEqual(['config'])
  const result = compileConfig({ schema_version: 1, ns: 'a', key: 'b' })
  if (!result.ok) throw new Error('It does not compile.')
  const other = { ...before, digest: 'sha256:2', config: result.config }
  expect(changedParts(before, other)).toEqual(['config', 'checks'])
  expect(changedParts(before, before)).toEqual([])
})
