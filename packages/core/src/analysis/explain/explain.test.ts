import { configDocument, eventLog, recordedLog } from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type CheckerDocument,
  type CompiledConfig,
  type ConfigDocument,
  compileConfig,
  type FileFact,
  type SessionEvent,
  type ToolOutcome,
} from '../../index.ts'
import { recordedEffect } from '../base/decision-record.ts'
import { replay } from '../index.ts'
import type { CauseRole } from './cause.ts'
import { type ExplainedCheck, type Explanation, explain } from './explain.ts'

const HEAD = { schema_version: 1, ns: 'a', key: 'b' } as const

function compiled(document: ConfigDocument): CompiledConfig {
  const result = compileConfig(document)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

type Body = Pick<SessionEvent, 'type' | 'data'> & { readonly after?: number }

function createExplainLog(bodies: readonly Body[]): readonly SessionEvent[] {
  let at = 1_000_000
  return bodies.map(({ after = 1, ...body }, i) => {
    at += after * 1000
    // The tables give the type and data of one event.
    return { session: 'sess_1', seq: i + 1, at, ...body } as SessionEvent
  })
}

type Finished = [call_id: string, tool: string, outcome: ToolOutcome, more?: object]

const ask = (call_id: string, tool: string, more: object = {}): Body => ({
  type: 'tool.requested',
  data: { call_id, tool, args: {}, ...more },
})
const end = (...[call_id, tool, outcome, more = {}]: Finished): Body => ({
  type: 'tool.invoked',
  data: { call_id, tool, outcome, ...more },
})
const stop = (more: object = {}): Body => ({
  type: 'stop.attempted',
  data: { via: 'turn_end', ...more },
})

function causes(explanation: Explanation | null): readonly (readonly [number, CauseRole])[] {
  return explanation?.causes.map(({ seq, role }) => [seq, role] as const) ?? []
}

const ORDER: ConfigDocument = {
  ...HEAD,
  policies: [{ id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } }],
}

describe('causes of a missing prerequisite', () => {
  it.each<[string, readonly Body[], readonly (readonly [number, CauseRole])[]]>([
    ['was never tried', [], []],
    ['failed', [ask('t', 'test'), end('t', 'test', 'failure')], [[2, 'attempt_failed']]],
    ['was denied', [ask('t', 'test'), end('t', 'test', 'denied')], [[2, 'attempt_denied']]],
    [
      'had invalid arguments',
      [ask('t', 'test'), end('t', 'test', 'invalid')],
      [[2, 'attempt_invalid']],
    ],
    [
      'ended with an unknown outcome',
      [ask('t', 'test'), end('t', 'test', 'unknown')],
      [[2, 'attempt_unknown']],
    ],
    [
      'was reported without a request',
      [end('t', 'test', 'success')],
      [[1, 'attempt_without_request']],
    ],
    [
      'was attempted twice, by the last attempt only',
      [ask('t', 'test'), end('t', 'test', 'failure'), ask('u', 'test'), end('u', 'test', 'denied')],
      [[4, 'attempt_denied']],
    ],
  ])('are named when it %s', (...[, before, expected]) => {
    const events = createExplainLog([...before, ask('x', 'deploy')])
    expect(causes(explain(compiled(ORDER), events, events.length))).toEqual(expected)
  })

  it('include an attempt that ran despite a denial', () => {
    const dependencies = { deploy: ['test'], test: ['build'] }
    const config = compiled({
      ...HEAD,
      policies: [{ id: 'order', type: 'sequential_dependency', dependencies }],
    })
    const events = createExplainLog([
      ask('t', 'test'),
      end('t', 'test', 'success'),
      ask('d', 'deploy'),
    ])
    expect(causes(explain(config, events, 3))).toEqual([[2, 'attempt_despite_denial']])
  })

  it('include a request of the same batch that succeeded only later', () => {
    const events = createExplainLog([
      ask('t', 'test'),
      ask('d', 'deploy'),
      end('t', 'test', 'success'),
    ])
    const explanation = explain(compiled(ORDER), events, 2)
    expect(explanation).toMatchObject({
      kind: 'call',
      decision: 'denied',
      sentence: 'deploy needs test first',
      rules: [
        {
          rule: 'order',
          pointer: '/policies/0',
          code: 'sequential.missing',
          params: { tool: 'deploy', missing: ['test'] },
          sentence: 'deploy needs test first',
        },
      ],
    })
    expect(explanation?.causes).toEqual([
      { seq: 1, type: 'tool.requested', role: 'attempt_open' },
      { seq: 3, type: 'tool.invoked', role: 'came_after' },
    ])
  })

  it('include the successes of met prerequisites', () => {
    const events = createExplainLog([
      ask('t', 'test'),
      end('t', 'test', 'success'),
      ask('d', 'deploy'),
    ])
    expect(causes(explain(compiled(ORDER), events, 3))).toEqual([[2, 'success']])
  })
})

describe('causes of a denied write', () => {
  const rule = {
    id: 'rbw',
    type: 'read_before_write',
    read_tools: ['read'],
    write_tools: ['write'],
  } as const
  const file = (fingerprint: string): object => {
    const fact: FileFact = { exists: true, kind: 'file', fingerprint }
    return { facts: { files: { a: fact } }, args: { path: './a' } }
  }
  const seen = (fingerprint: string) => ({
    facts: { files: { a: { exists: true, fingerprint } } },
  })

  it('include a failed read of the file', () => {
    const events = createExplainLog([
      ask('r', 'read', file('1')),
      end('r', 'read', 'failure', seen('1')),
      ask('w', 'write', file('1')),
    ])
    expect(causes(explain(compiled({ ...HEAD, policies: [rule] }), events, 3))).toEqual([
      [2, 'attempt_failed'],
      [3, 'fact'],
    ])
  })

  it('include a read that was not finished, or came after', () => {
    const config = compiled({ ...HEAD, policies: [rule] })
    const events = createExplainLog([
      ask('r', 'read', file('1')),
      ask('w', 'write', file('1')),
      end('r', 'read', 'success', seen('1')),
    ])
    expect(causes(explain(config, events, 2))).toEqual([
      [1, 'attempt_open'],
      [2, 'fact'],
      [3, 'came_after'],
    ])
    const elsewhere = createExplainLog([
      ask('r', 'read', { args: { path: 'b' } }),
      ask('w', 'write', file('1')),
      end('r', 'read', 'success'),
    ])
    expect(causes(explain(config, elsewhere, 2))).toEqual([[2, 'fact']])
  })

  it('name only the read when something outside the session changed the file', () => {
    const events = createExplainLog([
      ask('r', 'read', file('1')),
      end('r', 'read', 'success', seen('1')),
      ask('w', 'write', file('2')),
    ])
    expect(causes(explain(compiled({ ...HEAD, policies: [rule] }), events, 3))).toEqual([
      [2, 'outdated_read'],
      [3, 'fact'],
    ])
  })

  it('name the success that a later run made outdated, and that run', () => {
    const order = {
      id: 'o',
      type: 'sequential_dependency',
      dependencies: { deploy: ['test'] },
      after: ['write'],
    } as const
    const events = createExplainLog([
      ask('t', 'test'),
      end('t', 'test', 'success'),
      ask('w', 'write', file('1')),
      end('w', 'write', 'success', seen('2')),
      ask('d', 'deploy'),
    ])
    const found = explain(compiled({ ...HEAD, policies: [order] }), events, 5)
    expect(causes(found)).toEqual([
      [2, 'success'],
      [4, 'made_outdated'],
    ])
  })

  it('name the read and a later write that did not count as one', () => {
    const policies = [{ ...rule, writes_count_as_reads: false }]
    const events = createExplainLog([
      ask('r', 'read', file('1')),
      end('r', 'read', 'success', seen('1')),
      ask('w', 'write', file('1')),
      end('w', 'write', 'success', seen('2')),
      ask('v', 'write', file('2')),
    ])
    expect(causes(explain(compiled({ ...HEAD, policies }), events, 5))).toEqual([
      [2, 'outdated_read'],
      [4, 'made_outdated'],
      [5, 'fact'],
    ])
  })
})

it('the causes of a denial by a rate limit are all calls that fill the limit', () => {
  const policies = [{ id: 'rate', type: 'rate_limit', tools: ['a'], max_calls: 2, per_seconds: 60 }]
  const events = createExplainLog([ask('1', 'a'), ask('2', 'a'), ask('3', 'a')])
  expect(causes(explain(compiled({ ...HEAD, policies }), events, 3))).toEqual([
    [1, 'counted_call'],
    [2, 'counted_call'],
  ])
})

it('the cause of a decision on a call that waited for approval is the answer', () => {
  const policies = [{ id: 'ask', type: 'approval', tools: ['a'], timeout_seconds: 60 }]
  const events = createExplainLog([
    ask('1', 'a'),
    { type: 'approval.decided', data: { call_id: '1', decision: 'denied', by: 'mira' } },
  ])
  const config = compiled({ ...HEAD, policies })
  expect(explain(config, events, 1)).toMatchObject({
    decision: 'waiting',
    sentence: 'Waiting for approval',
  })
  expect(explain(config, events, 2)).toMatchObject({
    decision: 'denied',
    sentence: 'Not approved by mira',
  })
  expect(causes(explain(config, events, 2))).toEqual([[2, 'answer']])
})

describe('causes of a stop', () => {
  const checker: CheckerDocument = {
    id: 't',
    type: 'tool_succeeded',
    tool: 'test',
    after: ['write'],
  }
  const config = compiled({ ...HEAD, task_completion_checker: checker })

  it.each<[string, readonly Body[], readonly (readonly [number, CauseRole])[]]>([
    [
      'the write that made a test outdated',
      [
        ask('t', 'test'),
        end('t', 'test', 'success'),
        ask('w', 'write'),
        end('w', 'write', 'success'),
      ],
      [
        [2, 'outdated_success'],
        [4, 'made_outdated'],
      ],
    ],
    [
      'the run that failed',
      [ask('t', 'test'), end('t', 'test', 'failure')],
      [[2, 'attempt_failed']],
    ],
    [
      'the denial of a run',
      [ask('t', 'test'), end('t', 'test', 'denied')],
      [[2, 'attempt_denied']],
    ],
  ])('include %s', (...[, before, expected]) => {
    const events = createExplainLog([...before, stop()])
    expect(causes(explain(config, events, events.length))).toEqual(expected)
  })

  it('include the earlier blocks when it was bypassed', () => {
    const limits = { max_stop_blocks: 2 }
    const limited = compiled({ ...HEAD, limits, task_completion_checker: checker })
    const events = createExplainLog([stop(), stop(), stop()])
    expect(explain(limited, events, 3)).toMatchObject({ verdict: 'bypassed' })
    expect(causes(explain(limited, events, 3))).toEqual([
      [1, 'earlier_block'],
      [2, 'earlier_block'],
    ])
  })

  it('include the usage that exhausted the budget when it was bypassed', () => {
    const usage = (evaluation_id: string, input_tokens: number): Body => ({
      type: 'usage.recorded',
      data: { evaluation_id, input_tokens, output_tokens: 0 },
    })
    const started: Body = {
      type: 'session.started',
      data: {
        ns: 'a',
        key: 'b',
        environment: 'dev',
        harness: { name: 'x' },
        budget: { max_total_tokens: 100 },
      },
    }
    const events = createExplainLog([
      started,
      usage('e1', 90),
      usage('e2', 20),
      usage('e3', 5),
      stop(),
    ])
    expect(causes(explain(config, events, 5))).toEqual([[3, 'budget']])
  })

  it('causes of a stop are listed for every check of the tree that ran, and for no skipped check', () => {
    const tree: CheckerDocument = {
      id: 'all',
      type: 'composite',
      checkers: [{ id: 'p', type: 'plan' }, checker],
    }
    const events = createExplainLog([
      { type: 'plan.updated', data: { steps: [{ title: 'x' }] } },
      stop(),
    ])
    const explanation = explain(compiled({ ...HEAD, task_completion_checker: tree }), events, 2)
    expect(explanation).toMatchObject({
      kind: 'stop',
      verdict: 'blocked',
      sentence: '1 of 1 plan steps is not done',
      check: {
        checker: 'all',
        children: [
          { checker: 'p', causes: [{ seq: 1, type: 'plan.updated', role: 'plan' }] },
          {
            checker: 't',
            status: 'not_evaluated',
            sentence: 'Skipped because p decided first',
            causes: [],
          },
        ],
      },
    })
  })
})

it('an explanation of feedback lists every provider, including silent ones', () => {
  const config = compiled({
    ...HEAD,
    feedback_providers: [
      { id: 'row', type: 'repeated_failure', trigger: { every_n_calls: 1 }, times: 2 },
      { id: 'late', type: 'static', feedback: 'x', trigger: { every_n_calls: 9 } },
      { id: 'quiet', type: 'repeated_call', trigger: { every_n_calls: 1 } },
    ],
  })
  const events = createExplainLog([
    ask('1', 'a'),
    end('1', 'a', 'failure'),
    ask('2', 'b'),
    end('2', 'b', 'unknown'),
    ask('3', 'a'),
    end('3', 'a', 'failure'),
  ])
  const explanation = explain(config, events, 6)
  expect(explanation).toMatchObject({
    kind: 'feedback',
    sentence: 'Triggered by every n calls',
    providers: [
      { provider: 'row', outcome: 'delivered' },
      { provider: 'late', outcome: 'not_due', sentence: 'No condition of its trigger was met' },
      { provider: 'quiet', outcome: 'silent' },
    ],
  })
  expect(causes(explanation)).toEqual([
    [2, 'repeated'],
    [6, 'repeated'],
  ])
})

it('an explanation is the same for the deciding event and the recording event', () => {
  fc.assert(
    fc.property(configDocument, eventLog, (document, events) => {
      const config = compiled(document)
      const log = recordedLog(config, events)
      let explained = 0
      for (const event of log) {
        const explanation = explain(config, log, event.seq)
        if (explanation === null) continue
        explained += 1
        expect(explain(config, log, explanation.seq)).toEqual(explanation)
        for (const cause of explanation.causes) expect(log[cause.seq - 1]?.type).toBe(cause.type)
        const late = explanation.causes.filter(({ seq }) => seq > explanation.seq)
        expect(late.every(({ role }) => role === 'came_after')).toBe(true)
      }
      const records = log.filter((event) => recordedEffect(event) !== null)
      expect(explained).toBeGreaterThanOrEqual(records.length)
    }),
    { numRuns: 60 },
  )
})

it('an event without a decision has no explanation', () => {
  const events = createExplainLog([{ type: 'note', data: { text: 'x' } }])
  expect(explain(compiled(ORDER), events, 1)).toBeNull()
  expect(explain(compiled(ORDER), events, 7)).toBeNull()
})

function checksIn(check: ExplainedCheck): readonly ExplainedCheck[] {
  return [check, ...check.children.flatMap(checksIn)]
}

it('an explanation contains every cause that the decision itself names', () => {
  fc.assert(
    fc.property(configDocument, eventLog, (document, events) => {
      const config = compiled(document)
      for (const { seq, effect } of replay(config, events)) {
        const explanation = explain(config, events, seq)
        if (effect.kind === 'tool.decided' && explanation?.kind === 'call') {
          effect.data.rules.forEach(({ because }, i) => {
            const seqs = explanation.rules[i]?.causes.map((cause) => cause.seq)
            expect(seqs).toEqual(expect.arrayContaining([...because]))
          })
        }
        if (effect.kind === 'stop.decided' && explanation?.kind === 'stop') {
          const own = effect.data.check?.because ?? []
          const seqs =
            explanation.check === null
              ? []
              : checksIn(explanation.check).flatMap(({ causes: all }) =>
                  all.map((cause) => cause.seq),
                )
          expect(seqs).toEqual(expect.arrayContaining([...own]))
        }
      }
    }),
    { numRuns: 60 },
  )
})

it('the causes of a denial are those of the rules in force that denied, not of the others', () => {
  const needs = (id: string, tool: string, more: object = {}) => ({
    id,
    type: 'sequential_dependency',
    dependencies: { deploy: [tool] },
    ...more,
  })
  const policies = [
    needs('built', 'build'),
    needs('tested', 'test'),
    needs('shade', 'lint', { mode: 'shadow' }),
  ]
  const config = compiled({ ...HEAD, policies })
  const events = createExplainLog([
    ask('b', 'build'),
    end('b', 'build', 'success'),
    ask('t', 'test'),
    end('t', 'test', 'failure'),
    ask('l', 'lint'),
    end('l', 'lint', 'failure'),
    ask('d', 'deploy'),
    ask('u', 'test'),
    end('u', 'test', 'success'),
    ask('e', 'deploy'),
  ])
  const rule = { type: 'sequential_dependency', mode: 'enforce' } as const
  const built = {
    ...rule,
    rule: 'built',
    pointer: '/policies/0',
    result: 'allow',
    code: 'sequential.satisfied',
    params: { needed: ['build'] },
    sentence: 'build succeeded before it',
    causes: [{ seq: 2, type: 'tool.invoked', role: 'success' }],
  }
  const missing = {
    ...rule,
    rule: 'tested',
    pointer: '/policies/1',
    result: 'deny',
    code: 'sequential.missing',
    params: { tool: 'deploy', missing: ['test'] },
    sentence: 'deploy needs test first',
    causes: [
      { seq: 4, type: 'tool.invoked', role: 'attempt_failed' },
      { seq: 9, type: 'tool.invoked', role: 'came_after' },
    ],
  }
  const shade = {
    ...missing,
    rule: 'shade',
    pointer: '/policies/2',
    mode: 'shadow',
    params: { tool: 'deploy', missing: ['lint'] },
    sentence: 'deploy needs lint first',
    causes: [{ seq: 6, type: 'tool.invoked', role: 'attempt_failed' }],
  }
  expect(explain(config, events, 7)).toEqual({
    kind: 'call',
    seq: 7,
    callId: 'd',
    tool: 'deploy',
    decision: 'denied',
    sentence: 'deploy needs test first',
    causes: missing.causes,
    rules: [built, missing, shade],
  })
  expect(causes(explain(config, events, 10))).toEqual([
    [2, 'success'],
    [6, 'attempt_failed'],
    [9, 'success'],
  ])
})

it('an approved call rests on the request, the read before it and the answer', () => {
  const policies = [
    { id: 'rbw', type: 'read_before_write', read_tools: ['read'], write_tools: ['write'] },
    { id: 'ask', type: 'approval', tools: ['write'], timeout_seconds: 60 },
  ]
  const facts = { files: { a: { exists: true, kind: 'file', fingerprint: '1' } } }
  const events = createExplainLog([
    ask('r', 'read', { args: { path: 'a' }, facts }),
    end('r', 'read', 'success', { facts }),
    ask('w', 'write', { args: { path: 'a' }, facts }),
    { type: 'approval.decided', data: { call_id: 'w', decision: 'approved' } },
  ])
  const explanation = explain(compiled({ ...HEAD, policies }), events, 4)
  expect(explanation).toMatchObject({ kind: 'call', decision: 'allowed', sentence: 'Allowed' })
  expect(causes(explanation)).toEqual([
    [2, 'read'],
    [3, 'fact'],
    [4, 'answer'],
  ])
})

describe('causes of a bypass by the deadline', () => {
  const config = compiled({ ...HEAD, task_completion_checker: { id: 'p', type: 'plan' } })
  const started = (more: object): Body => ({
    type: 'session.started',
    data: { ns: 'a', key: 'b', environment: 'dev', harness: { name: 'x' }, ...more },
  })

  it('causes of a bypass by the deadline are the start that set it, and no check has one', () => {
    const events = createExplainLog([
      started({}),
      started({ deadline_at: 1_002_500 }),
      { type: 'plan.updated', data: { steps: [{ title: 'x' }] } },
      stop(),
    ])
    expect(explain(config, events, 4)).toEqual({
      kind: 'stop',
      seq: 4,
      verdict: 'bypassed',
      sentence: 'Allowed without checks: the deadline passed 1.5 s earlier',
      causes: [{ seq: 2, type: 'session.started', role: 'deadline' }],
      check: {
        checker: 'p',
        pointer: '/task_completion_checker',
        type: 'plan',
        status: 'bypassed',
        code: 'check.bypassed',
        params: { cause: 'deadline' },
        sentence: 'Skipped because of the deadline',
        causes: [],
        children: [],
      },
    })
  })

  it('causes of a bypass by the deadline are not named for a stop before it', () => {
    const events = createExplainLog([
      started({ deadline_at: 9_000_000 }),
      { type: 'plan.updated', data: { steps: [{ title: 'x' }] } },
      stop(),
    ])
    expect(causes(explain(config, events, 3))).toEqual([[2, 'plan']])
  })
})

it.each<[ToolOutcome]>([['denied'], ['invalid']])(
  'the last run of a tool is not the later call that was %s',
  (outcome) => {
    const checker: CheckerDocument = { id: 't', type: 'tool_succeeded', tool: 'test' }
    const events = createExplainLog([
      ask('t', 'test'),
      end('t', 'test', 'failure'),
      ask('u', 'test'),
      end('u', 'test', outcome),
      stop(),
    ])
    const config = compiled({ ...HEAD, task_completion_checker: checker })
    expect(causes(explain(config, events, 5))).toEqual([[2, 'attempt_failed']])
  },
)

it('the causes of feedback on failures are all failures in a row', () => {
  const config = compiled({
    ...HEAD,
    feedback_providers: [
      { id: 'row', type: 'repeated_failure', trigger: { every_n_calls: 1 }, times: 2 },
    ],
  })
  const fail = (id: string, outcome: ToolOutcome) => [ask(id, 'a'), end(id, 'a', outcome)]
  const events = createExplainLog([
    ...fail('1', 'failure'),
    ...fail('2', 'success'),
    ...fail('3', 'invalid'),
    ...fail('4', 'denied'),
    ...fail('5', 'failure'),
  ])
  expect(causes(explain(config, events, 8))).toEqual([
    [6, 'repeated'],
    [8, 'repeated'],
  ])
  expect(causes(explain(config, events, 10))).toEqual([
    [6, 'repeated'],
    [8, 'previous_delivery'],
    [8, 'repeated'],
    [10, 'repeated'],
  ])
})

it('an explanation of exclusive feedback names the providers that were not reached', () => {
  const say = (id: string, every_n_calls: number, mode: 'enforce' | 'shadow' = 'enforce') => ({
    id,
    type: 'static',
    feedback: 'x',
    mode,
    trigger: { every_n_calls },
  })
  const config = compiled({
    ...HEAD,
    feedback_exclusive: true,
    feedback_providers: [
      say('shade', 1, 'shadow'),
      say('late', 9),
      say('second', 2),
      say('last', 1),
    ],
  })
  const events = createExplainLog([
    ask('1', 'a'),
    end('1', 'a', 'success'),
    ask('2', 'a'),
    end('2', 'a', 'success'),
  ])
  const outcomes = (seq: number) => {
    const explanation = explain(config, events, seq)
    if (explanation?.kind !== 'feedback') throw new Error('It is about feedback.')
    return explanation.providers.map(({ provider, outcome, sentence }) => [
      provider,
      outcome,
      sentence,
    ])
  }
  const shade = ['shade', 'delivered', 'Triggered by every n calls']
  const late = ['late', 'not_due', 'No condition of its trigger was met']
  expect(outcomes(2)).toEqual([
    shade,
    late,
    ['second', 'not_due', 'No condition of its trigger was met'],
    ['last', 'delivered', 'Triggered by every n calls'],
  ])
  expect(outcomes(4)).toEqual([
    shade,
    late,
    ['second', 'delivered', 'Triggered by every n calls'],
    ['last', 'not_reached', 'A provider before it gave feedback'],
  ])
})

it('an explanation of a call without feedback says so', () => {
  const events = createExplainLog([ask('1', 'a'), end('1', 'a', 'success')])
  expect(explain(compiled(ORDER), events, 2)).toEqual({
    kind: 'feedback',
    seq: 2,
    callId: '1',
    tool: 'a',
    sentence: 'No provider gave feedback',
    causes: [],
    providers: [],
  })
})
