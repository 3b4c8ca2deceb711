import { CUSTOM_TYPES, configDocument, eventLog, extendedConfigDocument } from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { celExpressions } from '../../expression/index.ts'
import { factsNeeded } from '../../host/index.ts'
import {
  type CompiledConfig,
  type ConfigDocument,
  compileConfig,
  initialState,
  type PolicyDocument,
  type SessionEvent,
  step,
} from '../../index.ts'
import type { EventBody } from '../../model/event.ts'
import {
  backtestSession,
  FOLDED_EVENT_TYPES,
  openBacktest,
  type SessionBacktest,
} from './backtest-session.ts'
import { addBacktest, NO_BACKTESTS } from './backtest-totals.ts'
import { NO_VERDICTS, type VerdictClass } from './verdicts.ts'

const HEAD = { schema_version: 1, ns: 'a', key: 'b' } as const
const options = { expressions: celExpressions(), customTypes: CUSTOM_TYPES }

function compiled(document: ConfigDocument): CompiledConfig {
  const result = compileConfig(document, options)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

const NOTHING = compiled(HEAD)
const withPolicies = (...policies: readonly PolicyDocument[]) => compiled({ ...HEAD, policies })

function backtested(
  before: CompiledConfig,
  after: CompiledConfig,
  events: readonly SessionEvent[],
) {
  const run = backtestSession(before, after, events)
  const differences: string[] = []
  for (;;) {
    const next = run.next()
    if (next.done === true) return { differences, summary: next.value }
    const { seq, subject, fidelity } = next.value
    differences.push(`#${seq} ${subject} ${fidelity}`)
  }
}

function createBacktestLog(...bodies: readonly EventBody[]): SessionEvent[] {
  return bodies.map((body, i) => ({ session: 'sess_1', seq: i + 1, at: 1_000 * i, ...body }))
}

const ask = (call_id: string, tool: string, more: object = {}): EventBody => ({
  type: 'tool.requested',
  data: { call_id, tool, args: {}, ...more },
})
const done = (call_id: string, tool: string): EventBody => ({
  type: 'tool.invoked',
  data: { call_id, tool, outcome: 'success' },
})
const stop = (more: object = {}): EventBody => ({
  type: 'stop.attempted',
  data: { via: 'turn_end', ...more },
})
const order = (dependencies: Record<string, readonly string[]>): PolicyDocument => ({
  id: 'order',
  type: 'sequential_dependency',
  dependencies,
})

describe('backtestSession', () => {
  const events = createBacktestLog(
    ask('d', 'deploy'),
    done('d', 'deploy'),
    ask('e', 'deploy'),
    done('e', 'deploy'),
  )

  it('finds the first divergence, and marks everything after it as approximate', () => {
    const { differences, summary } = backtested(
      NOTHING,
      withPolicies(order({ deploy: ['test'] })),
      events,
    )
    expect(differences).toEqual(['#1 call d exact', '#3 call e approximate'])
    expect(summary).toEqual({
      events: 4,
      decisions: 2,
      changed: 1,
      changedAfterwards: 1,
      firstDivergence: 1,
      verdicts: { ...NO_VERDICTS, would_deny: 1 },
      verdictsAfterwards: { ...NO_VERDICTS, would_deny: 1 },
      rules: { order: { fidelity: 'approximate', reason: 'after_divergence', since: 3 } },
    })
  })

  it('backtestSession does not diverge at the changed decision of a shadow rule', () => {
    const shadow = withPolicies({ ...order({ deploy: ['test'] }), mode: 'shadow' })
    const { differences, summary } = backtested(NOTHING, shadow, events)
    expect(differences).toEqual(['#1 call d exact', '#3 call e exact'])
    expect(summary).toMatchObject({
      firstDivergence: null,
      rules: { order: { fidelity: 'exact' } },
    })
  })

  it('leaves out a content rule whose detectors did not run', () => {
    const content = [{ id: 'keys', kind: 'secrets', on: 'result', action: 'withhold' }] as const
    const log = createBacktestLog(ask('d', 'deploy'), done('d', 'deploy'))
    const { differences, summary } = backtested(NOTHING, compiled({ ...HEAD, content }), log)
    expect(differences).toEqual([])
    expect(summary.rules['keys']).toMatchObject({
      fidelity: 'cannot_replay',
      reason: 'content_not_recorded',
    })
  })

  it.each<[string, PolicyDocument, string]>([
    [
      'files that were not looked up',
      { id: 'new', type: 'read_before_write', read_tools: ['read'], write_tools: ['deploy'] },
      'files_not_recorded',
    ],
    [
      'a custom rule without a recorded answer',
      { id: 'new', type: CUSTOM_TYPES[1] },
      'answers_not_recorded',
    ],
    [
      'an approval that was not requested',
      { id: 'new', type: 'approval', tools: ['deploy'], timeout_seconds: 9 },
      'answers_not_recorded',
    ],
  ])('counts a call as cannot_replay for %s', (...[, policy, reason]) => {
    const log = createBacktestLog(ask('d', 'deploy', { args: { path: 'a' } }), done('d', 'deploy'))
    const { differences, summary } = backtested(NOTHING, withPolicies(policy), log)
    expect(differences).toEqual([])
    expect(summary).toMatchObject({
      firstDivergence: null,
      verdicts: { ...NO_VERDICTS, cannot_replay: 1 },
      rules: { new: { fidelity: 'cannot_replay', reason, since: 1 } },
    })
  })

  it('counts a call without recorded facts as cannot_replay, unless another rule denies it', () => {
    const files: PolicyDocument = {
      id: 'new',
      type: 'read_before_write',
      read_tools: ['read'],
      write_tools: ['deploy', 'push'],
    }
    const log = createBacktestLog(
      ask('a', 'deploy', { args: { path: 'a' } }),
      ask('b', 'push', { args: { path: 'b' } }),
      ask('c', 'read'),
    )
    const { summary } = backtested(NOTHING, withPolicies(files, order({ push: ['test'] })), log)
    expect(summary.verdicts).toEqual({ ...NO_VERDICTS, cannot_replay: 1, would_deny: 1 })
    expect(summary.verdictsAfterwards).toEqual({ ...NO_VERDICTS, unchanged: 1 })
  })

  it('counts a governed call with redacted arguments as cannot_replay, not as changed', () => {
    const hidden = { args: { to: { $redacted: 'rule' } } }
    const log = createBacktestLog(ask('d', 'deploy', hidden), ask('e', 'test', hidden))
    const { differences, summary } = backtested(
      NOTHING,
      withPolicies(order({ deploy: ['test'] })),
      log,
    )
    expect(differences).toEqual([])
    expect(summary).toMatchObject({ verdicts: { cannot_replay: 1, unchanged: 1 } })
  })

  it('replays a recorded approval under the changed timeout', () => {
    const asking = { id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 60 } as const
    const log = createBacktestLog(ask('d', 'deploy'), {
      type: 'approval.decided',
      data: { call_id: 'd', decision: 'approved' },
    })
    const { differences } = backtested(
      withPolicies(asking),
      withPolicies({ ...asking, timeout_seconds: 0.5 }),
      log,
    )
    expect(differences).toEqual(['#2 call d exact'])
  })

  it.each(['shadow', 'enforce'] as const)(
    'knows that a call is allowed if no rule in force lacks its answer: %s',
    (mode) => {
      const gate = { id: 'gate', type: CUSTOM_TYPES[1], tools: ['deploy'], mode }
      const rate = {
        id: 'rate',
        type: 'rate_limit',
        tools: ['deploy'],
        max_calls: 9,
        per_seconds: 9,
      }
      const { differences, summary } = backtested(
        withPolicies(order({ deploy: ['test'] })),
        withPolicies(gate, rate),
        createBacktestLog(ask('d', 'deploy')),
      )
      const isKnown = mode === 'shadow'
      expect(differences).toEqual(isKnown ? ['#1 call d exact'] : [])
      expect(summary).toEqual({
        events: 1,
        decisions: 1,
        changed: isKnown ? 1 : 0,
        changedAfterwards: 0,
        firstDivergence: isKnown ? 1 : null,
        verdicts: { ...NO_VERDICTS, [isKnown ? 'would_allow' : 'cannot_replay']: 1 },
        verdictsAfterwards: NO_VERDICTS,
        rules: {
          gate: { fidelity: 'cannot_replay', reason: 'answers_not_recorded', since: 1 },
          rate: { fidelity: 'exact', reason: null, since: null },
        },
      })
    },
  )

  it.each<[string | null | undefined, VerdictClass]>([
    ['one', 'would_allow'],
    [undefined, 'would_allow'],
    ['two', 'unchanged'],
    [null, 'unchanged'],
  ])('follows the versions of a session that began with %s', (digest, verdict) => {
    const ordered = withPolicies(order({ deploy: ['test'] }))
    const find = (wanted: string) => (wanted === 'two' ? ordered : null)
    const run = openBacktest({ began: NOTHING, find }, NOTHING, digest)
    const [applied, asked] = createBacktestLog(
      { type: 'config.applied', data: { digest: 'two' } },
      ask('d', 'deploy'),
    )
    if (applied === undefined || asked === undefined) throw new Error('The log has two events.')
    expect(run.fold({ ...applied, config: 'one' })).toEqual({ differences: [], verdict: null })
    expect(run.fold(asked).verdict).toEqual({
      kind: 'call',
      callId: 'd',
      class: verdict,
      passes: true,
      fidelity: 'exact',
    })
  })

  it('backtestSession cannot replay a stop that depends on missing look-ups, unless it passes without them', () => {
    const files = { id: 'f', type: 'files_exist', files: ['a'] }
    const tree = (all: boolean) =>
      compiled({
        ...HEAD,
        task_completion_checker: {
          id: 'x',
          type: 'composite',
          all_must_pass: all,
          checkers: [{ id: 'p', type: 'plan' }, files],
        },
      })
    const log = createBacktestLog(stop())
    const open = backtested(NOTHING, tree(true), log)
    expect(open.differences).toEqual([])
    expect(open.summary.rules['f']).toMatchObject({ fidelity: 'cannot_replay' })
    expect(backtested(NOTHING, tree(false), log).differences).toEqual(['#1 stop exact'])
  })
})

function isContentChecked(config: CompiledConfig, { type, data }: SessionEvent): boolean {
  if (type !== 'tool.requested' && type !== 'tool.invoked') return true
  const { content } = config.rulesFor(config.canonicalTool(data.tool))
  const rules = type === 'tool.requested' ? content.arguments : content.result
  return rules.every(({ document }) => data.facts?.content?.checked.includes(document.id) === true)
}

function needsNothing(config: CompiledConfig, events: readonly SessionEvent[]): boolean {
  let state = initialState(config.promptName)
  for (const event of events) {
    const { files, links, answers } = factsNeeded(config, state, event)
    if (files.length + links.length + answers.length > 0) return false
    if (!isContentChecked(config, event)) return false
    state = step(config, state, event).state
  }
  return true
}

describe('backtests over random configs and logs', () => {
  it('find no difference between a config and itself', () => {
    fc.assert(
      fc.property(extendedConfigDocument, eventLog, (document, events) => {
        const config = compiled(document)
        fc.pre(needsNothing(config, events))
        const { differences, summary } = backtested(config, compiled(document), events)
        expect(differences).toEqual([])
        const lowered = Object.values(summary.rules).filter(({ fidelity }) => fidelity !== 'exact')
        expect(lowered).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  it('give every call and stop one verdict, with or without the records of decisions', () => {
    const folded = new Set<string>(FOLDED_EVENT_TYPES)
    fc.assert(
      fc.property(configDocument, configDocument, eventLog, (one, other, events) => {
        const [before, after] = [compiled(one), compiled(other)]
        const whole = backtested(before, after, events)
        const thin = openBacktest(before, after)
        const verdicts = events
          .filter(({ type }) => folded.has(type))
          .flatMap((event) => thin.fold(event).verdict ?? [])
        const { events: _all, ...summary } = whole.summary
        expect(thin.summary()).toMatchObject(summary)
        const counted = [summary.verdicts, summary.verdictsAfterwards].flatMap((counts) =>
          Object.values(counts),
        )
        expect(counted.reduce((sum, count) => sum + count, 0)).toBe(verdicts.length)
      }),
      { numRuns: 100 },
    )
  })

  it('mark differences as exact up to the first divergence, and as approximate after it', () => {
    fc.assert(
      fc.property(configDocument, configDocument, eventLog, (one, other, events) => {
        const run = backtestSession(compiled(one), compiled(other), events)
        let first: number | null = null
        let next = run.next()
        for (; next.done !== true; next = run.next()) {
          const { seq, acts, fidelity } = next.value
          const isLate: boolean = first !== null && seq > first
          expect(fidelity).toBe(isLate ? 'approximate' : 'exact')
          if (acts) first ??= seq
        }
        expect(next.value.firstDivergence).toBe(first)
      }),
      { numRuns: 100 },
    )
  })
})

it('backtest totals do not depend on the order of the sessions', () => {
  const session = (changed: number, firstDivergence: number | null): SessionBacktest => ({
    events: 10,
    decisions: 3,
    changed,
    changedAfterwards: 0,
    firstDivergence,
    verdicts: { ...NO_VERDICTS, would_deny: changed },
    verdictsAfterwards: NO_VERDICTS,
    rules: { order: { fidelity: 'exact', reason: null, since: null } },
  })
  const sessions = [session(0, null), session(2, 5), session(1, null)]
  const totals = sessions.reduce(addBacktest, NO_BACKTESTS)
  expect([...sessions].reverse().reduce(addBacktest, NO_BACKTESTS)).toEqual(totals)
  expect(totals).toMatchObject({
    sessions: 3,
    changedSessions: 2,
    divergedSessions: 1,
    verdicts: { would_deny: 3 },
    events: 30,
    rules: { order: { exact: 3, approximate: 0, cannot_replay: 0 } },
  })
})

it('backtest totals add every count, and each rule by its fidelity', () => {
  const unanswered = {
    fidelity: 'cannot_replay',
    reason: 'answers_not_recorded',
    since: 1,
  } as const
  const session: SessionBacktest = {
    events: 10,
    decisions: 3,
    changed: 0,
    changedAfterwards: 2,
    firstDivergence: 4,
    verdicts: { ...NO_VERDICTS, unchanged: 1 },
    verdictsAfterwards: { ...NO_VERDICTS, would_block: 2 },
    rules: {
      order: { fidelity: 'approximate', reason: 'after_divergence', since: 5 },
      toString: unanswered,
    },
  }
  const exact = { fidelity: 'exact', reason: null, since: null } as const
  const other = { ...session, changed: 1, changedAfterwards: 0, rules: { order: exact } }
  expect([session, other].reduce(addBacktest, NO_BACKTESTS)).toEqual({
    sessions: 2,
    changedSessions: 2,
    divergedSessions: 2,
    events: 20,
    decisions: 6,
    changed: 1,
    changedAfterwards: 2,
    verdicts: { ...NO_VERDICTS, unchanged: 2 },
    verdictsAfterwards: { ...NO_VERDICTS, would_block: 4 },
    rules: {
      order: { exact: 1, approximate: 1, cannot_replay: 0 },
      toString: { exact: 0, approximate: 0, cannot_replay: 1 },
    },
  })
})
