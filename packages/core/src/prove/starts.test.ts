import { expect, test } from 'vitest'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import { atomReader } from '../expression/condition-atoms.ts'
import { celExpressions } from '../expression/index.ts'
import { observe } from './observe.ts'
import { listStarts } from './starts.ts'

function compile(require: string): CompiledConfig {
  const policies = [{ id: 'if', type: 'expression' as const, tools: ['go'], require }]
  const document = { schema_version: 1 as const, ns: 'team', key: 'coder', policies }
  const result = compileConfig(document, { expressions: celExpressions() })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

function list(require: string) {
  const config = compile(require)
  const focus = { tools: ['go'], stops: false, isLean: false }
  return listStarts(config, observe([config], focus, atomReader())).map(({ body, waitMs }) => {
    if (body.type !== 'session.started') throw new Error('A session starts.')
    const { harness, semantics, ...data } = body.data
    return { waitMs, ...data }
  })
}

const ANY = { waitMs: 0, ns: 'team', key: 'coder', environment: 'any-other' }

test('a session starts in one way, if no condition reads how', () => {
  expect(list('args.k == 1')).toEqual([ANY])
})

test('a session starts in each environment that is named, and in another', () => {
  expect(list('session.environment in ["a", "b"]')).toEqual([
    { ...ANY, environment: 'a' },
    { ...ANY, environment: 'b' },
    ANY,
  ])
})

test('a session has a deadline, or none, if a condition reads the time that is left', () => {
  expect(list('session.remaining_seconds > 60')).toEqual([
    ANY,
    { ...ANY, deadline_at: 1_000_001_000 },
  ])
})

test('a session has no tags, or those that are named with each value and another, in every combination', () => {
  expect(list('session.tags.a == "x"')).toEqual([
    ANY,
    { ...ANY, tags: { a: 'x' } },
    { ...ANY, tags: { a: 'any-other' } },
  ])
  const two = list('session.tags.a == "x" || has(session.tags.b)')
  expect(two).toHaveLength(6)
  expect(two).toContainEqual({ ...ANY, tags: { a: 'x', b: 'any-other' } })
  expect(two).toContainEqual({ ...ANY, tags: { b: 'any-other' } })
})
