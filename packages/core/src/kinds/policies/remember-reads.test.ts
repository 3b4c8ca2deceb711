import { expect, it } from 'vitest'
import {
  compileConfig,
  FIRST_SEMANTICS,
  type FileFact,
  initialState,
  SEMANTICS,
  type SessionEvent,
  type SessionState,
  step,
} from '../../index.ts'
import { getIn } from '../../model/persistent-map.ts'
import { findMarks } from './remember-reads.ts'

const rule = (id: string, tool: string) => ({
  id,
  type: 'read_before_write' as const,
  read_tools: ['read_file'],
  write_tools: [tool],
})

const compiled = compileConfig({
  schema_version: 1,
  ns: 'any',
  key: 'prompt',
  policies: [rule('a', 'write_a'), rule('b', 'write_b'), rule('c', 'write_b')],
})
if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems))
const { config } = compiled

interface Seen {
  readonly file?: FileFact
  readonly semantics?: number
}

function after(
  calls: readonly (readonly [tool: string, path: string])[],
  { file = { exists: false }, semantics = FIRST_SEMANTICS }: Seen = {},
): SessionState {
  let state: SessionState = { ...initialState('any:prompt'), semantics }
  const fold = (event: Pick<SessionEvent, 'type' | 'data'>) => {
    const seq = state.seq + 1
    // The pair of type and data is written below, where the compiler sees it.
    state = step(config, state, { session: 'sess_1', seq, at: seq, ...event } as SessionEvent).state
  }
  for (const [tool, path] of calls) {
    const call = { call_id: 'c', tool, facts: { files: { [path]: file } } }
    fold({ type: 'tool.requested', data: { ...call, args: { path } } })
    fold({ type: 'tool.invoked', data: { ...call, outcome: 'success' } })
  }
  return state
}

it('rules share one map of reads while they have the same reads', () => {
  const { reads } = after([
    ['read_file', 'one.txt'],
    ['read_file', 'two.txt'],
  ])
  expect(findMarks(reads, 'a')).toBe(findMarks(reads, 'b'))
  expect(getIn(findMarks(reads, 'a'), 'one.txt')?.seq).toBe(2)
})

it('the map of reads is split when a write adds a file for some rules only', () => {
  const { reads } = after([
    ['read_file', 'one.txt'],
    ['write_b', 'new.txt'],
    ['read_file', 'two.txt'],
  ])
  const known = ['a', 'b', 'c'].map((id) =>
    ['one.txt', 'new.txt', 'two.txt'].map((path) => getIn(findMarks(reads, id), path)?.seq),
  )
  expect(known).toEqual([
    [2, undefined, 6],
    [2, 4, 6],
    [2, 4, 6],
  ])
  expect(findMarks(reads, 'b')).toBe(findMarks(reads, 'c'))
})

it.each<[string, Seen, object | undefined]>([
  [
    'that exists counts, with its content',
    { file: { exists: true, fingerprint: '1' }, semantics: SEMANTICS },
    { seq: 2, fingerprint: '1' },
  ],
  [
    'that exists counts, without a content that is not known',
    { file: { exists: true }, semantics: SEMANTICS },
    { seq: 2, fingerprint: null },
  ],
  ['that is missing does not count', { semantics: SEMANTICS }, undefined],
  [
    'that cannot be looked up does not count',
    { file: { exists: 'unknown' }, semantics: SEMANTICS },
    undefined,
  ],
  ['that is missing counts under semantics 1', {}, { seq: 2, fingerprint: null }],
])('a read of a file %s', (...[, seen, mark]) => {
  const { reads } = after([['read_file', 'one.txt']], seen)
  expect(getIn(findMarks(reads, 'a'), 'one.txt')).toEqual(mark)
})
