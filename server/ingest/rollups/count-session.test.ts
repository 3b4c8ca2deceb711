import type { SessionEvent } from '@signalbox/core'
import { expect, test } from 'vitest'
import { type Counted, SessionCounter } from './count-session.ts'
import { RollupCounts } from './series.ts'

const PLACE = { projectId: 'prj_1', environment: 'dev' }
const START = 1_795_003_200_000

type Line = readonly [type: string, data: object]

function buildCountedEvents(lines: readonly Line[]): readonly SessionEvent[] {
  return lines.map(
    ([type, data], index) =>
      // Contains only the part of each event's data that counting reads.
      ({
        session: 'sess_1',
        seq: index + 1,
        at: START + index * 60_000,
        type,
        data,
        config: 'sha256:1',
      }) as SessionEvent,
  )
}

function totals(counts: RollupCounts): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const { series, count } of counts.rows()) {
    const name = [series.kind, series.a, series.b, series.c].filter((part) => part !== '').join(' ')
    sums[name] = (sums[name] ?? 0) + count
  }
  return sums
}

function count(lines: readonly Line[]): Readonly<Record<string, number>> {
  const counts = new RollupCounts(PLACE)
  const counter = new SessionCounter(counts, null)
  for (const event of buildCountedEvents(lines)) counter.add(event)
  return totals(counts)
}

const started: Line = ['session.started', { ns: 'a', key: 'b', deadline_at: START + 600_000 }]
const request = (id: string, path: string): Line => [
  'tool.requested',
  { call_id: id, tool: 'read', args: { path } },
]
const ran = (id: string): Line => [
  'tool.invoked',
  { call_id: id, tool: 'read', outcome: 'success' },
]
const TYPES: Readonly<Record<string, string>> = {
  Deadline: 'deadline',
  RepeatedCall: 'repeated_call',
  RepeatedFailure: 'repeated_failure',
  Static: 'static',
}
const told = (name: string, id: string, suggestions: readonly string[] = ['Do it.']): Line => [
  'feedback.delivered',
  {
    mode: 'enforce',
    provider: name.toLowerCase(),
    type: TYPES[name],
    name,
    severity: 'caution',
    call_id: id,
    suggestions,
    summary: `${name} says`,
  },
]
const stop = (verdict: string, via = 'turn_end'): readonly Line[] => [
  ['stop.attempted', { via }],
  ['stop.decided', { verdict, code: `stop.${verdict}`, attempt: 1 }],
]
const plan = (done: number): Line => [
  'plan.updated',
  { steps: [0, 1, 2].map((step) => ({ title: 't', status: step < done ? 'done' : 'open' })) },
]

test('stop attempts are counted since the last allowed stop, without the final verification', () => {
  const lines = [...stop('blocked'), ...stop('error'), ...stop('allowed'), ...stop('allowed')]
  const counted = count([started, ...lines, ...stop('allowed', 'final')])
  expect(counted).toMatchObject({
    'until 3': 1,
    'until 1': 1,
    'stop allowed stop.allowed final': 1,
  })
  expect(counted['until 2']).toBeUndefined()
})

test('what a shadow rule would deny and a recording check would block is counted apart', () => {
  const shadow = { rule: 'soft', mode: 'shadow', result: 'deny', code: 'sequential.missing' }
  const decided = (decision: string): Line => [
    'tool.decided',
    { call_id: 'c1', tool: 'read', decision, rules: [shadow] },
  ]
  const recorded = { verdict: 'bypassed', code: 'stop.max_blocks', params: { limit: 0 } }
  expect(
    count([
      started,
      decided('allowed'),
      decided('denied'),
      ['stop.attempted', { via: 'turn_end' }],
      ['stop.decided', recorded],
      ['stop.attempted', { via: 'turn_end' }],
      ['stop.decided', { ...recorded, params: { limit: 3 } }],
    ]),
  ).toMatchObject({
    'would_deny soft read sequential.missing': 1,
    'stop allowed stop.would_block turn_end': 1,
    'stop bypassed stop.max_blocks turn_end': 1,
  })
})

test('findings of content rules in force are counted by rule, tool and action', () => {
  const rule = (id: string, code: string, mode = 'enforce') => ({ rule: id, code, mode })
  const counted = count([
    started,
    [
      'tool.decided',
      {
        call_id: 'c1',
        tool: 'read',
        decision: 'allowed',
        rules: [rule('keys', 'content.masked'), rule('order', 'sequential.met')],
      },
    ],
    [
      'content.decided',
      {
        tool: 'read',
        rules: [
          rule('keys', 'content.withheld'),
          rule('people', 'content.clean'),
          rule('soft', 'content.masked', 'shadow'),
        ],
      },
    ],
  ])
  const found = Object.entries(counted).filter(([name]) => name.startsWith('content '))
  expect(found.toSorted()).toEqual([
    ['content keys read masked', 1],
    ['content keys read withheld', 1],
  ])
})

test('advice about a repeated call is followed by a different call, not by the same call', () => {
  const before = [started, request('1', 'x'), ran('1'), told('RepeatedCall', '1')]
  expect(count([...before, request('2', 'y')])).toMatchObject({
    'act repeatedcall RepeatedCall expected': 1,
    'act repeatedcall RepeatedCall followed': 1,
  })
  const same = count([...before, request('2', 'x')])
  expect(same).toMatchObject({ 'act repeatedcall RepeatedCall not_followed': 1 })
  expect(same['act repeatedcall RepeatedCall followed']).toBeUndefined()
})

test('advice to wrap up waits five calls for a stop or a finished step', () => {
  const before = [started, plan(1), request('1', 'x'), ran('1'), told('Deadline', '1')]
  const calls = ['2', '3', '4', '5'].flatMap((id) => [request(id, id), ran(id)])
  const outcome = (lines: readonly Line[]) =>
    Object.keys(count([...before, ...lines])).filter((name) => name.startsWith('act '))
  expect(outcome([...calls, plan(1), plan(2)])).toContain('act deadline Deadline followed')
  expect(outcome([...calls, ...stop('blocked')])).toContain('act deadline Deadline followed')
  expect(outcome([...calls, ...stop('blocked', 'final')])).toEqual([
    'act deadline Deadline expected',
  ])
  expect(outcome([...calls, request('6', '6'), ran('6'), plan(2)])).toContain(
    'act deadline Deadline not_followed',
  )
  expect(outcome([...calls, ['session.ended', { reason: 'completed' }]])).toContain(
    'act deadline Deadline ended',
  )
})

test('advice without suggestions or with custom text expects no observable action', () => {
  const lines = [
    started,
    request('1', 'x'),
    ran('1'),
    told('Deadline', '1', []),
    told('Static', '1'),
  ]
  expect(Object.keys(count(lines)).filter((name) => name.startsWith('act '))).toEqual([])
})

test('a custom provider with a built-in name is not treated as built in', () => {
  const [type, data] = told('Deadline', '1')
  const custom: Line = [type, { ...data, type: 'acme/clock' }]
  const acts = (told: Line) =>
    Object.keys(count([started, request('1', 'x'), ran('1'), told])).filter((name) =>
      name.startsWith('act '),
    )
  expect(acts(custom)).toEqual([])
  // Recorded before deliveries named a type.
  expect(acts([type, { ...data, type: undefined }])).toEqual([])
})

test('advice with suggestions from a provider of unknown type has an unknown follow-up', () => {
  const untyped = (suggestions: readonly string[]): Line => {
    const [type, data] = told('Deadline', '1', suggestions)
    return [type, { ...data, type: undefined }]
  }
  const lines = [started, request('1', 'x'), ran('1'), untyped(['Stop.']), untyped([])]
  const counter = new SessionCounter(new RollupCounts(PLACE), null)
  for (const event of buildCountedEvents(lines)) counter.add(event)
  expect(counter.deliveries.map(({ followed }) => followed)).toEqual(['unknown', null])
})

test('the used share of the deadline and the done share of the plan are counted when the session ends', () => {
  const end: Line = ['session.ended', { reason: 'completed' }]
  expect(count([started, plan(0), plan(2), end])).toMatchObject({
    'time_used 3': 1,
    'plan_end 3': 1,
  })
  const late = Array.from({ length: 12 }, (_, i) => request(String(i), 'x'))
  expect(count([started, ...late, end])).toMatchObject({ 'time_used 11': 1, 'plan_end none': 1 })
})

test('the counts of a session are the same when it is resumed at any point', () => {
  const lines = [
    ...[started, plan(1), request('1', 'x'), ran('1'), told('RepeatedFailure', '1')],
    ...[told('Deadline', '1'), request('2', 'x'), ran('2'), ...stop('blocked'), plan(3)],
    ...[...stop('allowed'), ['session.ended', { reason: 'completed' }] as const],
  ]
  const events = buildCountedEvents(lines)
  const whole = count(lines)
  for (let cut = 0; cut <= events.length; cut++) {
    const counts = new RollupCounts(PLACE)
    const first = new SessionCounter(counts, null)
    for (const event of events.slice(0, cut)) first.add(event)
    const kept: Counted = JSON.parse(JSON.stringify(first.counted))
    const second = new SessionCounter(counts, kept)
    for (const event of events.slice(cut)) second.add(event)
    expect(totals(counts)).toEqual(whole)
  }
})

test('a delivery is listed once, with its follow-up as soon as that is known', () => {
  const lines = [
    ...[started, request('1', 'x'), ran('1'), told('RepeatedCall', '1'), told('Static', '1')],
    ...[request('2', 'x'), ran('2'), told('RepeatedCall', '2')],
  ]
  const events = buildCountedEvents(lines)
  const first = new SessionCounter(new RollupCounts(PLACE), null)
  for (const event of events.slice(0, 5)) first.add(event)
  const brief = ({ seq, followed, says }: SessionCounter['deliveries'][number]) => [
    ...[seq, followed, says],
  ]
  expect(first.deliveries.map(brief)).toEqual([
    [4, 'open', 'RepeatedCall says'],
    [5, null, 'Static says'],
  ])
  const second = new SessionCounter(new RollupCounts(PLACE), first.counted)
  for (const event of events.slice(5)) second.add(event)
  expect(second.settled).toEqual([{ seq: 4, followed: 'no' }])
  expect(second.deliveries.map(brief)).toEqual([[8, 'open', 'RepeatedCall says']])
})

test('a denied call that is allowed later with the same tool and input counts once, at the hour of its denial', () => {
  const decide = (id: string, decision: string, code = 'file.not_read'): Line => [
    'tool.decided',
    {
      call_id: id,
      tool: 'read',
      decision,
      rules: decision === 'denied' ? [{ rule: 'r', mode: 'enforce', result: 'deny', code }] : [],
    },
  ]
  const sums = count([
    started,
    ...[request('1', 'a'), decide('1', 'denied')],
    ...[request('2', 'b'), decide('2', 'denied')],
    ...[request('3', 'a'), decide('3', 'allowed')],
    ...[request('4', 'a'), decide('4', 'allowed')],
    ...[request('5', 'c'), decide('5', 'error')],
  ])
  expect(sums).toMatchObject({
    'denial r read file.not_read': 2,
    'denial read could_not_evaluate': 1,
    'allowed_later file.not_read read': 1,
  })
})

test('an ended session keeps no calls in its stored state', () => {
  const counter = new SessionCounter(new RollupCounts(PLACE), null)
  const denied = { call_id: '1', tool: 'read', decision: 'denied', rules: [] }
  const lines = [started, request('1', 'a'), ['tool.decided', denied]] as const
  const [end, ...events] = buildCountedEvents([
    ...lines,
    ['session.ended', { reason: 'completed' }],
  ]).toReversed()
  for (const event of events.toReversed()) counter.add(event)
  expect(counter.counted.denied).toHaveLength(1)
  if (end !== undefined) counter.add(end)
  expect(counter.counted).toMatchObject({ calls: [], denied: [] })
})
