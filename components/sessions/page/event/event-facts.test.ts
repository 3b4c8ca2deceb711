import type { EventOf, EventType } from '@signalbox/core'
import { describe, expect, test } from 'vitest'
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'
import { eventFacts, listRowFacts } from './event-facts.ts'
import { planBefore } from './plan-before.ts'
import { skewText } from './skew-text.ts'

const stored = <Type extends EventType>(type: Type, data: EventOf<Type>['data']) => ({
  type,
  data: JSON.stringify(data),
})

const request = stored('tool.requested', {
  call_id: 'c1',
  tool: 'write_file',
  args: { path: 'a.md', token: { $redacted: 'builtin.secrets' } },
  facts: { files: { 'a.md': { exists: true, kind: 'file', fingerprint: 'sha256:0123456789' } } },
})

const denial = stored('tool.decided', {
  call_id: 'c1',
  tool: 'write_file',
  decision: 'denied',
  reason: 'Read a.md first.',
  rules: [
    {
      rule: 'read-first',
      pointer: '/policies/0',
      type: 'read_before_write',
      mode: 'enforce',
      result: 'deny',
      code: 'file.not_read',
      params: { path: 'a.md' },
      because: [],
    },
  ],
})

const names = (facts: readonly { readonly name: string }[] | null | undefined) =>
  facts?.map(({ name }) => name)

describe('facts of an event', () => {
  test('list its parameters, redactions, and look-ups', () => {
    expect(eventFacts(request)).toEqual([
      { name: 'Tool', value: { kind: 'code', text: 'write_file' } },
      {
        name: 'Parameters',
        value: {
          kind: 'fields',
          fields: { path: 'a.md', token: { $redacted: 'builtin.secrets' } },
        },
      },
      {
        name: 'Files',
        value: { kind: 'list', items: ['`a.md` existed, content `01234567…`'] },
      },
      { name: 'Call', value: { kind: 'code', text: 'c1' } },
    ])
  })

  test('name the trigger of feedback and how it was delivered', () => {
    const facts = eventFacts(
      stored('feedback.delivered', {
        provider: 'deadline',
        name: 'Deadline',
        pointer: '/feedback_providers/0',
        mode: 'enforce',
        conditions: ['every_n_calls', 'on_file_created'],
        severity: 'caution',
        summary: '4 minutes are left',
        observations: [],
        suggestions: ['Finish the report'],
        call_index: 1_204,
        prompt: 'demo/notes',
        call_id: 'c9',
        delivery: 'in_result',
      }),
    )
    expect(facts).toContainEqual({
      name: 'Trigger',
      value: { kind: 'list', items: ['the number of calls', 'a file that was created'] },
    })
    expect(facts).toContainEqual({
      name: 'Delivered',
      value: { kind: 'words', text: 'in the result of the call' },
    })
    expect(facts).toContainEqual({
      name: 'After',
      value: { kind: 'words', text: 'call 1,204 of demo/notes' },
    })
  })

  test('describe a stop by its type, its checks and the delivered message', () => {
    const facts = eventFacts(
      stored('stop.decided', {
        attempt: 2,
        verdict: 'blocked',
        prior_blocks: 1,
        code: 'plan.open_steps',
        params: { open: 1, total: 2 },
        message: 'One step is open.',
        check: {
          checker: 'plan',
          pointer: '/checker',
          type: 'plan',
          status: 'incomplete',
          code: 'plan.open_steps',
          params: { open: 1, total: 2 },
          feedback: null,
          because: [4],
        },
      }),
    )
    expect(names(facts)).toEqual(['Attempt', 'Blocked before', 'Checks', 'Message to the agent'])
    expect(facts?.[2]?.value).toMatchObject({
      kind: 'checks',
      root: { sentence: '1 of 2 plan steps is not done' },
    })
  })

  test('facts of an event are empty for an unknown type or format, which is shown as recorded', () => {
    expect(eventFacts({ type: 'moon.rose', data: '{}' })).toBeNull()
    expect(eventFacts({ type: 'tool.decided', data: '{"later":true}' })).toBeNull()
    expect(eventFacts({ type: 'constructor', data: '{}' })).toBeNull()
  })
})

describe('facts of a row', () => {
  test('facts of a row do not repeat an earlier event or the title', () => {
    const note = stored('note', { text: 'All is well' })
    const [asked, decided, said] = listRowFacts([request, denial, note], 'All is well')
    expect(names(asked)).toContain('Call')
    expect(names(decided)).toEqual(['Message to the agent', 'Rules'])
    expect(said).toEqual([])
  })
})

describe('the plan before an event', () => {
  const entry = (seq: number, type = 'note'): IndexEntry => [
    seq,
    seq,
    type,
    null,
    null,
    '',
    null,
    null,
  ]
  const all = [entry(1), entry(2, 'plan.updated'), entry(3), entry(4, 'plan.updated'), entry(5)]

  test.each([
    [4, { kind: 'at', seq: 2 }],
    [2, { kind: 'none' }],
    [9, { kind: 'unknown' }],
  ])('is found, absent or unknown for event #%i', (seq, expected) => {
    expect(planBefore(all, seq)).toEqual(expected)
  })

  test('the plan before an event is unknown after a gap', () => {
    expect(
      planBefore(
        [all[0], all[1], all[3]].filter((one) => one !== undefined),
        4,
      ),
    ).toEqual({
      kind: 'unknown',
    })
    expect(planBefore(all.slice(2), 4)).toEqual({ kind: 'unknown' })
  })
})

test.each([
  [[0, 900], null],
  [[900, 3_200], '+3.2 s'],
  [[-3_200], "−3.2 s, so the runtime's clock is ahead"],
])('the clock skew of events received %o ms later is shown as %s', (late, expected) => {
  expect(skewText(late.map((ms) => ({ at: 1_000_000, receivedAt: 1_000_000 + ms })))).toBe(expected)
})
