import { type ToldCall, tellCalls } from '@signalbox/testkit'
import { expect, test } from 'vitest'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import { celExpressions } from '../expression/index.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { Facts } from '../model/fact.ts'
import type { JsonObject } from '../model/json.ts'
import { applyEdit } from './edit.ts'
import { readIncident } from './incident.ts'
import { Search } from './prevent.ts'
import { describeCandidate } from './sentences.ts'

const HEAD: ConfigDocument = { schema_version: 1, ns: 'a', key: 'b' }
const expressions = celExpressions()

function compile(document: Partial<ConfigDocument>): CompiledConfig {
  const result = compileConfig({ ...HEAD, ...document }, { expressions })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

type Calls = readonly ToldCall[]
const run = (...tools: readonly string[]): Calls => tools.map((tool) => ({ tool }))

/** Sentences of the changes that would have refused the last call or stop, before the engine has tried them. */
function list(
  document: Partial<ConfigDocument>,
  bad: Calls,
  good: readonly Calls[],
): readonly string[] {
  const config = compile(document)
  const events = tellCalls(config, bad)
  const last = events.findLast(({ type }) => type === 'tool.requested' || type === 'stop.attempted')
  const read = readIncident(config, events, last?.seq ?? 0)
  if (!read.ok) throw new Error(read.fault.code)
  const search = new Search(read.incident)
  for (const [i, calls] of good.entries()) search.addGood(tellCalls(config, calls, i + 1))
  return search
    .listDrafts(search.table())
    .map((draft) => describeCandidate(applyEdit(config.document, draft.edit), draft))
}
const STOP = ''
const ASK = 'Calls of `go` wait up to 15 minutes for a reviewer'
const NEVER = 'Denies all calls of `go`'
/** Without the reviewer, who can always be asked. */
const listOwn = (...asked: Parameters<typeof list>) => list(...asked).filter((one) => one !== ASK)

test('a call may need a tool that had not succeeded, or one that had succeeded before another', () => {
  const good = [run('build', 'lint', 'test', 'go', 'go')]
  expect(list({}, run('lint', 'test', 'go'), good)).toEqual([
    '`go` needs `build` first',
    '`go` needs `lint` since the last `test`',
    ASK,
  ])
  const failed: Calls = [
    ...run('build', 'lint'),
    { tool: 'test', outcome: 'failure' },
    ...run('go'),
  ]
  expect(listOwn({}, failed, good)).toEqual([
    '`go` needs `test` first',
    '`go` needs `build` since the last `lint`',
  ])
})

test('a call does not need itself, and no tool may make it outdated or be outdated by it', () => {
  expect(listOwn({}, run('go'), [run('go')])).toEqual([])
  expect(listOwn({}, run('go', 'test', 'go'), [run('go', 'test', 'go', 'go')])).toEqual([])
  expect(listOwn({}, run('test', 'go', 'go'), [run('test', 'go', 'go', 'go')])).toEqual([])
})

test('without good calls there is no order that was always so, and the tool may be denied', () => {
  expect(list({}, run('test', 'lint', 'go'), [run('build')])).toEqual([NEVER, ASK])
  expect(list({}, run('test', 'lint', STOP), [run('build')])).toEqual([])
})

const needs = (dependencies: Readonly<Record<string, readonly string[]>>, more: object = {}) => ({
  policies: [{ id: 'order', type: 'sequential_dependency' as const, dependencies, ...more }],
})

test('a missing tool joins a rule about what the call needs, if a success counts there whenever it was', () => {
  const find = (document: Partial<ConfigDocument>) =>
    list(document, run('a', 'go'), [run('a', 'b', 'go')])[0]
  expect(find(needs({ go: ['a'], x: ['y'] }))).toMatch(
    /^Change `order`: `go` needs `a` and `b` first; /,
  )
  const own = '`go` needs `b` first'
  expect(find(needs({ go: ['a'] }, { after: ['x'] }))).toBe(own)
  expect(find(needs({ go: [] }))).toBe(own)
  expect(find(needs({ x: ['a'] }))).toBe(own)
  expect(find(needs({ go: ['a'] }, { mode: 'shadow' }))).toBe(own)
})

test('what makes a tool outdated joins a rule that is only about this order', () => {
  const find = (document: Partial<ConfigDocument>) =>
    list(document, run('a', 'w', 'go'), [run('w', 'a', 'go')])[0]
  expect(find(needs({ go: ['a'] }))).toMatch(/^Change `order`: .*`a` since the last `w`/)
  expect(find(needs({ go: ['a'] }, { after: ['x'] }))).toMatch(/since the last `x` or `w`/)
  const own = '`go` needs `a` since the last `w`'
  expect(find(needs({ go: ['a'], x: ['a'] }))).toBe(own)
  expect(find(needs({ go: ['a', 'w'] }))).toBe(own)
  expect(find(needs({ x: ['a'] }))).toBe(own)
})

test('a rule of a section is changed only for the tools of the section', () => {
  const section = (tools: readonly string[]) => ({
    sections: [{ id: 's', title: 'S', tools, ...needs({ go: ['a'] }) }],
  })
  const bad = run('a', 'go')
  const good = [run('a', 'b', 'go')]
  expect(list(section(['go']), bad, good)[0]).toMatch(/^Change `order`/)
  expect(list(section(['x']), bad, good)[0]).toBe('`go` needs `b` first')
})

test('a stop may need a tool whose last run was no success, or one that succeeded before another', () => {
  const good = [run('write', 'lint', 'test', STOP)]
  expect(list({}, run('test', 'write', STOP), good)).toEqual([
    'A stop passes only if `lint` succeeded',
    'A stop passes only if `test` succeeded since the last `write`',
  ])
  const rerun: Calls = [...run('test', 'lint', 'write'), { tool: 'test', outcome: 'failure' }]
  expect(list({}, [...rerun, ...run(STOP)], good)[0]).toBe('A stop passes only if `test` succeeded')
})

test('what makes a tool outdated joins the check of this tool', () => {
  const check = (tool: string, more: object = {}) => ({
    task_completion_checker: { id: 'own', type: 'tool_succeeded' as const, tool, ...more },
  })
  const find = (document: Partial<ConfigDocument>) =>
    list(document, run('lint', 'test', 'write', STOP), [run('lint', 'write', 'test', STOP)]).at(-1)
  expect(find(check('test', { after: ['x'] }))).toBe(
    'Change `own`: a stop passes only if `test` succeeded since the last `x` or `write`',
  )
  expect(find(check('lint'))).toBe('A stop passes only if `test` succeeded since the last `write`')
})

const files = (more: NonNullable<Facts['files']>): Facts => ({ files: more })

test('a stop may need a file that was known to be missing', () => {
  const at = (facts: Facts): Calls => [{ tool: STOP, facts }]
  const known = files({
    'gone.md': { exists: false },
    'here.md': { exists: true },
    'odd.md': { exists: 'unknown' },
  })
  expect(list({}, at(known), [])).toEqual(['A stop passes only if `gone.md` exists'])
  const task_completion_checker = { id: 'own', type: 'files_exist' as const, files: ['here.md'] }
  expect(list({ task_completion_checker }, at(known), [])).toEqual([
    'Change `own`: a stop passes only if `here.md` and `gone.md` exist',
  ])
})

const FILE = { exists: true, kind: 'file' } as const
const touch = (tool: string, path: string): ToldCall => ({
  ...{ tool, args: { path }, facts: files({ [path]: FILE }), after: files({ [path]: FILE }) },
})

test('an existing file may have to be read first, by a tool that reads it in good sessions', () => {
  const find = (bad: Calls, good: Calls) =>
    list({}, bad, [good]).filter((one) => one.includes('overwrite'))
  const read = '`go` may overwrite a file only after `read` has read it'
  const good = [touch('read', 'a'), touch('look', 'b'), touch('go', 'a')]
  expect(find([touch('go', 'a')], good)).toEqual([read])
  // Another file was read, or the wrong tool did.
  expect(find([touch('read', 'b'), touch('go', 'a')], good)).toEqual([read])
  const both = files({ a: FILE, b: { exists: false } })
  expect(find([{ tool: 'go', args: { path: ['b', 'a'] }, facts: both }], good)).toEqual([read])
  // A tool knows the files that it wrote, and no tool has to read a new one.
  expect(find([touch('go', 'a'), touch('go', 'a')], good)).toEqual([])
  const fresh = { ...touch('go', 'a'), facts: files({ a: { exists: false } }) }
  expect(find([fresh], good)).toEqual([])
  expect(find([{ ...touch('go', 'a'), facts: {} }], good)).toEqual([])
  // In good sessions only the tool itself touches the file.
  expect(
    find([touch('go', 'a')], [touch('read', 'b'), touch('go', 'a'), touch('go', 'a')]),
  ).toEqual([])
})

const limit = (more: object = {}) => ({
  policies: [
    {
      ...{ id: 'rate', type: 'rate_limit' as const, tools: ['go'], max_calls: 9, per_seconds: 30 },
      ...more,
    },
  ],
})

test('a tool may be called as often as good sessions do in each window, and in that of a limit of its own', () => {
  const find = (document: Partial<ConfigDocument>, bad = 4) =>
    listOwn(document, run(...Array<string>(bad).fill('go')), [run('go', 'go'), run('go')])
  const usual = [
    'At most 2 calls of `go` per minute',
    'At most 2 calls of `go` in 10 minutes',
    'At most 2 calls of `go` per hour',
  ]
  expect(find({})).toEqual(usual)
  expect(find({}, 3)).toEqual(usual)
  expect(find({}, 2)).toEqual([])
  expect(find(limit())).toEqual(['Change `rate`: At most 2 calls of `go` in 30 s', ...usual])
  expect(find(limit({ per_seconds: 600 }))).toEqual([
    usual[0],
    'Change `rate`: At most 2 calls of `go` in 10 minutes',
    usual[2],
  ])
  expect(find(limit({ mode: 'shadow' }))).toEqual(usual)
  expect(find(limit({ tools: ['go', 'x'] }))).toEqual(usual)
})

test('a rule that would refuse the call is widened to its tool, if it has a list of tools', () => {
  const find = (policy: object, document: Partial<ConfigDocument> = {}) =>
    list(
      { ...document, policies: [policy as NonNullable<ConfigDocument['policies']>[number]] },
      [{ ...touch('go', 'a'), args: { path: 'a', force: true } }],
      [run('go')],
    ).filter((one) => one.startsWith('Change'))
  const force = { id: 'own', type: 'expression', deny_when: 'has(args.force)' }
  expect(find({ ...force, tools: ['x'] })).toEqual([
    'Change `own`: Denies calls of `x` or `go` when `has(args.force)`',
  ])
  expect(find({ ...force, tools: ['x'], deny_when: 'has(args.dry)' })).toEqual([])
  expect(find({ ...force, tools: ['x'], mode: 'shadow' })).toEqual([])
  const ask = { id: 'own', type: 'approval', tools: ['x'], timeout_seconds: 60 }
  expect(find(ask)).toEqual([
    'Change `own`: Calls of `x` or `go` wait up to 1 minute for a reviewer',
  ])
  const reads = { id: 'own', type: 'read_before_write', read_tools: ['read'] }
  expect(find({ ...reads, write_tools: ['x'] })).toEqual([
    'Change `own`: `x` and `go` may overwrite a file only after `read` has read it',
  ])
  expect(find({ id: 'own', type: 'sequential_dependency', dependencies: { x: ['a'] } })).toEqual([])
})

test('a limit that is shared with more tools is widened, too', () => {
  const document = limit({ tools: ['x'], max_calls: 1 })
  expect(list(document, run('x', 'go'), [run('go')])[0]).toBe(
    'Change `rate`: At most 1 call of `x` or `go` in 30 s',
  )
})

test('a rule that only watches is enforced, if it would refuse the call', () => {
  const shadow = (id: string, deny_when: string) => ({
    ...{ id, type: 'expression' as const, mode: 'shadow' as const, tools: ['go'], deny_when },
  })
  const policies = [shadow('quiet', 'false'), shadow('loud', 'true')]
  const find = (document: Partial<ConfigDocument>) =>
    list(document, [{ tool: 'go', args: { text: 'AKIA' } }], [run('go')]).filter((one) =>
      one.startsWith('Enforce'),
    )
  expect(find({ policies })).toEqual(['Enforce `loud`: Denies all calls of `go`'])
})

test('a condition reads a count of failures only from the second one, and not of the tool itself', () => {
  const fail = (tool: string, times: number): Calls =>
    Array<ToldCall>(times).fill({ tool, outcome: 'failure' })
  const call = (k: string): ToldCall => ({ tool: 'go', args: { k } })
  const good = [
    [{ tool: 'a' }, call('x')],
    [{ tool: 'a' }, call('y')],
  ]
  const find = (before: Calls) =>
    list({}, [...before, call('x')], good as Calls[]).filter((one) => one.startsWith('Denies'))
  expect(find([{ tool: 'a' }])).toEqual([])
  expect(find([{ tool: 'a' }, ...fail('a', 1)])).toEqual([])
  expect(find([{ tool: 'a' }, ...fail('a', 2)])).toEqual([
    'Denies calls of `go` when `has(args.k) && args.k == "x" && calls.a.failed >= 2`',
  ])
  expect(find([])).toEqual([
    'Denies calls of `go` when `has(args.k) && args.k == "x" && calls.a.succeeded == 0`',
  ])
})

test('a condition is joined with what is true of the fewest good calls, and of equal ones with the most general', () => {
  const call = (args: JsonObject): ToldCall => ({ tool: 'go', args })
  const find = (others: readonly JsonObject[]) =>
    list({}, [call({ c: 'x', a: true, b: true })], [others.map(call)])
      .filter((one) => one.startsWith('Denies'))
      .map((one) => one.replaceAll(/^.* when `(has[^ ]* && )*|`$/g, ''))
  const last = { a: false, b: false, c: 'x' }
  expect(find([{ a: true, b: true, c: 'y' }, last])).toEqual([
    'args.c == "x" && args.a == true',
    'args.b == true && args.c == "x"',
  ])
  expect(find([{ a: true, b: false, c: 'y' }, { a: false, b: true, c: 'y' }, last])).toEqual([
    'args.c == "x" && args.a == true',
    'args.a == true && args.b == true',
  ])
})

test('a condition has up to three parts', () => {
  const call = (on: readonly string[]): ToldCall => ({
    tool: 'go',
    args: Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, on.includes(name)])),
  })
  const find = (bad: readonly string[], good: readonly (readonly string[])[]) =>
    list({}, [call(bad)], [good.map(call)]).filter((one) => one.startsWith('Denies'))
  const pairs = [
    ['a', 'b'],
    ['a', 'c'],
    ['b', 'c'],
  ]
  const three = find(
    ['a', 'b', 'c', 'd'],
    pairs.map((one) => [...one, 'd']),
  )
  expect(three).toHaveLength(1)
  expect(three[0]).toContain('args.a == true && args.b == true && args.c == true')
  const four = [...pairs.map((one) => [...one, 'd']), ['a', 'b', 'c']]
  expect(find(['a', 'b', 'c', 'd'], four)).toEqual([])
})

test('no condition is proposed about arguments that are no object', () => {
  const call: ToldCall = { tool: 'go', args: { $value: 'x' } }
  expect(listOwn({}, [call], [[{ tool: 'go', args: { $value: 'y' } }]])).toEqual([])
})
