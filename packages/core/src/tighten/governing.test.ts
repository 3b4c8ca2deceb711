import { expect, it } from 'vitest'
import { backtestSession } from '../analysis/backtest/backtest-session.ts'
import { counterfactual } from '../analysis/counterfactual/counterfactual.ts'
import { remedies } from '../analysis/counterfactual/remedies.ts'
import { explain } from '../analysis/explain/explain.ts'
import { replay, stateAt } from '../analysis/replay.ts'
import { verifySession } from '../analysis/verify.ts'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import { step } from '../engine/step.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { SessionEvent } from '../model/event.ts'
import { initialState } from '../model/state.ts'
import { digestTakenBy } from './governing.ts'
import { takeOver } from './take-over.ts'
import { takenWith } from './taken-with.ts'

const HEAD = { schema_version: 1, ns: 'a', key: 'b' } as const
const TESTED = { id: 'tested', type: 'sequential_dependency', dependencies: { deploy: ['test'] } }
const SLOW = { id: 'slow', type: 'rate_limit', tools: ['deploy'], max_calls: 1, per_seconds: 60 }

function compiled(document: ConfigDocument): CompiledConfig {
  const result = compileConfig(document)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

const BEFORE = compiled({ ...HEAD, policies: [TESTED] })
const AFTER = compiled({ ...HEAD, policies: [TESTED, SLOW] })
const find = (digest: string) => (digest === 'after' ? AFTER : null)
const RAN_UNDER = { began: BEFORE, find }

type Body = Pick<SessionEvent, 'type' | 'data'>

const call = (call_id: string, tool: string): readonly Body[] => [
  { type: 'tool.requested', data: { call_id, tool, args: {} } },
  { type: 'tool.invoked', data: { call_id, tool, outcome: 'success' } },
]

function createGoverningLog(...bodies: readonly Body[]): readonly SessionEvent[] {
  const events: SessionEvent[] = []
  let config = BEFORE
  let state = initialState(BEFORE.promptName)
  const record = (body: Body) => {
    if (body.type === 'config.applied') {
      state = takeOver(config, AFTER, state)
      config = AFTER
    }
    const seq = events.length + 1
    const digest = config === AFTER ? 'after' : 'before'
    // Type and data match; only the union's type does not express it.
    const event = { session: 's', seq, at: seq * 1_000, config: digest, ...body } as SessionEvent
    events.push(event)
    const next = step(config, state, event)
    state = next.state
    for (const { kind, data } of next.effects) {
      if (kind !== 'anomaly') record({ type: kind, data } as Body)
    }
  }
  for (const body of bodies) record(body)
  return events
}

const LOG = createGoverningLog(
  ...call('c1', 'test'),
  ...call('c2', 'deploy'),
  ...call('c3', 'deploy'),
  { type: 'config.applied', data: { digest: 'after' } },
  ...call('c4', 'deploy').slice(0, 1),
  ...call('c5', 'deploy').slice(0, 1),
)
const findSeq = (call_id: string) =>
  LOG.find(
    ({ type, data }) => type === 'tool.requested' && 'call_id' in data && data.call_id === call_id,
  )?.seq ?? 0
const TAKEN = LOG.find(({ type }) => type === 'config.applied')?.seq ?? 0

it('replay and verification reproduce the recorded decisions under both versions', () => {
  const recorded = LOG.flatMap(({ type, data }) => (type === 'tool.decided' ? [data.decision] : []))
  expect(recorded).toEqual(['allowed', 'allowed', 'allowed', 'allowed', 'denied'])
  const replayed = [...replay(RAN_UNDER, LOG)].map(({ effect }) => effect.data)
  expect(replayed).toEqual(LOG.flatMap(({ type, data }) => (type === 'tool.decided' ? [data] : [])))
  expect(verifySession(RAN_UNDER, LOG)).toEqual({ status: 'verified', decisions: 5 })
  expect(verifySession(BEFORE, LOG)).toMatchObject({ status: 'diverged', why: 'unknown_version' })
})

it('the state continues from any event, before and after the move to another version', () => {
  const whole = stateAt(RAN_UNDER, LOG, { seq: LOG.length })
  for (let seq = 1; seq < LOG.length; seq++) {
    const from = stateAt(RAN_UNDER, LOG, { seq })
    const under = seq < TAKEN ? RAN_UNDER : AFTER
    const digest = seq < TAKEN ? 'before' : 'after'
    expect(stateAt(under, LOG, { seq: LOG.length, from, digest })).toEqual(whole)
  }
})

it('a denial by the new version is explained by that version, and its remedies are correct for it', () => {
  const explanation = explain(RAN_UNDER, LOG, findSeq('c5'))
  expect(explanation).toMatchObject({ kind: 'call', decision: 'denied' })
  expect(explanation?.kind === 'call' && explanation.rules.map(({ rule }) => rule)).toEqual([
    'tested',
    'slow',
  ])
  expect(explain(RAN_UNDER, LOG, findSeq('c3'))).toMatchObject({ rules: [{ rule: 'tested' }] })
  const changes = remedies(RAN_UNDER, LOG, findSeq('c5')).flatMap((remedy) => remedy.changes)
  expect(changes).toContainEqual({ kind: 'rule_mode', rule: 'slow', mode: 'shadow' })
})

it('a counterfactual changes a rule in both versions', () => {
  const log = createGoverningLog(
    ...call('c1', 'deploy').slice(0, 1),
    { type: 'config.applied', data: { digest: 'after' } },
    ...call('c2', 'deploy').slice(0, 1),
  )
  const off = { kind: 'rule_mode', rule: 'tested', mode: 'off' } as const
  const result = counterfactual(RAN_UNDER, log, off)
  expect(
    result.ok && [...result.changed, ...result.afterwards].map(({ subject }) => subject),
  ).toEqual(['call c1', 'call c2'])
})

it('a backtest compares each decision with the version that made it', () => {
  const run = backtestSession(RAN_UNDER, BEFORE, LOG)
  const differences = [...run].map(({ seq }) => seq)
  expect(differences).toEqual([findSeq('c5')])
})

it('only a move to another version changes the version in force', () => {
  const applied = (digest: string): SessionEvent => ({
    session: 's',
    seq: 1,
    at: 1,
    type: 'config.applied',
    data: { digest },
  })
  const other: SessionEvent = { ...applied('x'), type: 'plan.updated', data: { steps: [] } }
  expect(digestTakenBy(applied('after'), 'before')).toBe('after')
  expect(digestTakenBy(applied('after'), null)).toBe('after')
  expect(digestTakenBy(applied('before'), 'before')).toBeNull()
  expect(digestTakenBy(other, 'before')).toBeNull()

  const state = initialState(BEFORE.promptName)
  const taken = (digest: string, current: string | null) =>
    takenWith({ event: applied(digest), state }, { digest: current, config: BEFORE }, find)
  expect(taken('after', null)).toBeNull()
  expect(taken('before', 'before')).toBeNull()
  expect(taken('unknown', 'before')).toEqual({
    governing: { digest: null, config: BEFORE },
    state,
    looser: [],
  })
  expect(taken('after', 'before')).toEqual({
    governing: { digest: 'after', config: AFTER },
    state: takeOver(BEFORE, AFTER, state),
    looser: [],
  })
  const back = takenWith(
    { event: applied('before'), state },
    { digest: 'after', config: AFTER },
    () => BEFORE,
  )
  expect(back?.looser).toEqual([{ pointer: '/policies/1', message: 'Policy `slow` is gone' }])
})
