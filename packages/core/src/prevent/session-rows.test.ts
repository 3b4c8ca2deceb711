import { expect, test } from 'vitest'
import type { EventBody, SessionEvent, ToolInvoked, ToolRequested } from '../model/event.ts'
import type { Facts, FileFact } from '../model/fact.ts'
import type { JsonObject } from '../model/json.ts'
import { at, type Row, type RowFile } from './row.ts'
import { listRefusedCalls, type Reading, type ReadSession, readSession } from './session-rows.ts'
import { numberTools } from './tool-names.ts'

type Told = EventBody & { readonly at?: number }

const start = (more: object = {}): Told => ({
  type: 'session.started',
  data: { semantics: 2, ns: 'a', key: 'b', environment: 'dev', harness: { name: 'test' }, ...more },
})
const ask = (call_id: string, tool: string, more: Partial<ToolRequested> = {}): Told => ({
  type: 'tool.requested',
  data: { call_id, tool, args: {}, ...more },
})
const end = (call_id: string, tool: string, more: Partial<ToolInvoked> = {}): Told => ({
  type: 'tool.invoked',
  data: { call_id, tool, outcome: 'success', ...more },
})
const decide = (call_id: string, decision: 'allowed' | 'denied' | 'error'): Told => ({
  type: 'tool.decided',
  data: { call_id, tool: 'edit', decision, reason: null, rules: [] },
})
const wait = (call_id: string): Told => ({
  type: 'approval.requested',
  data: { call_id, tool: 'edit', rules: ['ask'], expires_at: 0 },
})
const answer = (call_id: string, decision: 'approved' | 'denied' | 'timed_out'): Told => ({
  type: 'approval.decided',
  data: { call_id, decision },
})

/** Every event a second after the one before, if it says nothing else. */
function tell(told: readonly Told[]): readonly SessionEvent[] {
  return told.map(
    (event, i) =>
      ({ session: 'sess_1', seq: i + 1, at: 1000 * (i + 1), ...event }) as unknown as SessionEvent,
  )
}

function read(told: readonly Told[], more: Partial<Reading> = {}): ReadSession {
  const session = readSession(tell(told), {
    target: 'edit',
    names: numberTools(),
    windows: [],
    wantsFiles: true,
    pairs: [],
    maxStopBlocks: 3,
    canonicalTool: (name) => (name === 'Edit' ? 'edit' : name),
    keepsArguments: () => true,
    ...more,
  })
  if (session === null) throw new Error('Events were told.')
  return session
}

const listSeqs = ({ rows }: ReadSession) => rows.map(({ seq }) => seq)
const lastRow = (told: readonly Told[], more?: Partial<Reading>): Row | undefined =>
  read(told, more).rows.at(-1)

test('a log without events has no rows', () => {
  expect(readSession([], {} as Reading)).toBe(null)
})

test('a session has the name and the time of its first event, and the tools that were called', () => {
  const { id, startedAt, tools } = read([start(), ask('c1', 'Edit'), ask('c2', 'lint')])
  expect({ id, startedAt, tools }).toEqual({
    id: 'sess_1',
    startedAt: 1000,
    tools: new Set(['edit', 'lint']),
  })
})

test('calls of the tool are rows, except those that a rule, a reviewer or the harness refused', () => {
  const told = [
    start(),
    ...[ask('ran', 'Edit'), decide('ran', 'allowed'), end('ran', 'Edit')],
    ...[ask('denied', 'edit'), decide('denied', 'denied')],
    ...[ask('broken', 'edit'), decide('broken', 'error')],
    ...[ask('approved', 'edit'), wait('approved'), answer('approved', 'approved')],
    ...[ask('refused', 'edit'), wait('refused'), answer('refused', 'denied')],
    ...[ask('late', 'edit'), wait('late'), answer('late', 'timed_out')],
    ...[ask('stopped', 'edit'), end('stopped', 'edit', { outcome: 'denied' })],
    ...[ask('other', 'lint'), decide('other', 'allowed')],
  ]
  const session = read(told)
  expect(listSeqs(session)).toEqual([2, 9])
  expect([...session.refused]).toEqual(['denied', 'broken', 'refused', 'late', 'stopped'])
  expect([...session.waited]).toEqual(['approved', 'refused', 'late'])
  expect(listRefusedCalls(tell(told))).toEqual(session.refused)
})

test('a stop is a row if its checks passed it, and could have blocked it', () => {
  const stop = (verdict: string, prior_blocks: number, more: object = {}): readonly Told[] => [
    { type: 'stop.attempted', data: { via: 'turn_end', ...more } },
    // Only the fields that are read.
    { type: 'stop.decided', data: { verdict, prior_blocks } } as unknown as Told,
  ]
  const told = [
    ...stop('allowed', 2),
    ...stop('no_checker', 0),
    ...stop('blocked', 0),
    ...stop('bypassed', 0),
    // As often blocked as the config permits, or the harness.
    ...stop('allowed', 3),
    ...stop('allowed', 1, { harness_max_blocks: 1 }),
    ...stop('allowed', 0, { harness_max_blocks: 1, facts: { files: {} } }),
    ...stop('allowed', 3, { via: 'final' }),
    ...stop('blocked', 0, { via: 'final' }),
  ]
  const session = read(told, { target: null })
  expect(listSeqs(session)).toEqual([1, 3, 13, 15])
  expect([...session.unchecked]).toEqual([5, 7, 9, 11, 17])
  expect(session.rows.map(({ facts }) => facts)).toEqual([
    undefined,
    undefined,
    { files: {} },
    undefined,
  ])
  expect(listSeqs(read(told))).toEqual([])
})

test('a session keeps the events that rules read, without results and without most arguments', () => {
  const args = { path: 'a.txt', file_path: 'b.txt', text: 'long' }
  const invoked = { call_id: 'c1', tool: 'edit', outcome: 'success' } as const
  const { events } = read(
    [
      start(),
      ask('c1', 'Edit', { args }),
      decide('c1', 'allowed'),
      { type: 'config.applied', data: {} } as unknown as Told,
      { type: 'tool.invoked', data: { ...invoked, output: 'long' } },
      { type: 'tool.invoked', data: { ...invoked, error: 'long' } },
      ask('c2', 'lint', { args }),
    ],
    { keepsArguments: (tool) => tool === 'edit' },
  )
  expect(events.map(({ type, data }) => [type, 'args' in data ? data.args : null])).toEqual([
    ['session.started', null],
    ['tool.requested', args],
    ['tool.invoked', null],
    ['tool.invoked', null],
    ['tool.requested', { path: 'a.txt', file_path: 'b.txt' }],
  ])
  expect(events.slice(2, 4).map(({ data }) => data)).toEqual([invoked, invoked])
})

test('a row says what each tool did before: last success, last run, and failures', () => {
  const names = numberTools()
  const row = lastRow(
    [
      ...[ask('c1', 'lint'), end('c1', 'lint')],
      ...[ask('c2', 'test'), end('c2', 'test')],
      ...[ask('c3', 'test'), end('c3', 'test', { outcome: 'failure' })],
      ...[ask('c4', 'test'), end('c4', 'test', { outcome: 'invalid' })],
      ...[ask('c5', 'lint'), end('c5', 'lint', { outcome: 'unknown' })],
      ...[ask('c6', 'lint'), end('c6', 'lint', { outcome: 'denied' })],
      ask('c7', 'edit'),
    ],
    { names },
  )
  const list = (tool: string) => {
    const number = names.number(tool)
    return [row?.successes, row?.runs, row?.failures].map((by) => at(by ?? [], number))
  }
  expect(list('lint')).toEqual([2, 10, 0])
  expect(list('test')).toEqual([4, 6, 2])
  expect(list('edit')).toEqual([0, 0, 0])
})

test('the end of a call that was not requested with this tool is a run, but neither success nor failure', () => {
  const names = numberTools()
  const row = lastRow(
    [
      end('c1', 'a'),
      ...[ask('c2', 'x'), end('c2', 'b')],
      ...[ask('c3', 'x'), end('c3', 'c', { outcome: 'failure' })],
      // A call ends once.
      ...[ask('c4', 'd'), end('c4', 'd'), end('c4', 'd')],
      ask('c5', 'edit'),
    ],
    { names },
  )
  const list = (by: Row['runs'] = []) =>
    ['a', 'b', 'c', 'd'].map((tool) => at(by, names.number(tool)))
  expect(list(row?.runs)).toEqual([1, 3, 5, 8])
  expect(list(row?.successes)).toEqual([0, 0, 0, 7])
  expect(list(row?.failures)).toEqual([0, 0, 0, 0])
})

test('a row counts earlier calls of the tool in each window, from the moment at which each may run', () => {
  const session = read(
    [
      { ...ask('c1', 'edit'), at: 10_000 },
      { ...ask('other', 'lint'), at: 20_000 },
      { ...wait('other'), at: 20_000 },
      { ...answer('other', 'approved'), at: 20_000 },
      { ...ask('denied', 'edit'), at: 30_000 },
      { ...decide('denied', 'denied'), at: 30_000 },
      { ...ask('c2', 'edit'), at: 40_000 },
      { ...wait('c2'), at: 40_000 },
      // 60 seconds after c1 it counts no longer; c2 still waits.
      { ...ask('c3', 'edit'), at: 70_000 },
      { ...answer('c2', 'approved'), at: 80_000 },
      { ...ask('c4', 'edit'), at: 80_001 },
    ],
    { windows: [60, 600] },
  )
  expect(session.rows.map(({ earlier }) => earlier)).toEqual([
    [0, 0],
    [1, 1],
    [0, 1],
    [2, 3],
  ])
})

test('a row has the arguments, and says whether a part was removed or they are no object', () => {
  const list = (args: JsonObject, semantics = 2) => {
    const row = lastRow([start({ semantics }), ask('c1', 'edit', { args })])
    return [row?.args, row?.isHidden, row?.isOpaque, row?.environment]
  }
  expect(list({ a: 1 })).toEqual([{ a: 1 }, false, false, 'dev'])
  expect(list({ a: { $redacted: 'keys' } })).toEqual([
    { a: { $redacted: 'keys' } },
    true,
    false,
    'dev',
  ])
  expect(list({ $value: 'text' })).toEqual([{ $value: 'text' }, false, true, 'dev'])
  expect(list({ $value: 'text' }, 1)[2]).toBe(false)
  expect(lastRow([ask('c1', 'edit')])?.environment).toBe(null)
})

const FILE: FileFact = { exists: true, kind: 'file' }
const GONE: FileFact = { exists: false }
const here = (path: string, file = FILE): Facts => ({ files: { [path]: file } })
const A = { path: 'a' }
const ABOVE = { path: 'd/../a' }
/** Leaves more folders than are looked at. */
const WINDING = Array.from({ length: 17 }, (_, i) => `d${i}/../`).join('')
const NO_LINKS = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`d${i}`, false]))
const UNREAD = [{ exists: true, readers: [] }]
const MISSING = [{ exists: false, readers: [] }]

test.each<[string, Pick<ToolRequested, 'args' | 'facts'>, Row['files']]>([
  ['is there', { args: A, facts: here('a') }, UNREAD],
  ['is not there', { args: A, facts: here('a', GONE) }, MISSING],
  ['is not recorded', { args: A, facts: here('b') }, 'unknown'],
  ['has no facts', { args: A }, 'unknown'],
  [
    'is one of two, the other not recorded',
    { args: { path: ['a', 'b'] }, facts: here('a') },
    'unknown',
  ],
  ['could not be looked up', { args: A, facts: here('a', { exists: 'unknown' }) }, 'refused'],
  ['is a folder', { args: A, facts: here('a', { ...FILE, kind: 'directory' }) }, 'refused'],
  ['was a folder', { args: A, facts: here('a', { ...GONE, kind: 'directory' }) }, MISSING],
  ['is outside the workspace', { args: { path: '../a' }, facts: here('../a') }, 'refused'],
  [
    'was removed from the log',
    { args: { path: { $redacted: 'keys' } }, facts: here('') },
    'refused',
  ],
  ['is above a folder', { args: ABOVE, facts: { ...here('a'), links: { d: false } } }, UNREAD],
  ['is above a link', { args: ABOVE, facts: { ...here('a'), links: { d: true } } }, 'refused'],
  ['is above what is not recorded', { args: ABOVE, facts: here('a') }, 'unknown'],
  [
    'is above too many folders',
    { args: { path: `${WINDING}a` }, facts: { ...here('a'), links: NO_LINKS } },
    'refused',
  ],
  ['is none of the arguments', { args: { text: 'a' } }, []],
])('a file of a call that %s', (_, call, files) => {
  expect(lastRow([start(), ask('c1', 'edit', call)])?.files).toEqual(files)
})

test('a call with more than 100 files, or without an object, is refused by rules about files', () => {
  const names = Array.from({ length: 101 }, (_, i) => `f${i}`)
  const facts = { files: Object.fromEntries(names.map((name) => [name, FILE])) }
  const list = (path: readonly string[]) =>
    lastRow([start(), ask('c1', 'edit', { args: { path: [...path] }, facts })])?.files
  expect(list(names)).toBe('refused')
  expect(list(names.slice(1))).toHaveLength(100)
  expect(lastRow([start(), ask('c1', 'edit', { args: { $value: 'a' } })])?.files).toBe('refused')
})

test('a row says which tools had read its files, and which succeeded on files that were not recorded', () => {
  const names = numberTools()
  const row = lastRow(
    [
      start({ workspace_root: '/ws' }),
      ...[ask('c1', 'read', { args: { path: '/ws/a' } }), end('c1', 'read', { facts: here('a') })],
      ...[ask('c2', 'read', { args: { path: 'a' } }), end('c2', 'read', { facts: here('a') })],
      ...[ask('c3', 'look', { args: { path: 'a' } }), end('c3', 'look', { facts: here('a') })],
      ...[
        ask('c4', 'fail', { args: { path: 'a' } }),
        end('c4', 'fail', { outcome: 'failure', facts: here('a') }),
      ],
      ...[ask('c5', 'blind', { args: { path: 'a' } }), end('c5', 'blind')],
      ...[ask('c6', 'blind', { args: { path: 'b' } }), end('c6', 'blind', { facts: here('a') })],
      ...[
        ask('c7', 'remove', { args: { path: 'a' } }),
        end('c7', 'remove', { facts: here('a', GONE) }),
      ],
      ...[ask('c8', 'out', { args: { path: '../a' } }), end('c8', 'out', { facts: here('a') })],
      ...[
        ask('c9', 'link', { args: { path: 'd/../a' }, facts: { links: { d: true } } }),
        end('c9', 'link', { facts: here('a') }),
      ],
      ask('c10', 'edit', { args: { path: ['./a', 'b'] }, facts: { files: { a: FILE, b: FILE } } }),
    ],
    { names },
  )
  const list = names.list()
  const files: readonly RowFile[] = Array.isArray(row?.files) ? row.files : []
  expect(files.map(({ readers }) => readers.map((i) => list[i]))).toEqual([['read', 'look'], []])
  expect(row?.unseen.map((i) => list[i])).toEqual(['blind'])
})

test('under the first semantics a success on a path is enough, whatever is recorded of the file', () => {
  const told = [
    start({ semantics: 1 }),
    ...[ask('c1', 'read', { args: { path: 'a' } }), end('c1', 'read')],
    ask('c2', 'edit', { args: { path: 'a' }, facts: here('a') }),
  ]
  expect(lastRow(told)?.files).toEqual([{ exists: true, readers: [0] }])
})

test('a tool has read up to 100 files with one call, and none of more', () => {
  const names = Array.from({ length: 101 }, (_, i) => `f${i}`)
  const facts = { files: Object.fromEntries(names.map((name) => [name, FILE])) }
  const list = (path: readonly string[]) =>
    lastRow([
      start(),
      ...[ask('c1', 'read', { args: { path: [...path] } }), end('c1', 'read', { facts })],
      ask('c2', 'edit', { args: { path: 'f1' }, facts: here('f1') }),
    ])?.files
  expect(list(names)).toEqual([{ exists: true, readers: [] }])
  expect(list(names.slice(1))).toEqual([{ exists: true, readers: [0] }])
})

test('files are left out where no candidate looks at them', () => {
  const told = [
    start(),
    ...[ask('c1', 'read', { args: { path: 'a' } }), end('c1', 'read')],
    ask('c2', 'edit', { args: { path: 'b' } }),
  ]
  expect(lastRow(told, { wantsFiles: false })).toMatchObject({ files: [], unseen: [] })
  expect(lastRow(told)).toMatchObject({ files: 'unknown', unseen: [0] })
})

test('the chance of an order is that of every 16th call, from the fourth: is the tool done, and newer?', () => {
  const pass = (tool: string, id: string) => [ask(id, tool), end(id, tool)]
  const names = numberTools()
  for (const tool of ['test', 'write', 'never']) names.number(tool)
  const fill = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ask(`f${from + i}`, 'edit'))
  const { chances } = read(
    [
      // Calls 1 to 4: only the tests passed at the first moment.
      ...[...pass('test', 'c1'), ...fill(2, 3)],
      // Calls 5 to 20: written after the tests.
      ...[...pass('write', 'c5'), ...fill(6, 15)],
      // Calls 21 to 36: tested again. A denied call is a moment, too.
      ...[...pass('test', 'c21'), ...fill(22, 14), ask('c36', 'edit'), decide('c36', 'denied')],
      ...fill(37, 16),
    ],
    {
      names,
      pairs: [
        [0, 1],
        [1, 0],
        [0, 2],
        [2, 0],
      ],
    },
  )
  expect(chances).toEqual({
    moments: 4,
    succeeded: [4, 3],
    newer: [
      [2, 1],
      [1, 2],
      [0, 0],
      [0, 0],
    ],
  })
})
