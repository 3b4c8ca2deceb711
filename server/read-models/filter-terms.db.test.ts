// The filter text of the lists against real PostgreSQL: what each field finds, and that every field of every grammar is one of the list's.
import { beforeAll, describe, expect, test } from 'vitest'
import {
  DENIAL_GRAMMAR,
  readFilterText,
  SESSION_GRAMMAR,
  STOP_GRAMMAR,
} from '@/components/lists/filter-fields.ts'
import type { Grammar } from '@/components/lists/filter-grammar.ts'
import { withTestDatabase } from '../db/test-database.ts'
import { postEvents } from '../http/ingest-events.ts'
import {
  callerOf,
  chained,
  type Draft,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  started,
} from '../test/installation.ts'

withTestDatabase()

type Caller = Awaited<ReturnType<typeof callerOf>>

const AT = 1_795_000_000_000
let viewer: Caller
let key: string

async function send(name: string, drafts: readonly Draft[]): Promise<string> {
  const session = newSessionId()
  const events = chained(session, [started({ ns: 'terms', key: name }), ...drafts], { at: AT })
  const answer = await postEvents(eventsRequest(key, ndjson(events)))
  expect(await answer.json()).toMatchObject({ errors: [] })
  return session
}

function refused(
  tool: string,
  {
    decision,
    reason_class,
    rule,
  }: {
    readonly decision: 'denied' | 'error'
    readonly reason_class: 'rule_said_no' | 'prerequisite_missing' | 'could_not_evaluate'
    readonly rule: string
  },
): Draft {
  const result = decision === 'error' ? 'error' : 'deny'
  const of = { rule, pointer: '/policies/0', type: 'custom', mode: 'enforce', result } as const
  const rules = [{ ...of, code: `code.${rule}`, params: {}, because: [], reason_class }]
  return { type: 'tool.decided', data: { call_id: 'c', tool, decision, reason: 'No.', rules } }
}

const ENDED: Draft = { type: 'session.ended', data: { reason: 'completed' } }

beforeAll(async () => {
  const project = await installed()
  key = await makeKey(project)
  viewer = await callerOf(project, 'viewer')
  await send('one', [
    refused('deploy', { decision: 'error', reason_class: 'could_not_evaluate', rule: 'remote' }),
    refused('write', { decision: 'denied', reason_class: 'rule_said_no', rule: 'no-write' }),
  ])
  await send('two', [
    refused('Deploy_All', {
      ...{ decision: 'denied', reason_class: 'prerequisite_missing', rule: 'tests-first' },
    }),
    { type: 'stop.attempted', data: { via: 'turn_end' } },
    ENDED,
  ])
})

const read = (text: string, grammar: Grammar) => {
  const { terms, problem } = readFilterText(text, grammar)
  expect(problem).toBeNull()
  return { terms }
}

describe('denied calls', () => {
  test.each([
    ['tool:deploy', ['Deploy_All', 'deploy']],
    ['tool:(write OR all)', ['Deploy_All', 'write']],
    ['-tool:deploy', ['write']],
    ['class:could-not-evaluate', ['deploy']],
    ['-class:(could-not-evaluate OR rule-said-no)', ['Deploy_All']],
    ['decision:error prompt:terms/one', ['deploy']],
    ['rule:no- deploy', []],
    ['no-write', ['write']],
    ['-no-write env:dev', ['Deploy_All', 'deploy']],
    ['code:"code.remote"', ['deploy']],
    ['at:>2100-01-01', []],
    // No runtime is known, and no version.
    ['runtime:worker', []],
    ['-version:1 tool:write', ['write']],
  ])('%s', async (text, tools) => {
    const { denials } = await viewer.decisions.list({ filter: read(text, DENIAL_GRAMMAR) })
    expect(denials.map(({ tool }) => tool).sort()).toEqual(tools)
  })
})

describe('sessions', () => {
  test.each([
    ['status:ended', ['two']],
    ['-status:ended', ['one']],
    ['status:(ended OR lost OR running) prompt:terms', ['one', 'two']],
    ['denied:>1', ['one']],
    ['denied:1..2 verdict:denied', ['one', 'two']],
    ['ending:completed plan-done:no-plan', ['two']],
    // Neither had a deadline.
    ['time-used:0..100', []],
    ['-time-used:>50 -status:ended', ['one']],
    ['started:2026-01-01..2026-12-31 two', ['two']],
  ])('%s', async (text, keys) => {
    const { sessions } = await viewer.sessions.list({ filter: read(text, SESSION_GRAMMAR) })
    expect(sessions.map((row) => row.key).sort()).toEqual(keys)
  })
})

/** A term for each field, with a value that it takes. */
function everyTerm({ texts, choices = {}, numbers }: Grammar): readonly string[] {
  return [
    ...texts.map((field) => `${field}:x`),
    ...Object.entries(choices).flatMap(([field, values]) => values.map((one) => `${field}:${one}`)),
    ...Object.entries(numbers).map(([field, numberOf]) =>
      numberOf('1') === null ? `${field}:2026-11-20` : `${field}:1`,
    ),
  ]
}

test('the lists know every field of their grammar: a row has it, or the negated term finds the row', async () => {
  const [sessions, denials] = [
    (await viewer.sessions.list({ filter: {} })).sessions.length,
    (await viewer.decisions.list({ filter: {} })).denials.length,
  ]
  for (const text of everyTerm(SESSION_GRAMMAR)) {
    const of = async (term: string) =>
      (await viewer.sessions.list({ filter: read(term, SESSION_GRAMMAR) })).sessions.length
    expect((await of(text)) + (await of(`-${text}`)), text).toBe(sessions)
  }
  for (const text of everyTerm(DENIAL_GRAMMAR)) {
    const of = async (term: string) =>
      (await viewer.decisions.list({ filter: read(term, DENIAL_GRAMMAR) })).denials.length
    expect((await of(text)) + (await of(`-${text}`)), text).toBe(denials)
  }
  for (const text of everyTerm(STOP_GRAMMAR)) {
    const filter = read(text, STOP_GRAMMAR)
    expect((await viewer.stops.list({ filter })).stops, text).toEqual([])
    expect(await viewer.stops.groups({ filter, by: 'reason' }), text).toEqual([])
  }
})
