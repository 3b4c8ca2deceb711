// A document of 1 MiB may contain tens of thousands of names; compiling it must take no longer than reading it.

import { expect, test } from 'vitest'
import type { ConfigDocument } from '../kinds/config.ts'
import { compileChecked, lintConfig } from '../lint/index.ts'
import { compileConfig } from './compile.ts'

function ordered(dependencies: { readonly [tool: string]: readonly string[] }): ConfigDocument {
  return {
    schema_version: 1,
    ns: 'a',
    key: 'b',
    policies: [{ id: 'order', type: 'sequential_dependency', dependencies }],
  }
}

const listProblemCodes = (document: ConfigDocument): readonly string[] =>
  compileChecked(document).problems.map(({ code, pointer }) => `${code} ${pointer}`)

test('a chain of 20,000 prerequisites compiles', () => {
  const chain = Array.from({ length: 20_000 }, (_, i) => [`t${i + 1}`, [`t${i}`]] as const)
  expect(compileChecked(ordered(Object.fromEntries(chain))).ok).toBe(true)
})

test('lint reports too many prerequisites as one error, however many rules name them', () => {
  const names = Array.from({ length: 150 }, (_, i) => `t${i}`)
  const each = { type: 'sequential_dependency' as const, dependencies: { deploy: names } }
  const policies = Array.from({ length: 134 }, (_, rule) => ({ id: `order-${rule}`, ...each }))
  const document = { schema_version: 1 as const, ns: 'a', key: 'b', policies }
  const problems = lintConfig(document).map(({ code, pointer }) => `${code} ${pointer}`)
  expect(problems).toEqual(['too_many_prerequisites /policies/133/dependencies'])
  expect(compileChecked({ ...document, policies: policies.slice(1) }).ok).toBe(true)
})

test('lint reports exactly the prerequisites on a cycle of 5,000 tools', () => {
  const size = 5000
  const circle = Array.from({ length: size }, (_, i) => [`t${i}`, [`t${(i + 1) % size}`]] as const)
  const codes = listProblemCodes(ordered({ ...Object.fromEntries(circle), outside: ['t0'] }))
  expect(codes).toHaveLength(size)
  expect(codes).not.toContain('dependency_cycle /policies/0/dependencies/outside/0')
})

test('lint reports two cycles, but not the path that joins them', () => {
  const codes = listProblemCodes(ordered({ a: ['b'], b: ['a', 'c'], c: ['d'], d: ['c'] }))
  expect(codes).toEqual([
    'dependency_cycle /policies/0/dependencies/a/0',
    'dependency_cycle /policies/0/dependencies/b/0',
    'dependency_cycle /policies/0/dependencies/c/0',
    'dependency_cycle /policies/0/dependencies/d/0',
  ])
})

test('a config of 500 rules with 200 tools each compiles, and finds the rules of a tool', () => {
  const policies = Array.from({ length: 500 }, (_, rule) => ({
    id: `limit-${rule}`,
    type: 'rate_limit' as const,
    tools: ['shared', ...Array.from({ length: 199 }, (_, i) => `t${rule}-${i}`)],
    max_calls: 1,
    per_seconds: 1,
  }))
  const result = compileConfig({ schema_version: 1, ns: 'a', key: 'b', policies })
  const governing = (tool: string) => (result.ok ? result.config.rulesFor(tool).policies : [])
  expect(governing('shared').map(({ id }) => id)).toEqual(policies.map(({ id }) => id))
  expect(governing('t499-0').map(({ id }) => id)).toEqual(['limit-499'])
  expect(governing('unknown')).toEqual([])
})
