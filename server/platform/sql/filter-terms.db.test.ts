import { beforeAll, describe, expect, test } from 'vitest'
import { DENIALS } from '@/server/explanations/denials.list.ts'
import { STOPS } from '@/server/explanations/stops.list.ts'
import { DELIVERIES } from '@/server/feedback/deliveries.list.ts'
import { api } from '@/server/http/api.ts'
import { SESSIONS } from '@/server/sessions/sessions.list.ts'
import {
  chained,
  createProjectCaller,
  type Draft,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  started,
} from '@/server/test/installation.ts'
import { database } from '../db/client.ts'
import { withTestDatabase } from '../db/test-database.ts'
import { type Grammar, readFilterText } from '../list/filter-grammar.ts'
import { holdsEvery } from './folded-text.ts'

withTestDatabase()

type Caller = Awaited<ReturnType<typeof createProjectCaller>>

const AT = 1_795_000_000_000
let viewer: Caller
let key: string

async function send(name: string, drafts: readonly Draft[]): Promise<string> {
  const session = newSessionId()
  const events = chained(session, [started({ ns: 'terms', key: name }), ...drafts], { at: AT })
  const answer = await api.fetch(eventsRequest(key, ndjson(events)))
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

/** Feedback is delivered; `Deadline` with a suggestion expects an observable act. */
function told(provider: string, name: string, suggestions: readonly string[]): Draft {
  return {
    type: 'feedback.delivered',
    data: {
      provider,
      type: name === 'Deadline' ? 'deadline' : 'static_message',
      name,
      pointer: '/feedback_providers/0',
      mode: 'enforce',
      conditions: ['every_n_calls'],
      severity: suggestions.length > 0 ? 'warning' : 'info',
      summary: `${name} says it.`,
      observations: [],
      suggestions,
      call_index: 1,
      prompt: 'terms/any',
      call_id: 'c',
      delivery: 'message',
    },
  }
}

const ENDED: Draft = { type: 'session.ended', data: { reason: 'completed' } }

beforeAll(async () => {
  const project = await installed()
  key = await makeKey(project)
  viewer = await createProjectCaller(project, 'viewer')
  await send('one', [
    refused('deploy', { decision: 'error', reason_class: 'could_not_evaluate', rule: 'remote' }),
    refused('write', { decision: 'denied', reason_class: 'rule_said_no', rule: 'no-write' }),
    told('late', 'Deadline', ['Stop.']),
    told('words', 'Static', []),
  ])
  await send('two', [
    refused('Deploy_All', {
      decision: 'denied',
      reason_class: 'prerequisite_missing',
      rule: 'tests-first',
    }),
    told('soon', 'Deadline', ['Stop.']),
    { type: 'stop.attempted', data: { via: 'turn_end' } },
    told('last', 'Deadline', ['Stop.']),
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
  ])('filter by %s', async (text, tools) => {
    const { rows: denials } = await viewer.decisions.list({ filter: read(text, DENIALS.grammar) })
    expect(denials.map(({ tool }) => tool).sort()).toEqual(tools)
  })
})

describe('feedback', () => {
  test.each([
    ['followed:yes', ['soon']],
    ['followed:open', ['late']],
    ['followed:(ended OR no)', ['last']],
    ['followed:any', ['last', 'late', 'soon']],
    ['-followed:any', ['words']],
    ['severity:info', ['words']],
    ['name:dead prompt:terms/two', ['last', 'soon']],
    ['-provider:la', ['soon', 'words']],
    ['"static says"', ['words']],
    ['at:>2100-01-01', []],
    ['-version:1 env:dev provider:words', ['words']],
  ])('filter by %s', async (text, providers) => {
    const { rows: deliveries } = await viewer.feedback.list({
      filter: read(text, DELIVERIES.grammar),
    })
    expect(deliveries.map(({ provider }) => provider).sort()).toEqual(providers)
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
  ])('filter by %s', async (text, keys) => {
    const { rows: sessions } = await viewer.sessions.list({ filter: read(text, SESSIONS.grammar) })
    expect(sessions.map((row) => row.key).sort()).toEqual(keys)
  })
})

function everyTerm({ texts, choices = {}, numbers }: Grammar): readonly string[] {
  return [
    ...texts.map((field) => `${field}:x`),
    ...Object.entries(choices).flatMap(([field, values]) => values.map((one) => `${field}:${one}`)),
    ...Object.entries(numbers).map(([field, parseNumber]) =>
      parseNumber('1') === null ? `${field}:2026-11-20` : `${field}:1`,
    ),
  ]
}

test('each list accepts every field of its filter grammar, and a row matches the term or its negation', async () => {
  const [sessions, denials, deliveries] = [
    (await viewer.sessions.list({ filter: {} })).rows.length,
    (await viewer.decisions.list({ filter: {} })).rows.length,
    (await viewer.feedback.list({ filter: {} })).rows.length,
  ]
  for (const text of everyTerm(SESSIONS.grammar)) {
    const of = async (term: string) =>
      (await viewer.sessions.list({ filter: read(term, SESSIONS.grammar) })).rows.length
    expect((await of(text)) + (await of(`-${text}`)), text).toBe(sessions)
  }
  for (const text of everyTerm(DENIALS.grammar)) {
    const of = async (term: string) =>
      (await viewer.decisions.list({ filter: read(term, DENIALS.grammar) })).rows.length
    expect((await of(text)) + (await of(`-${text}`)), text).toBe(denials)
  }
  for (const text of everyTerm(DELIVERIES.grammar)) {
    const of = async (term: string) =>
      (await viewer.feedback.list({ filter: read(term, DELIVERIES.grammar) })).rows.length
    expect((await of(text)) + (await of(`-${text}`)), text).toBe(deliveries)
  }
  for (const text of everyTerm(STOPS.grammar)) {
    const filter = read(text, STOPS.grammar)
    expect((await viewer.stops.list({ filter })).rows, text).toEqual([])
    expect(await viewer.stops.groups({ filter, by: 'reason' }), text).toEqual([])
  }
})

test('a search reads rows in the order of its list until a page is full, although PostgreSQL takes its word for rare', async () => {
  const connection = await database().pool.connect()
  try {
    await connection.query(
      "CREATE TEMP TABLE searched AS SELECT n AS id, 'refunds of team ' || n % 8 AS text FROM generate_series(1, 20000) AS n",
    )
    await connection.query('CREATE UNIQUE INDEX ON searched (id)')
    await connection.query('ANALYZE searched')
    const values: unknown[] = []
    const held = holdsEvery('text', ['refunds'], (value) => `$${values.push(value)}`)
    const { rows } = await connection.query(
      `EXPLAIN SELECT * FROM searched WHERE ${held} ORDER BY id DESC LIMIT 101`,
      values,
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toMatch(/^Limit.*\n\s+-> {2}Index Scan Backward using searched_id_idx/)
  } finally {
    await connection.query('DROP TABLE IF EXISTS searched')
    connection.release()
  }
})
