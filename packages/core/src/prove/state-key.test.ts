import { expect, test } from 'vitest'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import { atomReader } from '../expression/condition-atoms.ts'
import { celExpressions } from '../expression/index.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { EventBody, ToolOutcome } from '../model/event.ts'
import type { Facts } from '../model/fact.ts'
import { begin, type Move, play } from './moves.ts'
import { observe } from './observe.ts'
import { computeKey, type OpenCall } from './state-key.ts'

function compile(document: Partial<ConfigDocument>): CompiledConfig {
  const result = compileConfig(
    { schema_version: 1, ns: 'a', key: 'b', ...document },
    { expressions: celExpressions() },
  )
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

const head = { semantics: 2, ns: 'a', key: 'b', harness: { name: 'test' } }
const start = (more: object = {}): EventBody => ({
  type: 'session.started',
  data: { ...head, environment: 'dev', ...more },
})

type Calls = readonly (EventBody | number)[]
let calls = 0
function call(tool: string, outcome: ToolOutcome = 'success', facts?: Facts): Calls {
  const call_id = `c${calls++}`
  const args = { path: 'a' }
  const known = facts && { facts }
  return [
    { type: 'tool.requested', data: { call_id, tool, args, ...known } },
    { type: 'tool.invoked', data: { call_id, tool, outcome, ...known } },
  ]
}

/** Moves, where a number is a pause in ms. */
function toMoves(told: Calls): readonly Move[] {
  return told.map((body) =>
    typeof body === 'number'
      ? { body: { type: 'heartbeat', data: {} }, waitMs: body }
      : { body, waitMs: 1 },
  )
}

/** Asks about `go` where a condition, or other rules, govern it. */
function keyer(rules: string | Partial<ConfigDocument>, stops = false) {
  const condition = { id: 'if', type: 'expression' as const, tools: ['go'] }
  const document =
    typeof rules === 'string' ? { policies: [{ ...condition, require: rules }] } : rules
  const configs = [compile(document)]
  const focus = { tools: ['go'], stops, isLean: false }
  const observed = observe(configs, focus, atomReader())
  return (told: Calls, open: readonly OpenCall[] = [], first = start()) => {
    const { lanes } = play(configs, begin(configs), toMoves([first, ...told]))
    return computeKey(observed, { lanes, open })
  }
}

const seq = (
  dependencies: Readonly<Record<string, readonly string[]>>,
  after?: readonly string[],
) => ({
  policies: [
    { id: 'seq', type: 'sequential_dependency' as const, dependencies, ...(after && { after }) },
  ],
})

test('a state differs from one in which a prerequisite has not succeeded, and not by how often it did', () => {
  const key = keyer(seq({ go: ['a'] }))
  expect(key(call('a'))).not.toBe(key([]))
  expect(key(call('a', 'failure'))).toBe(key([]))
  expect(key([...call('a'), ...call('a')])).toBe(key(call('a')))
  expect(key(call('b'))).toBe(key([]))
})

test('a state differs by which of two tools succeeded last, if that decides', () => {
  const key = keyer(seq({ go: ['a'] }, ['w']))
  const [fresh, stale] = [key([...call('w'), ...call('a')]), key([...call('a'), ...call('w')])]
  expect(fresh).not.toBe(stale)
  expect(key([...call('a'), ...call('w'), ...call('a')])).toBe(fresh)
  expect(keyer(seq({ go: ['a', 'w'] }))([...call('w'), ...call('a')])).toBe(
    keyer(seq({ go: ['a', 'w'] }))([...call('a'), ...call('w')]),
  )
})

test('a count makes no difference above the largest number that it is compared with', () => {
  const key = keyer('calls.a.failed < 2')
  const fail = (times: number) =>
    key(Array.from({ length: times }, () => call('a', 'failure')).flat())
  expect(new Set([0, 1, 2].map(fail)).size).toBe(3)
  expect(fail(4)).toBe(fail(3))
  expect(key(call('a'))).toBe(fail(0))
  const half = keyer('calls.a.succeeded < 1.5')
  const succeed = (times: number) => half(Array.from({ length: times }, () => call('a')).flat())
  expect(new Set([0, 1, 2].map(succeed)).size).toBe(3)
  expect(succeed(4)).toBe(succeed(3))
})

test('a state differs by the last outcome of a tool', () => {
  const key = keyer('calls.a.last == "success"')
  const keys = [key([]), key(call('a')), key(call('a', 'failure')), key(call('a', 'unknown'))]
  expect(new Set(keys).size).toBe(4)
  expect(key([...call('a', 'failure'), ...call('a')])).toBe(key(call('a')))
})

test('a number of the session differs only by how it compares with a constant', () => {
  const key = keyer('session.elapsed_seconds > 30')
  const keys = [[10_000], [29_999], [31_000], [90_000]].map((pause) => key(pause))
  expect(keys[0]).toBe(keys[1])
  expect(keys[1]).not.toBe(keys[2])
  expect(keys[2]).toBe(keys[3])
})

test('the number of all calls makes no difference above the largest constant', () => {
  const key = keyer('session.calls >= 2')
  const many = (times: number) => key(Array.from({ length: times }, () => call('a')).flat())
  expect(new Set([0, 1, 2].map(many)).size).toBe(3)
  expect(many(5)).toBe(many(3))
  expect(many(5)).not.toBe(many(2))
})

test('a text of the session differs only by whether it is the constant, another or none', () => {
  const key = keyer('session.environment == "prod"')
  const at = (environment: string) => key([], [], start({ environment }))
  expect(at('dev')).toBe(at('test'))
  expect(at('prod')).not.toBe(at('dev'))
  const tagged = keyer('session.tags.team == "x"')
  const as = (tags: object) => tagged([], [], start({ tags }))
  expect(new Set([as({}), as({ team: 'x' }), as({ team: 'y' })]).size).toBe(3)
  expect(as({ team: 'z', other: 'x' })).toBe(as({ team: 'y' }))
})

test('a plan differs by what a condition reads of it, and for a check by whether a step is open', () => {
  const plan = (status: string): EventBody => ({
    type: 'plan.updated',
    data: { steps: [{ title: 'a', status }] },
  })
  const list = (key: ReturnType<typeof keyer>) => {
    const [none, done, open] = [key([]), key([plan('done')]), key([plan('pending')])]
    return { none, done, open }
  }
  const total = list(keyer('session.plan.total > 0'))
  expect([total.none === total.done, total.done === total.open]).toEqual([false, true])
  const steps = list(keyer('session.plan.done == 1'))
  expect([steps.none === steps.open, steps.done === steps.open]).toEqual([true, false])
  const task_completion_checker = { id: 'plan', type: 'plan' as const }
  const checked = list(keyer({ task_completion_checker }, true))
  expect([checked.none === checked.done, checked.done === checked.open]).toEqual([true, false])
})

const limit = (max_calls: number) => ({
  policies: [
    ...[{ id: 'rate', type: 'rate_limit' as const, tools: ['go'], max_calls, per_seconds: 60 }],
  ],
})

test('calls count under a rate limit until its time has passed', () => {
  const key = keyer(limit(3))
  const twice = key([...call('go'), ...call('go')])
  expect(new Set([key([]), key(call('go')), twice]).size).toBe(3)
  // A call ends a millisecond after its request.
  expect(key([...call('go'), 59_999])).toBe(key([]))
  expect(key([...call('go'), 59_998])).toBe(key(call('go')))
  expect(key([...call('go'), 60_000, ...call('go')])).toBe(key(call('go')))
})

test('for the next decision only a used-up limit makes a difference', () => {
  const configs = [compile(limit(2))]
  const focus = { tools: ['go'], stops: false, isLean: false, isDirect: true }
  const observed = observe(configs, focus, atomReader())
  const key = (times: number) => {
    const told = [start(), ...Array.from({ length: times }, () => call('go')).flat()]
    return computeKey(observed, {
      lanes: play(configs, begin(configs), toMoves(told)).lanes,
      open: [],
    })
  }
  expect(key(1)).toBe(key(0))
  expect(key(2)).not.toBe(key(1))
})

test('a file differs by whether it was read, and as what', () => {
  const reads = { id: 'reads', type: 'read_before_write', read_tools: ['read'] }
  const key = keyer({
    policies: [{ ...reads, write_tools: ['go'] }],
  } as Partial<ConfigDocument>)
  const file = (fingerprint: string): Facts => ({
    files: { a: { exists: true, kind: 'file', fingerprint } },
  })
  const keys = [[], call('read', 'success', file('one')), call('read', 'success', file('two'))]
  expect(new Set(keys.map((told) => key(told))).size).toBe(3)
  const other = keyer({
    policies: [{ ...reads, write_tools: ['put'] }],
  } as Partial<ConfigDocument>)
  expect(other(call('read', 'success', file('one')))).toBe(other([]))
})

test('calls under way differ by tool, by what decisions look at, and by whether they wait or are late', () => {
  const policies = [{ id: 'ask', type: 'approval' as const, tools: ['go'], timeout_seconds: 60 }]
  const key = keyer({ policies })
  const request = (call_id: string, tool = 'go'): EventBody => ({
    type: 'tool.requested',
    data: { call_id, tool, args: {} },
  })
  const open = (id: string, more: Partial<OpenCall> = {}): OpenCall => ({
    ...{ id, tool: 'go', args: {}, input: '{}', isWaiting: true, ...more },
  })
  const one = key([request('c1')], [open('c1')])
  const others = [
    key([], []),
    key([request('c1', 'x')], [open('c1', { tool: 'x' })]),
    key([request('c1')], [open('c1', { input: '{"a":1}' })]),
    key([request('c1')], [open('c1', { isWaiting: false })]),
    key([request('c1'), 60_000], [open('c1')]),
    key([request('c1', 'x')], [open('c1')]),
    key([request('c1'), request('c2')], [open('c1'), open('c2')]),
  ]
  expect(new Set([one, ...others]).size).toBe(others.length + 1)
  expect(key([request('c9'), 59_000], [open('c9')])).toBe(one)
  const two = [open('c1', { input: 'a' }), open('c2', { input: 'b' })]
  const told = [request('c1'), request('c2')]
  expect(key(told, two)).toBe(key(told, [...two].reverse()))
})
