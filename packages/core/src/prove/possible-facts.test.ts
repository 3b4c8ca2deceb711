import { expect, test } from 'vitest'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import { celExpressions } from '../expression/index.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { EventBody } from '../model/event.ts'
import type { Facts } from '../model/fact.ts'
import type { JsonObject } from '../model/json.ts'
import { begin, play } from './moves.ts'
import { listFacts } from './possible-facts.ts'

function compile(document: Partial<ConfigDocument>): CompiledConfig {
  const options = { expressions: celExpressions(), customTypes: 'any' as const }
  const result = compileConfig({ schema_version: 1, ns: 'a', key: 'b', ...document }, options)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

const head = { semantics: 2, ns: 'a', key: 'b', environment: 'dev', harness: { name: 'test' } }
const START: EventBody = { type: 'session.started', data: head }
const ask = (tool: string, args: JsonObject = {}): EventBody => ({
  type: 'tool.requested',
  data: { call_id: 'c1', tool, args },
})
const end = (tool: string): EventBody => ({
  type: 'tool.invoked',
  data: { call_id: 'c1', tool, outcome: 'success' },
})
const STOP: EventBody = { type: 'stop.attempted', data: { via: 'turn_end' } }

/** All facts that the last event can come with. */
function list(document: Partial<ConfigDocument>, ...bodies: readonly EventBody[]) {
  const configs = [compile(document)]
  const moves = [START, ...bodies].map((body) => ({ body, waitMs: 1 }))
  const moment = play(configs, begin(configs), moves.slice(0, -1))
  return listFacts(configs, moment, moves.at(-1)?.body ?? START)
}

const READS = {
  id: 'reads',
  type: 'read_before_write',
  read_tools: ['read'],
  write_tools: ['edit'],
}
const reads = { policies: [READS] } as Partial<ConfigDocument>
const NONE = [undefined]
const KNOWN = { exists: true, kind: 'file', fingerprint: 'known' }

test('an event has no facts where no rule asks for one', () => {
  expect(list({}, ask('edit', { path: 'a' }))).toEqual(NONE)
  expect(list({}, STOP)).toEqual(NONE)
  expect(list(reads, ask('other', { path: 'a' }))).toEqual(NONE)
  expect(list(reads, ask('edit'))).toEqual(NONE)
})

test('a file of a call is as it was read, changed, or absent', () => {
  const files = [KNOWN, { ...KNOWN, fingerprint: 'changed' }, { exists: false }]
  expect(list(reads, ask('edit', { path: 'a' }))).toEqual(files.map((a) => ({ files: { a } })))
})

test('after a call the agent knows the file', () => {
  expect(list(reads, ask('read', { path: 'a' }), end('read'))).toEqual([{ files: { a: KNOWN } }])
})

test('a folder on the way to a file is no link', () => {
  const found = list(reads, ask('edit', { path: 'd/../a' }))
  expect(found).toHaveLength(3)
  for (const facts of found) expect(facts?.links).toEqual({ d: false })
})

test('own rules, checks and feedback answer both ways, if an answer decides', () => {
  const own = { id: 'own', type: 'acme.budget', tools: ['go'] }
  expect(list({ policies: [own] } as Partial<ConfigDocument>, ask('go'))).toEqual([
    { answers: { own: { kind: 'policy', allow: true } } },
    { answers: { own: { kind: 'policy', allow: false } } },
  ])
  expect(list({ policies: [own] } as Partial<ConfigDocument>, ask('other'))).toEqual(NONE)
  const judge = { id: 'judge', type: 'llm_judge', criteria: 'All is done.' } as const
  expect(list({ task_completion_checker: judge }, STOP)).toEqual([
    { answers: { judge: { kind: 'check', complete: true } } },
    { answers: { judge: { kind: 'check', complete: false } } },
  ])
  const advice = { id: 'tip', type: 'acme.tip', trigger: { every_n_calls: 1 } }
  const feedback = { feedback_providers: [advice] } as Partial<ConfigDocument>
  expect(list(feedback, ask('go'), end('go'))).toEqual([
    { answers: { tip: { kind: 'feedback', advice: null } } },
  ])
})

test('two own rules answer in every combination', () => {
  const own = (id: string) => ({ id, type: 'acme.budget', tools: ['go'] })
  const policies = [own('one'), own('two')]
  const found = list({ policies } as Partial<ConfigDocument>, ask('go'))
  const answers = found.map((facts) =>
    Object.values(facts?.answers ?? {}).map((one) => one.kind === 'policy' && one.allow),
  )
  expect(answers).toHaveLength(4)
  expect(answers).toContainEqual([false, true])
})

test('a check of two files has each of them there, changed or absent, together', () => {
  const checker = { id: 'files', type: 'files_exist', files: ['a', 'b'] } as const
  const found = list({ task_completion_checker: checker }, STOP)
  expect(
    found.map((facts) => Object.values(facts?.files ?? {}).map(({ exists }) => exists)),
  ).toEqual([
    [true, true],
    [true, true],
    [false, false],
  ])
})

test('a question is asked only where the facts before leave it open', () => {
  const checkers = [
    { id: 'files', type: 'files_exist', files: ['a'] },
    { id: 'judge', type: 'llm_judge', criteria: 'All is done.' },
  ] as const
  const checker = { id: 'any', type: 'composite', all_must_pass: false, checkers } as const
  const found = list({ task_completion_checker: checker }, STOP)
  expect(found.map((facts) => [facts?.files?.['a']?.exists, 'answers' in (facts ?? {})])).toEqual([
    [true, false],
    [true, false],
    [false, true],
    [false, true],
  ])
})

test('content rules looked at the value of an event, and found nothing', () => {
  const keys = { id: 'keys', kind: 'secrets', on: 'arguments', action: 'deny' } as const
  const results = { ...keys, id: 'results', on: 'result', action: 'mask' } as const
  const checked = (id: string): readonly Facts[] => [
    { content: { detectors: [], checked: [id], found: [] } },
  ]
  expect(list({ content: [keys] }, ask('go'))).toEqual(checked('keys'))
  expect(list({ content: [keys] }, ask('go'), end('go'))).toEqual(NONE)
  expect(list({ content: [results] }, ask('go'))).toEqual(NONE)
  expect(list({ content: [results] }, ask('go'), end('go'))).toEqual(checked('results'))
  expect(list({ content: [{ ...keys, tools: ['x'] }] }, ask('go'))).toEqual(NONE)
})
