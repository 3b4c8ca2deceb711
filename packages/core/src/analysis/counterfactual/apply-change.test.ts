import { describe, expect, it, test } from 'vitest'
import { compileConfig } from '../../engine/compile.ts'
import type { ConfigDocument } from '../../kinds/config.ts'
import type { SessionEvent } from '../../model/event.ts'
import { toSessionVersions } from '../../tighten/governing.ts'
import { applyChanges } from './apply-change.ts'
import type { Change } from './change.ts'

const HEAD = { schema_version: 1, ns: 'a', key: 'b' } as const

function compiled(document: ConfigDocument) {
  const result = compileConfig(document)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

const place = (seq: number, at: number) => ({ session: 'sess_1', seq, at })
const KNOWN = {
  files: { a: { exists: true }, b: { exists: true } },
  links: { c: false },
  answers: { gate: { kind: 'unavailable' } },
} as const
const REQUEST = { call_id: 'c1', tool: 'sh', args: {}, facts: KNOWN } as const
const RESULT = { call_id: 'c1', tool: 'sh', outcome: 'failure' } as const
const requested: SessionEvent = { ...place(1, 1_000), type: 'tool.requested', data: REQUEST }
const approval: SessionEvent = {
  ...place(2, 2_000),
  type: 'approval.decided',
  data: { call_id: 'c1', decision: 'denied', by: 'mira' },
}
const invoked: SessionEvent = { ...place(3, 9_000), type: 'tool.invoked', data: RESULT }
const attempted: SessionEvent = {
  ...place(4, 9_500),
  type: 'stop.attempted',
  data: { via: 'turn_end' },
}
const EVENTS: readonly SessionEvent[] = [requested, approval, invoked, attempted]

const NEW = {
  files: { b: { exists: false } },
  answers: { gate: { kind: 'error', error: 'x' } },
} as const

describe('applyChanges', () => {
  it.each<[string, Change, readonly SessionEvent[]]>([
    ['removes one event', { kind: 'without_event', seq: 2 }, [requested, invoked, attempted]],
    [
      'replaces the given facts of a request and keeps the others',
      { kind: 'with_facts', seq: 1, facts: NEW },
      [
        {
          ...place(1, 1_000),
          type: 'tool.requested',
          data: {
            ...REQUEST,
            facts: {
              files: { a: { exists: true }, b: { exists: false } },
              links: { c: false },
              answers: { gate: { kind: 'error', error: 'x' } },
            },
          },
        },
        approval,
        invoked,
        attempted,
      ],
    ],
    [
      'adds facts to a result without any',
      { kind: 'with_facts', seq: 3, facts: { files: { a: { exists: true } } } },
      [
        requested,
        approval,
        {
          ...place(3, 9_000),
          type: 'tool.invoked',
          data: { ...RESULT, facts: { files: { a: { exists: true } } } },
        },
        attempted,
      ],
    ],
    [
      'adds answers to a stop',
      { kind: 'with_facts', seq: 4, facts: { answers: NEW.answers } },
      [
        requested,
        approval,
        invoked,
        {
          ...place(4, 9_500),
          type: 'stop.attempted',
          data: { via: 'turn_end', facts: { answers: NEW.answers } },
        },
      ],
    ],
    ['adds no facts to an answer', { kind: 'with_facts', seq: 2, facts: NEW }, EVENTS],
    [
      'replaces the outcome of a result',
      { kind: 'with_outcome', seq: 3, outcome: 'success' },
      [
        requested,
        approval,
        { ...place(3, 9_000), type: 'tool.invoked', data: { ...RESULT, outcome: 'success' } },
        attempted,
      ],
    ],
    ['gives no outcome to a request', { kind: 'with_outcome', seq: 1, outcome: 'success' }, EVENTS],
    [
      'replaces the answer of a reviewer',
      { kind: 'with_answer', seq: 2, decision: 'approved' },
      [
        requested,
        {
          ...place(2, 2_000),
          type: 'approval.decided',
          data: { call_id: 'c1', decision: 'approved', by: 'mira' },
        },
        invoked,
        attempted,
      ],
    ],
    ['gives no answer to a result', { kind: 'with_answer', seq: 3, decision: 'approved' }, EVENTS],
    [
      'delays an event, and the next ones that would be older',
      { kind: 'delayed', seq: 2, seconds: 7.25 },
      [requested, { ...approval, at: 9_250 }, { ...invoked, at: 9_250 }, attempted],
    ],
    [
      'inserts events between two numbers, at the time of the next event',
      {
        kind: 'inserted',
        before: 3,
        events: [
          { type: 'note', data: { text: 'x' } },
          { type: 'note', data: { text: 'y' } },
          { type: 'note', data: { text: 'z' } },
        ],
      },
      [
        requested,
        approval,
        { ...place(2.25, 9_000), type: 'note', data: { text: 'x' } },
        { ...place(2.5, 9_000), type: 'note', data: { text: 'y' } },
        { ...place(2.75, 9_000), type: 'note', data: { text: 'z' } },
        invoked,
        attempted,
      ],
    ],
    [
      'inserts an event before the first one',
      { kind: 'inserted', before: 1, events: [{ type: 'note', data: { text: 'x' } }] },
      [{ ...place(0.5, 1_000), type: 'note', data: { text: 'x' } }, ...EVENTS],
    ],
    [
      'inserts nothing before an unknown event',
      { kind: 'inserted', before: 9, events: [] },
      EVENTS,
    ],
  ])('%s', (_, change, events) => {
    const ranUnder = compiled(HEAD)
    expect(applyChanges({ ranUnder, events: EVENTS }, [change])).toEqual({
      ok: true,
      played: { ranUnder, events },
    })
  })
})

test('applyChanges edits every version of a session, and forgets one that the edit breaks', () => {
  const order = {
    id: 'order',
    type: 'sequential_dependency',
    mode: 'off',
    dependencies: { deploy: ['test'] },
  } as const
  const back = {
    id: 'back',
    type: 'sequential_dependency',
    dependencies: { test: ['deploy'] },
  } as const
  const began = compiled({ ...HEAD, policies: [order] })
  const next = compiled({ ...HEAD, policies: [order], limits: { max_stop_blocks: 3 } })
  const cyclic = compiled({ ...HEAD, policies: [order, back] })
  const versions = new Map([
    ['next', next],
    ['cyclic', cyclic],
  ])
  const ranUnder = { began, find: (digest: string) => versions.get(digest) ?? null }
  const change: Change = { kind: 'rule_mode', rule: 'order', mode: 'enforce' }
  const changed = applyChanges({ ranUnder, events: EVENTS }, [change])
  if (!changed.ok) throw new Error(JSON.stringify(changed.problems))
  const edited = toSessionVersions(changed.played.ranUnder)
  const policies = [{ ...order, mode: 'enforce' }]
  expect(edited.began.document).toEqual({ ...HEAD, policies })
  const found = edited.find('next')
  expect(found?.document).toEqual({ ...HEAD, policies, limits: { max_stop_blocks: 3 } })
  expect(edited.find('next')).toBe(found)
  expect(edited.find('cyclic')).toBeNull()
  expect(edited.find('cyclic')).toBeNull()
  expect(edited.find('unknown')).toBeNull()
  expect(changed.played.events).toBe(EVENTS)
})
