import { LogRecorder } from '@signalbox/testkit'
import { expect, test } from 'vitest'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import { celExpressions } from '../expression/index.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { PolicyDocument } from '../kinds/policies.ts'
import type { EventBody, SessionEvent } from '../model/event.ts'
import { type Incident, readIncident, replayIncident } from './incident.ts'
import { isStopped, verifyCandidate } from './verify.ts'

const HEAD: ConfigDocument = { schema_version: 1, ns: 'a', key: 'b' }

function compile(document: Partial<ConfigDocument>): CompiledConfig {
  const result = compileConfig({ ...HEAD, ...document }, { expressions: celExpressions() })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}
const nothing = compile({})

function record(config: CompiledConfig, bodies: readonly EventBody[]): readonly SessionEvent[] {
  const recorder = new LogRecorder(config)
  const head = { ns: 'a', key: 'b', environment: 'dev', harness: { name: 'test' } }
  const all: readonly EventBody[] = [
    { type: 'session.started', data: { semantics: 2, ...head } },
    ...bodies,
  ]
  for (const [i, body] of all.entries())
    recorder.record({ session: 'sess_1', at: 1000 * i, ...body } as Omit<SessionEvent, 'seq'>)
  return recorder.log
}

const request = (call_id: string, tool = 'go'): EventBody => ({
  type: 'tool.requested',
  data: { call_id, tool, args: {} },
})
const answer = (call_id: string, decision: 'approved' | 'denied'): EventBody => ({
  type: 'approval.decided',
  data: { call_id, decision },
})
const end = (call_id: string, tool = 'go'): EventBody => ({
  type: 'tool.invoked',
  data: { call_id, tool, outcome: 'success' },
})
const STOP: EventBody = { type: 'stop.attempted', data: { via: 'turn_end' } }

const no = (id: string, more: object = {}) =>
  ({ id, type: 'expression', deny_when: 'true', ...more }) as PolicyDocument
const ask: PolicyDocument = { id: 'ask', type: 'approval', tools: ['go'], timeout_seconds: 900 }
const order = (dependencies: Readonly<Record<string, readonly string[]>>): PolicyDocument => ({
  ...{ id: 'order', type: 'sequential_dependency', dependencies },
})

interface Told {
  readonly config?: CompiledConfig
  readonly bodies: readonly EventBody[]
  /** Finds the event of the incident. Absent: the last event of the type of the last body. */
  readonly at?: (event: SessionEvent) => boolean
}

function read({ config = nothing, bodies, at }: Told) {
  const events = record(config, bodies)
  const last = bodies.at(-1)?.type
  const event = events.findLast(at ?? (({ type }) => type === last))
  return readIncident(config, events, event?.seq ?? 0)
}

function readAllowed(told: Told): Incident {
  const found = read(told)
  if (!found.ok) throw new Error(found.fault.code)
  return found.incident
}

const refuse = (rule: string | null) => ({ ok: false, fault: { code: 'already_refused', rule } })

test('the rule that refused a call is one that is enforced and does not allow it', () => {
  const policies = [
    no('quiet', { mode: 'shadow' }),
    no('other', { deny_when: 'false' }),
    no('loud'),
    no('late'),
  ]
  const config = compile({ policies })
  expect(read({ config, bodies: [request('c1')] })).toEqual(refuse('loud'))
})

test('a call that a user paused was refused by no rule', () => {
  const data = { action: 'pause', by: 'Ana', reason: 'Wait.', counter: 1 } as const
  const pause: EventBody = { type: 'session.controlled', data }
  expect(read({ bodies: [pause, request('c1')] })).toEqual(refuse(null))
})

test('a stop was refused by the check that did not pass, not by all of them together', () => {
  const check = (tool: string) => ({ id: tool, type: 'tool_succeeded' as const, tool })
  const all = { id: 'all', type: 'composite', checkers: [check('a'), check('b')] } as const
  const config = compile({ task_completion_checker: all })
  expect(read({ config, bodies: [request('c1', 'a'), end('c1', 'a'), STOP] })).toEqual(refuse('b'))
})

test('an event of another kind decides nothing', () => {
  const bodies: readonly EventBody[] = [request('c1'), end('c1')]
  expect(read({ bodies }).ok).toBe(false)
  expect(read({ bodies, at: () => false })).toMatchObject({
    fault: { code: 'event_decides_nothing' },
  })
})

test('a call that waits is the one that its own reviewer approved, whatever else is approved', () => {
  const config = compile({ policies: [ask] })
  const bodies = [request('c1'), request('c2'), answer('c2', 'denied'), answer('c1', 'approved')]
  const isCall = (id: string) => (event: SessionEvent) =>
    event.type === 'tool.requested' && event.data.call_id === id
  const incident = readAllowed({ config, bodies, at: isCall('c1') })
  expect(incident).toMatchObject({ tool: 'go', callId: 'c1', seq: 2 })
  expect(incident.events.at(-1)?.type).toBe('approval.decided')
  expect(read({ config, bodies, at: isCall('c2') })).toEqual(refuse('ask'))
  expect(read({ config, bodies: bodies.slice(0, 2) })).toEqual(refuse('ask'))
})

test('a call whose id was used before waits for the answer that came after it', () => {
  const config = compile({ policies: [ask] })
  const first = [request('c1'), answer('c1', 'approved'), end('c1')]
  const incident = readAllowed({
    ...{ config, bodies: [...first, request('c1'), answer('c1', 'approved')] },
    at: ({ type }) => type === 'tool.requested',
  })
  expect(incident.seq).toBeGreaterThan(first.length)
})

const replay = (incident: Incident, ...policies: readonly PolicyDocument[]) =>
  replayIncident(compile({ policies }), incident)

test('under another config the call is denied, waits for a reviewer, or is allowed', () => {
  const incident = readAllowed({ bodies: [request('c1')] })
  expect(replay(incident)).toBe(null)
  expect(replay(incident, no('no'))).toBe('denied')
  expect(replay(incident, ask)).toBe('waits')
  // A rule that cannot be evaluated is no answer.
  expect(replay(incident, no('odd', { deny_when: 'args.x == 1' }))).toBe(null)
})

test('only the decision about the call itself counts, and not those before it', () => {
  const bodies = [request('c0', 'a'), request('c1')]
  const incident = readAllowed({ bodies })
  expect(replay(incident, no('no', { tools: ['a'] }))).toBe(null)
  expect(replay(incident, { ...ask, tools: ['a'] })).toBe(null)
})

test('while the call waits, decisions about other calls and stops are not about it', () => {
  const config = compile({ policies: [ask] })
  const other = { ...ask, id: 'other', tools: ['a'] }
  const bodies = [request('c1'), request('c2', 'a'), STOP, answer('c1', 'approved')]
  const incident = readAllowed({ config, bodies })
  expect(replay(incident, ask, no('no', { tools: ['a'] }))).toBe(null)
  expect(replay(incident, ask, other)).toBe(null)
  const checked = compile({
    policies: [ask],
    task_completion_checker: { id: 'x', type: 'tool_succeeded', tool: 'x' },
  })
  expect(replayIncident(checked, incident)).toBe(null)
  expect(replay(incident, ask, order({ go: ['x'] }))).toBe('denied')
})

test('a second reviewer is no answer where the first approved, and the approval of another call does not count', () => {
  const config = compile({ policies: [ask] })
  const approved = readAllowed({ config, bodies: [request('c1'), answer('c1', 'approved')] })
  expect(replay(approved, ask, { ...ask, id: 'again' })).toBe(null)
  const other = readAllowed({
    config: compile({ policies: [{ ...ask, tools: ['a'] }] }),
    bodies: [request('c0', 'a'), answer('c0', 'approved'), request('c1')],
  })
  expect(replay(other, ask)).toBe('waits')
})

test('a stop is blocked, passes, or cannot be judged', () => {
  const incident = readAllowed({ bodies: [request('c1', 'a'), end('c1', 'a'), STOP] })
  const stop = (checker: NonNullable<ConfigDocument['task_completion_checker']>) =>
    replayIncident(compile({ task_completion_checker: checker }), incident)
  expect(incident).toMatchObject({ tool: null, callId: null })
  expect(stop({ id: 'x', type: 'tool_succeeded', tool: 'x' })).toBe('blocked')
  expect(stop({ id: 'x', type: 'tool_succeeded', tool: 'a' })).toBe(null)
  expect(stop({ id: 'x', type: 'expression', require: 'stop.output.x == 1' })).toBe(null)
})

test('a candidate is verified by the whole document, on good sessions and on other marked ones', () => {
  const deploy = (...before: readonly string[]) => {
    const calls = [...before, 'go']
    const events = record(
      nothing,
      calls.flatMap((tool, i) => [request(`c${i}`, tool), end(`c${i}`, tool)]),
    )
    const asked = events.findLast(({ type }) => type === 'tool.requested')
    return { events, seq: asked?.seq ?? 0 }
  }
  const document = { ...HEAD, policies: [order({ go: ['test'] })] }
  const good = [deploy('test').events, deploy('lint').events, deploy('test').events]
  const bad = [deploy('lint'), deploy('test'), deploy()]
  expect(verifyCandidate(nothing, document, { incident: deploy(), good, bad })).toEqual({
    ...{ stops: true, deniedGood: ['sess_1'], cannotReplay: 0, alsoStops: 2 },
  })
  expect(verifyCandidate(nothing, document, { incident: deploy('test'), good: [] })).toEqual({
    ...{ stops: false, deniedGood: [], cannotReplay: 0, alsoStops: 0 },
  })
  const broken = { ...HEAD, policies: [no('odd', { deny_when: '(' })] }
  expect(verifyCandidate(nothing, broken, { incident: deploy(), good, bad })).toEqual({
    ...{ stops: false, deniedGood: [], cannotReplay: 0, alsoStops: 0 },
  })
})

test('a check that would block a good stop denies its session, and one without facts is not known', () => {
  const events = record(nothing, [request('c1', 'a'), end('c1', 'a'), STOP])
  const verify = (checker: NonNullable<ConfigDocument['task_completion_checker']>) => {
    const document = { ...HEAD, task_completion_checker: checker }
    const incident = { events, seq: 0 }
    const { deniedGood, cannotReplay } = verifyCandidate(nothing, document, {
      ...{ incident, good: [events] },
    })
    return [deniedGood.length, cannotReplay]
  }
  expect(verify({ id: 'x', type: 'tool_succeeded', tool: 'x' })).toEqual([1, 0])
  expect(verify({ id: 'x', type: 'tool_succeeded', tool: 'a' })).toEqual([0, 0])
  expect(verify({ id: 'x', type: 'files_exist', files: ['a.md'] })).toEqual([0, 1])
})

test('a call that a reviewer denied in a good session is not denied by the candidate', () => {
  const config = compile({ policies: [ask] })
  const document = { ...HEAD, policies: [ask, order({ go: ['test'] })] }
  const list = (decision: 'approved' | 'denied') => {
    const events = record(config, [request('c1'), answer('c1', decision)])
    const incident = { events, seq: 0 }
    return verifyCandidate(config, document, { incident, good: [events] }).deniedGood
  }
  expect(list('denied')).toEqual([])
  expect(list('approved')).toEqual(['sess_1'])
})

test('a call that was refused anyway is not stopped by a change', () => {
  const config = compile({ policies: [no('no')] })
  const events = record(config, [request('c1')])
  expect(isStopped(config, config, { events, seq: 2 })).toBe(false)
  expect(isStopped(nothing, config, { events: record(nothing, [request('c1')]), seq: 2 })).toBe(
    true,
  )
})
