import { expect, it } from 'vitest'
import { factsNeeded } from '../../host/index.ts'
import { compileConfig, initialState, type SessionEvent, step } from '../../index.ts'
import { createWorkLimit } from '../../model/expression-engine.ts'
import type { JsonObject } from '../../model/json.ts'
import { hashMapKey } from '../../model/persistent-map.ts'
import {
  findNormalPath,
  findPaths,
  foundFor,
  listInspectedPaths,
  pathsFor,
  resolvePathForm,
} from './path-argument.ts'
import { bareCall } from './policy.ts'
import { type ReadBeforeWriteDocument, readBeforeWrite } from './read-before-write.ts'

function rule(id: string, fields: Partial<ReadBeforeWriteDocument>): ReadBeforeWriteDocument {
  return {
    id,
    type: 'read_before_write',
    read_tools: ['read'],
    write_tools: ['write'],
    ...fields,
  }
}

function compileReadPolicies(policies: readonly ReadBeforeWriteDocument[]) {
  const compiled = compileConfig({ schema_version: 1, ns: 'any', key: 'prompt', policies })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems))
  return compiled.config
}

function request(args: { readonly [name: string]: string }): SessionEvent {
  const data = { call_id: 'c', tool: 'write', args }
  return { session: 'sess_1', seq: 1, at: 1, type: 'tool.requested', data }
}

it('rules that find the path in the same way share one look-up', () => {
  const config = compileReadPolicies([
    rule('a', {}),
    rule('b', { read_tools: ['open'], reads_expire_on_change: false }),
    rule('c', { path_params: ['path', 'file_path'] }),
  ])
  expect(config.rulesFor('write').forms).toHaveLength(1)
})

it('each mount point and each list of path arguments has its own look-up', () => {
  const config = compileReadPolicies([
    rule('plain', {}),
    rule('mounted', { mount_point: '/workspace' }),
    rule('target', { path_params: ['target'] }),
  ])
  const event = request({ path: '/workspace/a.txt', target: './b.txt' })
  const state = initialState('any:prompt')
  expect(factsNeeded(config, state, event).files).toEqual(['workspace/a.txt', 'a.txt', 'b.txt'])
  const next = step(config, state, event).state
  expect(factsNeeded(config, next, invoked()).files).toEqual(['workspace/a.txt', 'a.txt', 'b.txt'])
})

function invoked(): SessionEvent {
  const data = { call_id: 'c', tool: 'write', outcome: 'success' as const }
  return { session: 'sess_1', seq: 2, at: 2, type: 'tool.invoked', data }
}

it('a read_before_write rule gives an error for a call without look-ups', () => {
  const state = initialState('any:prompt')
  const finding = readBeforeWrite(rule('a', {})).check(
    bareCall('write'),
    state,
    createWorkLimit(state),
  )
  expect(finding?.result).toBe('error')
})

it('the paths of a call are read from every argument in order, and from one form', () => {
  const form = resolvePathForm({ mount_point: '/w' })
  const state = { ...initialState('any:prompt'), semantics: 2 }
  const facts = { files: { 'a.txt': { exists: true } } }
  const find = (args: JsonObject) => findPaths(form, { args, facts }, state)
  const unknown = { exists: 'unknown' }
  const paths = find({ file_path: ['/w/x/../a.txt', 3], path: '../b', other: 'c' })
  expect(paths).toEqual({
    form: JSON.stringify(['/w', 'path', 'file_path']),
    found: [
      { given: '../b', normal: null, hash: 0, left: [null], hidden: false, file: unknown },
      {
        given: '/w/x/../a.txt',
        normal: 'a.txt',
        hash: hashMapKey('a.txt'),
        left: ['x'],
        hidden: false,
        file: { exists: true },
      },
    ],
  })
  expect(find({ path: { $redacted: 'r' } }).found).toEqual([
    { given: null, normal: null, hash: 0, left: [], hidden: true, file: unknown },
  ])
  expect(foundFor([paths], form)).toBe(paths)
  expect(foundFor([paths], resolvePathForm({}))).toBeUndefined()
  expect(findNormalPath([paths], form, '/w/x/../a.txt')).toBe('a.txt')
  expect(findNormalPath([paths], form, '../b')).toBeNull()
  expect(findNormalPath([find({ path: 'c' })], form, undefined)).toBe('c')
  expect(findNormalPath([], form, '../b')).toBeNull()
  const pending = [
    { form: form.key, path: 'one' },
    { form: 'other', path: 'two' },
  ]
  expect(pathsFor(pending, form)).toEqual(['one'])
})

it('none of too many paths is looked up', () => {
  const form = resolvePathForm({})
  const state = { ...initialState('any:prompt'), semantics: 2 }
  const many = (count: number) => {
    const path = Array.from({ length: count }, (_, i) => `f${i}`)
    return listInspectedPaths(findPaths(form, { args: { path } }, state)).length
  }
  expect([many(100), many(101)]).toEqual([100, 0])
  expect(listInspectedPaths(undefined)).toEqual([])
})
