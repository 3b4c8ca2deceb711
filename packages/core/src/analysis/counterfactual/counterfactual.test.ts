import { CUSTOM_TYPES, configDocument, eventLog, extendedConfigDocument } from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { celExpressions } from '../../expression/index.ts'
import {
  type CheckerDocument,
  type CompiledConfig,
  type ConfigDocument,
  compileConfig,
  type FileFact,
  initialState,
  type PolicyDocument,
  type SessionEvent,
} from '../../index.ts'
import type { EventBody } from '../../model/event.ts'
import { replay } from '../index.ts'
import { applyChanges } from './apply-change.ts'
import type { Change } from './change.ts'
import { counterfactual } from './counterfactual.ts'
import { releasingChecks } from './releasing-checks.ts'
import { remedies } from './remedies.ts'

const HEAD = { schema_version: 1, ns: 'a', key: 'b' } as const
const options = { expressions: celExpressions(), customTypes: CUSTOM_TYPES }

function compiled(document: ConfigDocument): CompiledConfig {
  const result = compileConfig(document, options)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

const withPolicies = (...policies: readonly PolicyDocument[]) => compiled({ ...HEAD, policies })

function createTimedLog(
  ...bodies: readonly (EventBody & { readonly after?: number })[]
): SessionEvent[] {
  let at = 1_000_000
  return bodies.map(({ after = 1, ...body }, i) => {
    at += after * 1000
    return { session: 'sess_1', seq: i + 1, at, ...body }
  })
}

const ask = (call_id: string, tool: string, more: object = {}): EventBody => ({
  type: 'tool.requested',
  data: { call_id, tool, args: {}, ...more },
})
type Finished = [call_id: string, tool: string, outcome: 'success' | 'failure', more?: object]

const end = (...[call_id, tool, outcome, more = {}]: Finished): EventBody => ({
  type: 'tool.invoked',
  data: { call_id, tool, outcome, ...more },
})

const order = (dependencies: Record<string, readonly string[]>): PolicyDocument => ({
  id: 'order',
  type: 'sequential_dependency',
  dependencies,
})
const ORDERED = withPolicies(order({ deploy: ['test'] }))

describe('counterfactual', () => {
  const events = createTimedLog(
    ask('t', 'test'),
    end('t', 'test', 'success'),
    ask('d', 'deploy'),
    end('d', 'deploy', 'success'),
    ask('e', 'deploy'),
  )

  it.each<[string, Change, number | null, readonly (readonly [number, string])[]]>([
    ['a missing event', { kind: 'without_event', seq: 2 }, 3, [[3, 'call d']]],
    ['another outcome', { kind: 'with_outcome', seq: 2, outcome: 'failure' }, 3, [[3, 'call d']]],
    ['a removed request, which is then not decided', { kind: 'without_event', seq: 5 }, null, []],
    ['a rule in shadow mode', { kind: 'rule_mode', rule: 'order', mode: 'shadow' }, null, []],
    ['a removed rule', { kind: 'without_rule', rule: 'order' }, null, []],
    ['a delay without effect', { kind: 'delayed', seq: 3, seconds: 60 }, null, []],
  ])('reports the changed decisions for %s', (...[, change, at, changed]) => {
    const result = counterfactual(ORDERED, events, change)
    if (!result.ok) throw new Error('refused')
    expect(result.firstDivergence).toBe(at)
    expect(result.changed.map(({ seq, subject }) => [seq, subject])).toEqual(changed)
  })

  it('lists changes after the first divergence separately', () => {
    const result = counterfactual(ORDERED, events, { kind: 'without_event', seq: 2 })
    if (!result.ok) throw new Error('refused')
    expect(result.afterwards.map(({ seq }) => seq)).toEqual([5])
  })

  it('reports the changed decision of a shadow rule, without a divergence', () => {
    const log = createTimedLog(ask('d', 'deploy'))
    const shadow = withPolicies({ ...order({ deploy: ['test'] }), mode: 'shadow' })
    const result = counterfactual(shadow, log, { kind: 'without_rule', rule: 'order' })
    expect(result).toMatchObject({ firstDivergence: null, changed: [{ seq: 1, acts: false }] })
  })

  it('inserts events without changing the numbers of the others', () => {
    const log = createTimedLog(ask('d', 'deploy'))
    const inserted = [ask('t', 'test'), end('t', 'test', 'success')]
    const result = counterfactual(ORDERED, log, { kind: 'inserted', before: 1, events: inserted })
    if (!result.ok) throw new Error('refused')
    expect(result.changed.at(-1)).toMatchObject({
      seq: 1,
      before: { data: { decision: 'denied' } },
      after: { data: { decision: 'allowed', rules: [{ because: [2 / 3] }] } },
    })
  })

  it('reports when the changed config is refused', () => {
    const cyclic = compiled({
      ...HEAD,
      policies: [
        { ...order({ deploy: ['test'] }), mode: 'off' },
        { ...order({ test: ['deploy'] }), id: 'back' },
      ],
    })
    expect(
      counterfactual(cyclic, [], { kind: 'rule_mode', rule: 'order', mode: 'enforce' }),
    ).toMatchObject({ ok: false, problems: [{ code: 'dependency_cycle' }, {}] })
  })

  it('reports nothing when a rule keeps its mode', () => {
    fc.assert(
      fc.property(configDocument, eventLog, (document, log) => {
        const config = compiled(document)
        for (const rule of document.policies ?? []) {
          const mode = rule.mode ?? 'enforce'
          const change: Change = { kind: 'rule_mode', rule: rule.id, mode }
          expect(counterfactual(config, log, change)).toMatchObject({ changed: [], afterwards: [] })
        }
      }),
      { numRuns: 30 },
    )
  })
})

const texts = (config: CompiledConfig, events: readonly SessionEvent[], seq = events.length) =>
  remedies(config, events, seq).map(({ text, outcome }) => `${text}: ${outcome}`)

describe('remedies of a denied call', () => {
  it('list the missing runs, with their prerequisites', () => {
    const config = withPolicies(order({ deploy: ['test'], test: ['build'] }))
    expect(texts(config, createTimedLog(ask('d', 'deploy')))).toEqual([
      'If the rule `order` had been in shadow mode: allowed',
      'If `build`, then `test` had succeeded before: allowed',
    ])
  })

  it('list a missing run that itself needs approval, as approved', () => {
    const approval = { id: 'ask', type: 'approval', tools: ['test'], timeout_seconds: 60 }
    const config = withPolicies(order({ deploy: ['test'] }), approval)
    expect(remedies(config, createTimedLog(ask('d', 'deploy')), 1)).toEqual([
      {
        changes: [
          {
            kind: 'inserted',
            before: 1,
            events: [
              { type: 'tool.requested', data: { call_id: 'remedy 0', tool: 'test', args: {} } },
              { type: 'approval.decided', data: { call_id: 'remedy 0', decision: 'approved' } },
              {
                type: 'tool.invoked',
                data: { call_id: 'remedy 0', tool: 'test', outcome: 'success' },
              },
            ],
          },
        ],
        text: 'If `test` had succeeded before',
        outcome: 'allowed',
      },
      {
        changes: [{ kind: 'rule_mode', rule: 'order', mode: 'shadow' }],
        text: 'If the rule `order` had been in shadow mode',
        outcome: 'allowed',
      },
    ])
  })

  it('list nothing for an event that decides nothing, or that the log does not contain', () => {
    const events = createTimedLog(ask('d', 'deploy'), { type: 'note', data: { text: 'x' } })
    expect(remedies(ORDERED, events, 2)).toEqual([])
    expect(remedies(ORDERED, events, 9)).toEqual([])
  })

  it('list the success of a failed attempt', () => {
    const events = createTimedLog(ask('t', 'test'), end('t', 'test', 'failure'), ask('d', 'deploy'))
    expect(texts(ORDERED, events)).toContain('If #2 had succeeded: allowed')
  })

  it('report that the call would have waited for approval', () => {
    const approval = { id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 60 }
    const config = withPolicies(order({ deploy: ['test'] }), approval)
    expect(texts(config, createTimedLog(ask('d', 'deploy')))).toContain(
      'If `test` had succeeded before: waits',
    )
  })

  it('list the approval of a call that was not approved', () => {
    const approval = { id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 60 }
    const answer: EventBody = {
      type: 'approval.decided',
      data: { call_id: 'd', decision: 'denied' },
    }
    expect(texts(withPolicies(approval), createTimedLog(ask('d', 'deploy'), answer))).toEqual([
      'If it had been approved: allowed',
    ])
  })

  it('list nothing for an approval that came too late', () => {
    const approval = { id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 60 }
    const late = {
      type: 'approval.decided',
      data: { call_id: 'd', decision: 'approved' },
      after: 61,
    } as const
    expect(texts(withPolicies(approval), createTimedLog(ask('d', 'deploy'), late))).toEqual([])
  })

  it('list a later request and a missing earlier call for a rate limit', () => {
    const rate = { id: 'rate', type: 'rate_limit', tools: ['a'], max_calls: 1, per_seconds: 10 }
    expect(texts(withPolicies(rate), createTimedLog(ask('1', 'a'), ask('2', 'a')))).toEqual([
      'If it had been requested 9 seconds later: allowed',
      'If #1 had not been requested: allowed',
      'If the rule `rate` had been in shadow mode: allowed',
    ])
  })

  it('list a read, a missing file and an unchanged file for a denied write', () => {
    const rule = {
      id: 'rbw',
      type: 'read_before_write',
      read_tools: ['read'],
      write_tools: ['write'],
    }
    const at = (fingerprint: string): object => {
      const file: FileFact = { exists: true, kind: 'file', fingerprint }
      return { args: { path: 'a' }, facts: { files: { a: file } } }
    }
    const config = withPolicies(rule)
    expect(texts(config, createTimedLog(ask('w', 'write', at('1'))))).toEqual([
      'If `a` had been read with `read` before: allowed',
      'If `a` had not existed: allowed',
      'If the rule `rbw` had been in shadow mode: allowed',
    ])
    const { args: _, ...facts } = at('1') as { args: object }
    const changed = createTimedLog(
      ask('r', 'read', at('1')),
      end('r', 'read', 'success', facts),
      ask('w', 'write', at('2')),
    )
    expect(texts(config, changed)).toContain('If `a` had not changed since #2: allowed')
  })

  it('list only the necessary combinations when several rules denied', () => {
    const config = withPolicies(order({ deploy: ['test'] }), {
      id: 'gate',
      type: CUSTOM_TYPES[1],
      tools: ['deploy'],
    })
    expect(texts(config, createTimedLog(ask('d', 'deploy')))).toEqual([
      'If `test` had succeeded before and `gate` had allowed it: allowed',
      'If `test` had succeeded before and the rule `gate` had been in shadow mode: allowed',
      'If the rule `order` had been in shadow mode and `gate` had allowed it: allowed',
      'If the rule `order` had been in shadow mode and the rule `gate` had been in shadow mode: allowed',
    ])
  })

  it('list only changes that a replay confirms', () => {
    let listed = 0
    fc.assert(
      fc.property(extendedConfigDocument, eventLog, (document, events) => {
        const config = compiled(document)
        for (const { seq, effect } of replay(config, events)) {
          if (effect.kind !== 'tool.decided') continue
          const found = remedies(config, events, seq)
          if (effect.data.decision === 'allowed') expect(found).toEqual([])
          for (const { changes, outcome } of found) {
            listed += 1
            expect(outcomeWith(config, events, { seq, changes })).toBe(outcome)
          }
        }
      }),
      { numRuns: 150 },
    )
    expect(listed).toBeGreaterThan(20)
  })
})

function outcomeWith(
  config: CompiledConfig,
  events: readonly SessionEvent[],
  { seq, changes }: { readonly seq: number; readonly changes: readonly Change[] },
): string {
  const changed = applyChanges({ ranUnder: config, events }, changes)
  if (!changed.ok) throw new Error('refused')
  const at = [...replay(changed.played.ranUnder, changed.played.events)].find(
    (one) => one.seq === seq && one.effect.kind !== 'anomaly',
  )
  return at?.effect.kind === 'tool.decided' ? at.effect.data.decision : 'waits'
}

describe('checks without which a stop would have passed', () => {
  const composite = (id: string, mode: boolean, ...checkers: readonly CheckerDocument[]) => ({
    id,
    type: 'composite',
    all_must_pass: mode,
    checkers,
  })
  const needs = (tool: string): CheckerDocument => ({ id: tool, type: 'tool_succeeded', tool })
  const releasedBy = (checker: CheckerDocument): readonly string[] => {
    const config = compiled({ ...HEAD, task_completion_checker: checker })
    const [attempt] = createTimedLog({ type: 'stop.attempted', data: { via: 'turn_end' } })
    if (attempt?.type !== 'stop.attempted') throw new Error('That was an attempt.')
    return releasingChecks(config, initialState(config.promptName), attempt)
  }
  const plan = { id: 'plan', type: 'plan' } as const

  it.each([
    ['the only one that fails', composite('all', true, plan, needs('test')), ['test']],
    ['none, where two fail', composite('all', true, needs('lint'), needs('test')), []],
    ['the smallest part that holds all failures', nested(), ['both']],
    ['the only check', needs('test'), ['test']],
    ['none, where the stop passes', composite('any', false, needs('test'), plan), []],
  ])('are listed: %s', (_name, checker, expected) => {
    expect(releasedBy(checker)).toEqual(expected)
  })

  function nested() {
    const both = composite('both', false, needs('lint'), needs('test'))
    return composite('all', true, plan, both)
  }
})
