import { type ToldCall, tellCalls } from '@signalbox/testkit'
import { expect, test } from 'vitest'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import { celExpressions } from '../expression/index.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { PolicyDocument } from '../kinds/policies.ts'
import type { SessionEvent } from '../model/event.ts'
import type { Facts } from '../model/fact.ts'
import type { Edit } from './edit.ts'
import { compileAlone, countAsked, foldAlone } from './fold-alone.ts'
import { type ReadSession, readSession } from './session-rows.ts'
import { numberTools } from './tool-names.ts'

const HEAD: ConfigDocument = { schema_version: 1, ns: 'a', key: 'b' }
const options = { expressions: celExpressions(), customTypes: 'any' as const }

function compile(document: Partial<ConfigDocument>): CompiledConfig {
  const result = compileConfig({ ...HEAD, ...document }, options)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

type Calls = readonly ToldCall[]
const run = (...tools: readonly string[]): Calls => tools.map((tool) => ({ tool }))
const STOP = ''

function read(config: CompiledConfig, calls: Calls): ReadSession {
  const session = readSession(tellCalls(config, calls), {
    ...{ target: null, names: numberTools(), windows: [], wantsFiles: false, pairs: [] },
    maxStopBlocks: config.maxStopBlocks,
    canonicalTool: config.canonicalTool,
    keepsArguments: () => true,
  })
  if (session === null) throw new Error('Calls were told.')
  return session
}

/** The answer about a session of these calls, that ran under `document`, of the changed rule. */
function judge(edit: Edit, calls: Calls, document: Partial<ConfigDocument> = {}) {
  const config = compile(document)
  const alone = compileAlone(config, edit)
  if (alone === null) return null
  return foldAlone(alone, read(config, calls))
}

const add = (policy: Omit<PolicyDocument, 'id'> & { readonly [field: string]: unknown }): Edit => ({
  kind: 'add_policy',
  policy: { id: 'new', ...policy } as PolicyDocument,
})
const ORDER = add({ type: 'sequential_dependency', dependencies: { go: ['a'] } })

test('an added rule refuses a session in which one of its calls would not have run', () => {
  expect(judge(ORDER, run('a', 'go'))).toBe('kept')
  expect(judge(ORDER, run('b', 'go', 'a'))).toBe('refused')
  expect(judge(ORDER, run('b'))).toBe('kept')
})

test('a rule that does not compile alone has no answer', () => {
  expect(judge(add({ type: 'expression', deny_when: '(' }), run('go'))).toBe(null)
})

test('a call that was refused anyway is not refused by the rule', () => {
  const policies = [
    { id: 'no', type: 'expression' as const, tools: ['go'], deny_when: 'has(args.force)' },
  ]
  expect(judge(ORDER, [{ tool: 'go', args: { force: true } }], { policies })).toBe('kept')
  expect(judge(ORDER, [{ tool: 'go', args: { force: true } }])).toBe('refused')
})

test('other rules of the document do not count, but the time that a reviewer takes does', () => {
  const policies = [
    { id: 'ask', type: 'approval' as const, tools: ['go'], timeout_seconds: 60 },
    { id: 'no', type: 'expression' as const, mode: 'shadow' as const, deny_when: 'true' },
  ]
  const approved: Calls = [{ tool: 'go', answer: 'approved' }]
  expect(judge(ORDER, [...run('a'), ...approved], { policies })).toBe('kept')
  expect(judge(ORDER, approved, { policies })).toBe('refused')
  // Calls count from the answer: one in 2 seconds, answered a second after each other.
  const limit = add({ type: 'rate_limit', tools: ['go'], max_calls: 1, per_seconds: 2 })
  expect(judge(limit, [...approved, ...approved], { policies })).toBe('kept')
  expect(judge(limit, run('go', 'go'))).toBe('kept')
  const second = add({ type: 'rate_limit', tools: ['go'], max_calls: 1, per_seconds: 5 })
  expect(judge(second, [...approved, ...approved], { policies })).toBe('refused')
})

test('a rule that counts all calls reads those of every tool', () => {
  const many = (more: object) => add({ type: 'expression', ...more })
  const calls = run('a', 'b', 'go')
  expect(judge(many({ tools: ['go'], deny_when: 'session.calls >= 2' }), calls)).toBe('refused')
  expect(judge(many({ tools: ['go'], deny_when: 'calls.a.succeeded == 1' }), calls)).toBe('refused')
  expect(judge(many({ tools: ['go'], deny_when: 'session.plan.total > 0' }), calls)).toBe('kept')
  expect(judge(many({ deny_when: 'has(args.x)' }), [{ tool: 'b', args: { x: 1 } }])).toBe('refused')
})

test('a rule that reads the plan is told of it', () => {
  const [start, ...rest] = tellCalls(compile({}), run('go'))
  const data = { steps: [{ title: 'a', status: 'done' }] }
  const plan = { ...start, type: 'plan.updated', data } as SessionEvent
  const judgePlan = (events: readonly (SessionEvent | undefined)[]) => {
    const policy = add({ type: 'expression', deny_when: 'session.plan.done == 1' })
    const alone = compileAlone(compile({}), policy)
    const told = { refused: new Set<string>(), unchecked: new Set<number>() }
    const kept = events.filter((event) => event !== undefined)
    return alone && foldAlone(alone, { ...told, waited: new Set(), events: kept })
  }
  expect(judgePlan([start, plan, ...rest])).toBe('refused')
  expect(judgePlan([start, ...rest, plan])).toBe('kept')
})

test('a name of a tool in the log counts as the name that rules use', () => {
  const aliases = { Go: 'go' }
  expect(judge(ORDER, run('Go'), { aliases } as Partial<ConfigDocument>)).toBe('refused')
})

test('an added check refuses a session with a stop that it would have blocked', () => {
  const done: Edit = {
    kind: 'add_checker',
    checker: { id: 'done', type: 'tool_succeeded', tool: 'a' },
  }
  expect(judge(done, run('a', STOP))).toBe('kept')
  expect(judge(done, run('b', STOP))).toBe('refused')
  expect(judge(done, run('b'))).toBe('kept')
  // The stop was blocked anyway.
  const task_completion_checker = { id: 'b', type: 'tool_succeeded' as const, tool: 'b' }
  expect(judge(done, run(STOP, 'a', 'b', STOP), { task_completion_checker })).toBe('kept')
  expect(judge(done, run('a', STOP, 'b', STOP), { task_completion_checker })).toBe('kept')
  expect(judge(done, run('b', STOP), { task_completion_checker })).toBe('refused')
})

const known = (exists: boolean): Facts => ({
  files: { a: exists ? { exists, kind: 'file' } : { exists } },
})
const edit = (facts?: Facts): ToldCall => ({
  ...{ tool: 'edit', args: { path: 'a' }, after: known(true) },
  ...(facts && { facts }),
})

test('a rule about files is not known from a call on whose file nothing is recorded', () => {
  const reads = add({ type: 'read_before_write', read_tools: ['read'], write_tools: ['edit'] })
  expect(judge(reads, [edit(known(false))])).toBe('kept')
  expect(judge(reads, [edit(known(true))])).toBe('refused')
  expect(judge(reads, [edit()])).toBe('cannot_replay')
  // From there on the rule is left out.
  expect(judge(reads, [edit(), { ...edit(known(true)), args: { path: 'b' } }])).toBe(
    'cannot_replay',
  )
  expect(judge(reads, [edit(known(true)), edit()])).toBe('refused')
})

test('a stop without the facts of a check is not known, and the next one is judged again', () => {
  const files: Edit = {
    kind: 'add_checker',
    checker: { id: 'files', type: 'files_exist', files: ['a'] },
  }
  const stop = (facts?: Facts): ToldCall => ({ tool: STOP, ...(facts && { facts }) })
  expect(judge(files, [stop(known(true))])).toBe('kept')
  expect(judge(files, [stop(known(false))])).toBe('refused')
  expect(judge(files, [stop()])).toBe('cannot_replay')
  expect(judge(files, [stop(), stop(known(true))])).toBe('cannot_replay')
  expect(judge(files, [stop(), stop(known(false))])).toBe('refused')
  // A stop that may not have been blocked does not use up the limit on blocked stops.
  const limits = { max_stop_blocks: 1 }
  expect(judge(files, [stop(), stop(known(false))], { limits } as Partial<ConfigDocument>)).toBe(
    'refused',
  )
})

test('rules of own code, and of content, need what the log may lack', () => {
  expect(judge(add({ type: 'acme.budget', tools: ['go'] }), run('go'))).toBe('cannot_replay')
  const keys = { id: 'keys', kind: 'secrets', on: 'arguments', action: 'deny' } as const
  const enforce: Edit = { kind: 'enforce', rule: 'keys' }
  const document = { content: [{ ...keys, mode: 'shadow' as const }] }
  expect(judge(enforce, run('go'), document)).toBe('cannot_replay')
  const only = { content: [{ ...keys, mode: 'shadow' as const, tools: ['x'] }] }
  expect(judge(enforce, run('go'), only)).toBe('kept')
  expect(judge(enforce, run('x'), only)).toBe('cannot_replay')
  const judged: Edit = {
    kind: 'add_checker',
    checker: { id: 'judge', type: 'llm_judge', criteria: 'All is done.' },
  }
  expect(judge(judged, run(STOP))).toBe('cannot_replay')
})

test('a refusal of arguments that were removed from the log is not certain', () => {
  const policy = add({ type: 'expression', tools: ['go'], deny_when: 'args.k != "x"' })
  expect(judge(policy, [{ tool: 'go', args: { k: 'y' } }])).toBe('refused')
  expect(judge(policy, [{ tool: 'go', args: { k: { $redacted: 'keys' } } }])).toBe('cannot_replay')
})

test('an approval would have asked about each call of its tools', () => {
  const config = compile({})
  const count = (calls: Calls, more: object = {}) => {
    const policy = add({ type: 'approval', tools: ['go'], timeout_seconds: 60, ...more })
    const alone = compileAlone(config, policy)
    return alone && countAsked(alone, read(config, calls))
  }
  expect(count(run('go', 'a', 'go', STOP))).toBe(2)
  expect(count(run('a', 'go', 'go'), { when: 'calls.go.calls >= 1' })).toBe(1)
})
