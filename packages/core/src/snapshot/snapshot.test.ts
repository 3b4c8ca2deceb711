import { expect, it } from 'vitest'
import { stateAt } from '../analysis/index.ts'
import { type ConfigDocument, compileConfig, initialState, type SessionEvent } from '../index.ts'
import { restoreState, snapshotState } from './index.ts'

const DOCUMENT: ConfigDocument = {
  schema_version: 1,
  ns: 'a',
  key: 'b',
  policies: [
    { id: 'files', type: 'read_before_write', read_tools: ['read'], write_tools: ['write'] },
    { id: 'rate', type: 'rate_limit', tools: ['read'], max_calls: 2, per_seconds: 60 },
  ],
  feedback_providers: [
    { id: 'same', type: 'repeated_call', trigger: { every_n_calls: 1 }, times: 9 },
    { id: 'fails', type: 'repeated_failure', trigger: { every_n_calls: 1 }, times: 9 },
    { id: 'hint', type: 'static', feedback: 'x', trigger: { on_file_created: { filename: 'h' } } },
  ],
  task_completion_checker: { id: 'plan', type: 'plan' },
}

const files = { a: { exists: true, fingerprint: 'f1' }, h: { exists: true } } as const

const BODIES: readonly Pick<SessionEvent, 'type' | 'data'>[] = [
  {
    type: 'session.started',
    data: {
      ns: 'a',
      key: 'b',
      environment: 'dev',
      harness: { name: 't' },
      workspace_root: '/w',
      deadline_at: 9_000,
      budget: { max_total_tokens: 10 },
      tags: { team: 'core' },
    },
  },
  { type: 'tool.requested', data: { call_id: 'c1', tool: 'read', args: { path: 'a' } } },
  {
    type: 'tool.invoked',
    data: { call_id: 'c1', tool: 'read', outcome: 'success', facts: { files } },
  },
  { type: 'tool.requested', data: { call_id: 'c2', tool: 'read', args: { path: 'b' } } },
  { type: 'tool.invoked', data: { call_id: 'c3', tool: 'lint', outcome: 'invalid' } },
  { type: 'usage.recorded', data: { evaluation_id: 'e', input_tokens: 3, output_tokens: 4 } },
  { type: 'plan.updated', data: { steps: [{ title: 'one', status: 'done' }, { title: 'two' }] } },
  { type: 'stop.attempted', data: { via: 'turn_end' } },
  { type: 'session.ended', data: { reason: 'aborted' } },
]

function folded() {
  const compiled = compileConfig(DOCUMENT)
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems))
  const events = BODIES.map(
    // Each body above pairs a type with its own data, which the type of the union does not express.
    (body, i) => ({ session: 'sess_1', seq: i + 1, at: 100 * (i + 1), ...body }) as SessionEvent,
  )
  return stateAt(compiled.config, events, { seq: events.length })
}

it('a snapshot contains everything that a session remembers', () => {
  expect(snapshotState(folded())).toMatchObject({
    v: 2,
    seq: 9,
    at: 900,
    started_at: 100,
    ended_at: 900,
    prompt: 'a:b',
    environment: 'dev',
    tags: { team: 'core' },
    workspace_root: '/w',
    deadline_at: 9_000,
    budget: { max_total_tokens: 10 },
    usage: { input: 3, output: 4, total: 7 },
    evaluations: { e: { input: 3, output: 4, total: 7 } },
    pending: { c2: { seq: 4, tool: 'read', denied: false, approval: null } },
    tallies: {
      lint: { calls: 1, succeeded: 0, failed: 1, denied: 0, last: null, lastSeq: null },
      read: { calls: 1, succeeded: 1, failed: 0, last: 'success', lastSeq: 3, successSeq: 3 },
    },
    rates: { rate: { admitted: 2, ring: { 0: { seq: 2, at: 200 }, 1: { seq: 4, at: 400 } } } },
    prompts: {
      'a:b': {
        calls: 2,
        providers: {
          hint: { callsAtDelivery: 1, deliveredAt: 300, deliveredSeq: 3, deliveries: 1 },
        },
        failures: { lint: 1 },
        repetition: { times: 1 },
      },
    },
    fired_files: { hint: 3 },
    plan: { seq: 7, done: 1, steps: [{ title: 'one', status: 'done' }, { title: 'two' }] },
    stops: { attempts: 1, blocks: 1 },
  })
})

it('a snapshot restored from JSON is the same', () => {
  const snapshot = snapshotState(folded())
  const restored = restoreState(JSON.parse(JSON.stringify(snapshot)))
  expect(snapshotState(restored)).toEqual(snapshot)
})

it('a snapshot of a session that has not begun is empty', () => {
  expect(snapshotState(initialState('a:b'))).toEqual({
    v: 2,
    seq: 0,
    at: 0,
    started_at: null,
    ended_at: null,
    prompt: 'a:b',
    environment: null,
    tags: {},
    workspace_root: null,
    deadline_at: null,
    budget: null,
    usage: { input: 0, output: 0, total: 0 },
    evaluations: {},
    pending: {},
    tallies: {},
    rates: {},
    reads: {},
    prompts: {},
    fired_files: {},
    plan: null,
    stops: { attempts: 0, blocks: 0 },
  })
})

it('a snapshot keeps the semantics of its session, and unknown semantics are refused', () => {
  const number2 = { ...snapshotState(initialState('a:b')), semantics: 2 }
  expect(snapshotState(restoreState(number2))).toEqual(number2)
  expect(() => restoreState({ ...number2, semantics: 3 })).toThrow('semantics 3')
})

it('a snapshot of another version is refused', () => {
  const other = JSON.parse(JSON.stringify({ ...snapshotState(folded()), v: 1 }))
  expect(() => restoreState(other)).toThrow('State snapshot version 1 is not supported.')
})
