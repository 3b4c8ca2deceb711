// Rules that look for a path in the same way share one look; rules that look elsewhere have their own.
import { expect, it } from 'vitest'
import { compileConfig, factsNeeded, initialState, type SessionEvent, step } from '../../index.ts'
import { createWorkLimit } from '../../model/expression-engine.ts'
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

it('looks up a path once for rules with the same settings', () => {
  const config = compileReadPolicies([
    rule('a', {}),
    rule('b', { read_tools: ['open'], reads_expire_on_change: false }),
    rule('c', { path_params: ['path', 'file_path'] }),
  ])
  expect(config.rulesFor('write').forms).toHaveLength(1)
})

it('looks up a separate path for each mount point and each list of names', () => {
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

it('reports a call without look-ups as not evaluated', () => {
  const state = initialState('any:prompt')
  const finding = readBeforeWrite(rule('a', {})).check(
    bareCall('write'),
    state,
    createWorkLimit(state),
  )
  expect(finding?.result).toBe('error')
})
