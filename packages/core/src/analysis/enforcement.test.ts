import { eventLog } from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { compileConfig } from '../engine/compile.ts'
import { step } from '../engine/step.ts'
import type { Anomaly } from '../model/effect.ts'
import type { EventOf, RecordedCapabilities, SessionEvent } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import { initialState } from '../model/state.ts'
import {
  anomalyBreach,
  type Breach,
  enforcementGaps,
  lapseBreach,
  looserBreach,
} from './enforcement.ts'
import { shortfallSentence } from './enforcement-sentences.ts'

const CLOSED: RecordedCapabilities = {
  deny_reason: true,
  inject: 'message',
  block_stop: 'in_loop',
  max_blocks: 8,
  structured: 'before_accept',
  structured_attempts: 5,
  failure: 'event',
  call_ids: true,
  batch: 'serial',
  on_guard_crash: 'closed',
  on_guard_timeout: 'closed',
  ungoverned: [],
}

const OPEN: RecordedCapabilities = {
  ...CLOSED,
  inject: 'none',
  block_stop: 'none',
  structured: 'post_only',
  failure: 'none',
  on_guard_crash: 'open',
  on_guard_timeout: 'open',
  ungoverned: ['web search'],
}

const codes = (capabilities: RecordedCapabilities | null, breaches: readonly Breach[] = []) =>
  enforcementGaps({ capabilities, breaches }).map(({ code }) => code)

const RAN: Breach = { seq: 7, code: 'ran_despite_denial', tool: 'deploy', detail: null }

const LAPSED: EventOf<'enforcement.lapsed'> = {
  session: 'sess_1',
  seq: 4,
  at: 1,
  type: 'enforcement.lapsed',
  data: { code: 'guard_unreachable', detail: 'connect ECONNREFUSED.', tool: 'shell' },
}

describe('full enforcement of a session', () => {
  it.each([
    ['in its own loop', null],
    ['by a harness that fails closed everywhere', CLOSED],
    ['where a blocked stop starts a new turn', { ...CLOSED, block_stop: 'reprompt' }],
    ['where the output is the final message', { ...CLOSED, structured: 'final_message' }],
    ['where failures are read from a text', { ...CLOSED, failure: 'text' }],
  ] as const)('holds %s', (_, capabilities) => {
    expect(codes(capabilities)).toEqual([])
  })

  it.each([
    ['on_guard_crash', 'gap.guard_crash'],
    ['on_guard_timeout', 'gap.guard_timeout'],
    ['ungoverned', 'gap.ungoverned'],
    ['block_stop', 'gap.stops'],
    ['structured', 'gap.structured_output'],
    ['failure', 'gap.failures'],
    ['inject', 'gap.feedback'],
  ] as const)('depends on the capability %s', (name, code) => {
    expect(codes({ ...CLOSED, [name]: OPEN[name] })).toEqual([code])
  })

  it('ends with a breach in the log, with and without a harness', () => {
    expect(codes(null, [RAN])).toEqual(['breach.ran_despite_denial'])
    expect(codes(CLOSED, [lapseBreach(LAPSED)])).toEqual(['breach.guard_unreachable'])
  })
})

test('enforcementGaps lists breaches before gaps, and only breaches have an event', () => {
  const all = enforcementGaps({ capabilities: OPEN, breaches: [RAN], unlisted: 2 })
  const ranks = all.map(({ severity }) => severity)
  expect(ranks).toEqual([...ranks].sort())
  expect(all.map(({ seq }) => seq).filter((seq) => seq !== null)).toEqual([7])
})

test.each([
  ['breach.ran_despite_denial', 'deploy ran although it was denied'],
  ['breach.unlisted', '1 more event shows calls without a decision or against one'],
  ['gap.guard_crash', 'A call goes ahead when the guard crashes'],
  ['gap.ungoverned', 'Not covered by the guard: web search'],
])('the sentence of the shortfall %s is "%s"', (code, sentence) => {
  const all = enforcementGaps({ capabilities: OPEN, breaches: [RAN], unlisted: 1 })
  expect(all.filter((one) => one.code === code).map(shortfallSentence)).toEqual([sentence])
})

test('the sentence of a lapse contains what was observed', () => {
  const [lapse] = enforcementGaps({ capabilities: null, breaches: [lapseBreach(LAPSED)] })
  expect(lapse === undefined ? '' : shortfallSentence(lapse)).toBe(
    'The guard could not be reached (shell): connect ECONNREFUSED',
  )
})

function listBreaches(events: readonly SessionEvent[]): readonly Breach[] {
  const compiled = compileConfig({ schema_version: 1, ns: 'any', key: 'prompt' })
  if (!compiled.ok) throw new Error('It does not compile.')
  let state = initialState(compiled.config.promptName)
  return events.flatMap((event) => {
    const next = step(compiled.config, state, event)
    state = next.state
    if (event.type === 'enforcement.lapsed') return [lapseBreach(event)]
    return next.effects.flatMap((effect) =>
      effect.kind === 'anomaly' ? (anomalyBreach(event.seq, effect.data) ?? []) : [],
    )
  })
}

test('every breach and every gap of any log has a sentence', () => {
  fc.assert(
    fc.property(eventLog, (events) => {
      const started = events[0]
      const capabilities =
        started?.type === 'session.started' ? (started.data.capabilities ?? null) : null
      for (const shortfall of enforcementGaps({ capabilities, breaches: listBreaches(events) })) {
        expect(shortfallSentence(shortfall)).not.toBe(shortfall.code)
      }
    }),
    { numRuns: 50 },
  )
})

test('a lapse changes no state and has no effect in the fold', () => {
  fc.assert(
    fc.property(eventLog, (events) => {
      const compiled = compileConfig({ schema_version: 1, ns: 'any', key: 'prompt' })
      if (!compiled.ok) throw new Error('It does not compile.')
      const { config } = compiled
      let state = initialState(config.promptName)
      for (const event of events) {
        const next = step(config, state, event)
        if (event.type === 'enforcement.lapsed') {
          expect(next.effects).toEqual([])
          expect({ ...next.state, seq: state.seq, at: state.at }).toEqual(state)
        }
        state = next.state
      }
    }),
    { numRuns: 50 },
  )
})

test('a move to a looser version is a breach that names what became looser', () => {
  const breach = looserBreach(9, [{ pointer: '/policies/0', message: 'Rule `order` is gone' }])
  const gaps = enforcementGaps({ capabilities: null, breaches: breach === null ? [] : [breach] })
  expect(gaps.map(({ seq }) => seq)).toEqual([9])
  expect(gaps.map(shortfallSentence)).toEqual([
    'The session moved to a looser version while it ran: Rule `order` is gone',
  ])
  expect(looserBreach(9, [])).toBeNull()
  const unproven = { pointer: '/aliases', message: 'The aliases differ', isUnproven: true } as const
  expect(looserBreach(9, [unproven])?.code).toBe('maybe_loosened')
  expect(looserBreach(9, [{ pointer: '', message: 'gone' }, unproven])?.code).toBe('loosened')
})

test.each<[string, JsonObject, string]>([
  ['gap.guard_crash', {}, 'A call goes ahead when the guard crashes'],
  ['gap.guard_timeout', {}, 'A call goes ahead when the guard does not answer in time'],
  ['gap.ungoverned', { tools: ['a, b', 'c'] }, 'Not covered by the guard: a, b; c'],
  ['gap.ungoverned', {}, 'Not covered by the guard: –'],
  ['gap.stops', {}, 'Stops cannot be blocked'],
  ['gap.structured_output', {}, 'Structured output is accepted before it can be checked'],
  ['gap.failures', {}, 'The harness does not report whether a tool failed'],
  ['gap.feedback', {}, 'Feedback cannot reach the agent'],
  ['breach.result_without_request', { tool: 'sh' }, 'sh ran without a decision'],
  ['breach.result_without_request', {}, 'A tool ran without a decision'],
  ['breach.ran_despite_denial', { tool: 'sh' }, 'sh ran although it was denied'],
  ['breach.ran_despite_denial', { tool: null }, 'A tool ran although it was denied'],
  [
    'breach.guard_unreachable',
    { tool: 'sh', detail: ' a.b. ' },
    'The guard could not be reached (sh): a.b',
  ],
  ['breach.guard_unreachable', { tool: 'sh' }, 'The guard could not be reached (sh)'],
  ['breach.guard_timeout', {}, 'The guard did not answer in time'],
  ['breach.hook_missing', { detail: 'x' }, 'The hooks of the harness were not live: x'],
  ['breach.unsupported_version', {}, 'This version of the harness cannot be relied on'],
  ['breach.loosened', {}, 'The session moved to a looser version while it ran'],
  [
    'breach.maybe_loosened',
    { detail: 'The aliases differ' },
    'While it ran, the session moved to a version that is not proven to be as strict: The aliases differ',
  ],
  [
    'breach.unlisted',
    { count: 1_200 },
    '1,200 more events show calls without a decision or against one',
  ],
  ['breach.newer', { tool: 'sh' }, 'breach.newer'],
  ['toString', {}, 'toString'],
])('the sentence of %s with %j is "%s"', (code, params, sentence) => {
  expect(shortfallSentence({ code, params })).toBe(sentence)
})

test('a breach has the tool, the event and at most 300 characters of what was observed', () => {
  const long = 'x'.repeat(301)
  const lapsed = { ...LAPSED, data: { code: 'hook_missing', detail: long } } as const
  const detail = 'x'.repeat(300)
  expect(lapseBreach(lapsed)).toEqual({ seq: 4, code: 'hook_missing', tool: null, detail })
  expect(
    looserBreach(9, [
      { pointer: '', message: 'a' },
      { pointer: '', message: long },
    ]),
  ).toEqual({
    seq: 9,
    code: 'loosened',
    tool: null,
    detail: `a; ${'x'.repeat(297)}`,
  })
})

test.each<[Anomaly['code'], boolean]>([
  ['result_without_request', true],
  ['ran_despite_denial', true],
  ['duplicate_request', false],
  ['approval_without_request', false],
])('the anomaly %s is a breach: %s', (code, isBreach) => {
  const breach = isBreach ? { seq: 3, code, tool: 'sh', detail: null } : null
  expect(anomalyBreach(3, { code, call_id: 'c', tool: 'sh' })).toEqual(breach)
})

test('enforcementGaps has the parameters of every shortfall', () => {
  const gap = (code: string, params: JsonObject = {}) => ({
    code: `gap.${code}`,
    severity: 'gap',
    params,
    seq: null,
  })
  expect(enforcementGaps({ capabilities: OPEN, breaches: [RAN], unlisted: 2 })).toEqual([
    {
      code: 'breach.ran_despite_denial',
      severity: 'breach',
      params: { tool: 'deploy', detail: null },
      seq: 7,
    },
    { code: 'breach.unlisted', severity: 'breach', params: { count: 2 }, seq: null },
    gap('guard_crash'),
    gap('guard_timeout'),
    gap('ungoverned', { tools: ['web search'] }),
    gap('stops'),
    gap('structured_output'),
    gap('failures'),
    gap('feedback'),
  ])
  expect(enforcementGaps({ capabilities: CLOSED, breaches: [], unlisted: 0 })).toEqual([])
})
