import {
  learnSessions,
  type SessionStep,
  type WrittenCall,
  writeSession,
  writeStop,
} from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import type { EventBody } from '../model/event.ts'
import type { FileFact } from '../model/fact.ts'
import type { JsonObject } from '../model/json.ts'
import { FAMILIES, findGroup, type LearnCounts, STOP } from './counts.ts'
import { countBroken } from './find-orders.ts'
import { openLearner } from './learner.ts'

type Started = Parameters<typeof writeSession>[1]
type Family = (typeof FAMILIES)[keyof typeof FAMILIES]

const learn = (steps: readonly SessionStep[], started?: Started): LearnCounts =>
  learnSessions([writeSession(steps, started)])

const list = (counts: LearnCounts, family: Family, ...subject: readonly (string | number)[]) =>
  Object.fromEntries(findGroup(counts, family, ...subject))

// Parts of a call, for calls that overlap.
const named = (tool: string) => ({ call_id: tool, tool })
const request = (tool: string, args: JsonObject = {}): EventBody => ({
  type: 'tool.requested',
  data: { ...named(tool), args },
})
const decide = (tool: string, decision: 'allowed' | 'denied' = 'allowed'): EventBody => ({
  type: 'tool.decided',
  data: { ...named(tool), decision, reason: null, rules: [] },
})
const wait = (tool: string): EventBody => ({
  type: 'approval.requested',
  data: { ...named(tool), rules: ['ask'], expires_at: 0 },
})
const approve = (tool: string): EventBody => ({
  type: 'approval.decided',
  data: { call_id: tool, decision: 'approved' },
})
const finish = (
  tool: string,
  outcome: 'success' | 'failure' | 'unknown' | 'invalid' | 'denied' = 'success',
): EventBody => ({ type: 'tool.invoked', data: { ...named(tool), outcome } })

describe('a session', () => {
  test('is one vote, in one part or in several', () => {
    const learner = openLearner()
    const log = writeSession(['test', 'ship', 'ship'])
    learner.add(log.slice(0, 4))
    learner.add(log.slice(4))
    learner.add(writeSession(['ship']))
    const counts = learner.counts()
    expect([counts.sessions, counts.events]).toEqual([2, log.length + 6])
    expect(list(counts, FAMILIES.called)).toEqual({ test: 1, ship: 2, [STOP]: 2 })
    expect(list(counts, FAMILIES.before, 'ship')).toEqual({ test: 1 })
    expect(learner.counts()).toEqual(counts)
  })

  test('begins without the calls, stops, plan and limits of the one before', () => {
    const plan: EventBody = {
      type: 'plan.updated',
      data: { steps: [{ title: 'one', status: 'open' }] },
    }
    const learner = openLearner()
    const first = writeSession(['test', plan, request('ship')], { deadline_at: 1 })
    const second = writeSession([decide('ship'), finish('ship')])
    learner.add(first.slice(0, -1))
    learner.add(second)
    const counts = learner.counts()
    expect(list(counts, FAMILIES.called)).toEqual({ test: 1, [STOP]: 1 })
    expect(list(counts, FAMILIES.before, STOP)).toEqual({})
    expect(list(counts, FAMILIES.plan)).toEqual({ none: 1 })
  })

  test('begins without what was outdated in the one before', () => {
    const outdated = ['look', 'test', 'edit', 'ship']
    const fresh = ['look', 'edit', 'test', 'ship']
    const counts = learnSessions([writeSession(outdated), writeSession(fresh)])
    expect(countBroken(counts, { x: 'ship', y: 'test', z: 'edit' })).toEqual({ of: 1, all: 2 })
    expect(countBroken(counts, { x: STOP, y: 'test', z: 'edit' })).toEqual({ of: 1, all: 2 })
  })

  test('names its tools as the config does', () => {
    const options = { config: { aliases: { Bash: 'shell' } } }
    const counts = learnSessions([writeSession(['Bash', 'shell'])], options)
    expect(list(counts, FAMILIES.called)).toEqual({ shell: 1, [STOP]: 1 })
    expect(list(counts, FAMILIES.before, STOP)).toEqual({ shell: 1 })
  })

  test('has calls that are not looked at, which are counted by tool', () => {
    const log = writeSession(['ship', 'test', 'ship', 'My Tool'])
    const counts = learnSessions([log], { tools: ['test'] })
    expect(list(counts, FAMILIES.called)).toEqual({ test: 1, [STOP]: 1 })
    expect(list(counts, FAMILIES.skipped)).toEqual({ ship: 2, 'My Tool': 1 })
    expect(list(learn(['My Tool']), FAMILIES.skipped)).toEqual({ 'My Tool': 1 })
  })
})

describe('a call', () => {
  const order = { x: 'ship', y: 'test', z: null }
  const broken = (steps: readonly SessionStep[]) => countBroken(learn(steps), order)

  test('counts once it is allowed, with the successes at its request', () => {
    expect(broken([request('ship')])).toEqual({ of: 0, all: 0 })
    expect(broken([request('ship'), decide('ship', 'denied')])).toEqual({ of: 0, all: 0 })
    expect(broken([request('ship'), 'test', decide('ship')])).toEqual({ of: 1, all: 1 })
    expect(broken(['test', request('ship'), decide('ship')])).toEqual({ of: 0, all: 1 })
  })

  test('that waits for a reviewer counts as judged at its request, and at the answer', () => {
    expect(broken([request('ship'), wait('ship'), 'test'])).toEqual({ of: 1, all: 1 })
    expect(broken(['test', request('ship'), wait('ship')])).toEqual({ of: 0, all: 1 })
    // Another call makes the order outdated while this one waits.
    const outdated = ['test', request('ship'), wait('ship'), 'edit', approve('ship')]
    const fresh = { ...order, z: 'edit' }
    expect(countBroken(learn(outdated), fresh)).toEqual({ of: 0, all: 1 })
    expect(countBroken(learn([...outdated, decide('ship')]), fresh)).toEqual({ of: 1, all: 1 })
  })

  test('that waits for a reviewer is one call', () => {
    const waited = [request('ship', { to: 'a' }), wait('ship'), approve('ship'), decide('ship')]
    const counts = learn(['test', ...waited, finish('ship')])
    expect(list(counts, FAMILIES.argumentCalls, 'ship')).toEqual({ '"to"': 1 })
    expect(list(counts, FAMILIES.firstSuccess, 'ship')).toEqual({ 2: 1 })
    expect(list(counts, FAMILIES.firstCall, 'ship')).toEqual({ 1: 1 })
    expect(list(learn(['test', 'test']), FAMILIES.firstSuccess, 'test')).toEqual({ 1: 1 })
  })

  test('counts for a rate limit at the time of the answer', () => {
    const later: SessionStep = { tool: 'ping', after: 90 }
    const other = { ...named('ship'), call_id: 'other', args: {} }
    const second: readonly EventBody[] = [
      { type: 'tool.requested', data: other },
      { type: 'tool.decided', data: { ...other, decision: 'allowed', reason: null, rules: [] } },
    ]
    const waited = [request('ship'), wait('ship'), later, approve('ship'), decide('ship')]
    expect(list(learn([...waited, ...second]), FAMILIES.rate, 'ship', 60)).toEqual({ 2: 1 })
    const allowed = [request('ship'), decide('ship'), later]
    expect(list(learn([...allowed, ...second]), FAMILIES.rate, 'ship', 60)).toEqual({ 1: 1 })
  })

  test('is no answer to a call that is not known', () => {
    const counts = learn([decide('ship'), wait('ship'), approve('ship')])
    expect(list(counts, FAMILIES.called)).toEqual({ [STOP]: 1 })
  })

  test('succeeded if its result does, and the call was allowed', () => {
    const stop = { x: STOP, y: 'test', z: null }
    const broken = (...steps: readonly SessionStep[]) => countBroken(learn(steps), stop).of
    expect(broken('test')).toBe(0)
    expect(broken({ tool: 'test', outcome: 'failure' })).toBe(1)
    expect(broken(finish('test'))).toBe(1)
    expect(broken(request('test'), finish('test'))).toBe(1)
    const shipped: EventBody = {
      type: 'tool.invoked',
      data: { ...named('test'), tool: 'ship', outcome: 'success' },
    }
    expect(broken(request('test'), decide('test'), shipped, finish('test'))).toBe(1)
    // The last run decides, and a call that never ran is none.
    expect(broken('test', { tool: 'test', outcome: 'unknown' })).toBe(1)
    expect(broken('test', finish('test'))).toBe(1)
    expect(broken('test', { tool: 'test', outcome: 'invalid' })).toBe(0)
    expect(broken('test', { tool: 'test', decision: 'denied' })).toBe(0)
  })

  test('is in a row of failures until one succeeds; one of unknown outcome changes nothing', () => {
    const rows = (...outcomes: readonly ('success' | 'failure' | 'unknown' | 'invalid')[]) =>
      list(learn(outcomes.map((outcome) => ({ tool: 'test', outcome }))), FAMILIES.failures, 'test')
    expect(rows('failure', 'failure', 'success', 'failure')).toEqual({ 2: 1 })
    expect(rows('failure', 'unknown', 'failure')).toEqual({ 2: 1 })
    expect(rows('failure', 'invalid')).toEqual({ 2: 1 })
    expect(rows('success')).toEqual({ 0: 1 })
    const refused: SessionStep = { tool: 'test', decision: 'denied' }
    expect(list(learn([refused, refused]), FAMILIES.failures, 'test')).toEqual({ 2: 1 })
    // The engine takes the failure of a call that was not allowed for an unknown outcome.
    const unasked = learn(['test', finish('test', 'failure')])
    expect(list(unasked, FAMILIES.failures, 'test')).toEqual({ 0: 1 })
  })

  test('is in a row of equal calls, allowed or not', () => {
    const rows = (...steps: readonly SessionStep[]) => list(learn(steps), FAMILIES.repeats)
    const at = (path: string): SessionStep => ({ tool: 'look', args: { path } })
    expect(rows(at('a'), at('a'), at('b'), at('a'))).toEqual({ 2: 1 })
    expect(rows('look', 'ship', 'look')).toEqual({ 1: 1 })
    expect(rows('look', { tool: 'look', decision: 'denied' }, 'look')).toEqual({ 3: 1 })
    expect(rows()).toEqual({})
  })

  test('leaves a window exactly when its seconds are over', () => {
    const rates = (after: number, seconds: number) =>
      list(learn(['look', { tool: 'look', after }]), FAMILIES.rate, 'look', seconds)
    for (const seconds of [60, 600, 3600]) {
      expect(rates(seconds, seconds)).toEqual({ 1: 1 })
      expect(rates(seconds - 1, seconds)).toEqual({ 2: 1 })
    }
    const spread = [0, 30, 30, 30].map((after) => ({ tool: 'look', after }))
    expect(list(learn(spread), FAMILIES.rate, 'look', 60)).toEqual({ 2: 1 })
    const most = list(
      learn(['look', 'look', { tool: 'look', after: 90 }]),
      FAMILIES.rate,
      'look',
      60,
    )
    expect(most).toEqual({ 2: 1 })
    const failed = learn([finish('look', 'failure')])
    expect(list(failed, FAMILIES.rate, 'look', 60)).toEqual({})
  })
})

describe('a stop', () => {
  const stops = (steps: readonly SessionStep[], started?: Started) =>
    // The last stop of a session that is written always passes, and is left out.
    findGroup(learnSessions([writeSession(steps, started).slice(0, -2)]), FAMILIES.called).get(
      STOP,
    ) ?? 0

  test('counts if it passed, or was not checked', () => {
    expect(stops(writeStop())).toBe(1)
    expect(stops(writeStop({ verdict: 'allowed' }))).toBe(1)
    expect(stops(writeStop({ verdict: 'blocked' }))).toBe(0)
    expect(stops(writeStop({ verdict: 'bypassed' }))).toBe(0)
    expect(stops(writeStop().slice(1))).toBe(0)
    const [, decided] = writeStop()
    const twice = learnSessions([
      writeSession(['test', ...writeStop(), ...(decided === undefined ? [] : [decided])]).slice(
        0,
        -2,
      ),
    ])
    expect(countBroken(twice, { x: STOP, y: 'test', z: null })).toEqual({ of: 0, all: 1 })
  })

  test('does not count after the deadline, or with a spent budget', () => {
    const start = 1_700_000_000_000
    expect(stops(['look', ...writeStop()], { deadline_at: start + 1000 })).toBe(0)
    expect(stops(['look', ...writeStop()], { deadline_at: start + 1001 })).toBe(1)
    expect(stops(writeStop({ verdict: 'allowed' }), { deadline_at: start })).toBe(1)
    const used: EventBody = {
      type: 'usage.recorded',
      data: { evaluation_id: 'a', input_tokens: 60, output_tokens: 40 },
    }
    const budget = (max_total_tokens: number) => ({ budget: { max_total_tokens } })
    expect(stops([used, ...writeStop()], budget(100))).toBe(0)
    expect(stops([used, ...writeStop()], budget(101))).toBe(1)
    expect(stops([used, ...writeStop()])).toBe(1)
  })

  test('does not count when so many were blocked before that it passes anyway', () => {
    expect(stops(writeStop({ prior_blocks: 9 }))).toBe(1)
    expect(stops(writeStop({ prior_blocks: 10 }))).toBe(0)
    const harness = (harness_max_blocks: number, prior_blocks: number) =>
      stops(writeStop({ prior_blocks }, { harness_max_blocks }))
    expect([harness(3, 2), harness(3, 3), harness(20, 10)]).toEqual([1, 0, 0])
    expect(stops(writeStop({ prior_blocks: 10 }, { via: 'final' }))).toBe(1)
    const config = { limits: { max_stop_blocks: 2 } }
    const log = writeSession(writeStop({ prior_blocks: 2 })).slice(0, -2)
    expect(findGroup(learnSessions([log], { config }), FAMILIES.called).get(STOP)).toBe(undefined)
  })

  test('is judged with the successes at its attempt', () => {
    const [attempted, decided] = writeStop()
    if (attempted === undefined || decided === undefined) throw new Error('There is no stop.')
    const log = writeSession([attempted, 'test', decided]).slice(0, -2)
    expect(countBroken(learnSessions([log]), { x: STOP, y: 'test', z: null })).toEqual({
      of: 1,
      all: 1,
    })
  })

  test('finds the plan open, done or not there; the worst of all stops counts', () => {
    const plan = (...statuses: readonly string[]): EventBody => ({
      type: 'plan.updated',
      data: { steps: statuses.map((status) => ({ title: 'one', status })) },
    })
    const plans = (...steps: readonly SessionStep[]) => list(learn(steps), FAMILIES.plan)
    expect(plans()).toEqual({ none: 1 })
    expect(plans(plan('done', 'open'))).toEqual({ open: 1 })
    expect(plans(plan('open'), plan('done'))).toEqual({ done: 1 })
    expect(plans(plan('open'), ...writeStop(), plan('done'))).toEqual({ open: 1 })
    expect(plans(plan('done'), ...writeStop(), plan())).toEqual({ none: 1 })
    expect(list(learnSessions([writeSession([]).slice(0, -2)]), FAMILIES.plan)).toEqual({})
  })
})

describe('a path', () => {
  const found = { exists: true, kind: 'file', fingerprint: 'old' } as const
  const missing = { exists: false } as const

  test('is one file, absolute or relative, as `path` or as `file_path`', () => {
    const counts = learn(
      [
        { tool: 'read', args: { path: '/repo/a.txt' } },
        { tool: 'view', args: { file_path: './a.txt' } },
        { tool: 'list', args: { path: 7 } },
        { tool: 'ping', args: { text: 'a.txt' } },
      ],
      { workspace_root: '/repo' },
    )
    expect(list(counts, FAMILIES.pathTools)).toEqual({ read: 1, view: 1 })
    const facts = { files: { 'a.txt': found } }
    const at = (path: string): EventBody => ({
      type: 'tool.requested',
      data: { ...named('read'), args: { path }, facts },
    })
    const known = learn([at('/repo/a.txt'), decide('read')], { workspace_root: '/repo' })
    expect(list(known, FAMILIES.onFile)).toEqual({ read: 1 })
    expect(list(learn([at('/repo/a.txt'), decide('read')]), FAMILIES.onFile)).toEqual({})
  })

  test('is known from calls, from what was observed, and from stops', () => {
    const made = (...steps: readonly SessionStep[]) => list(learn(steps), FAMILIES.made)
    const observe = (fact: FileFact): EventBody => ({
      type: 'file.observed',
      data: { path: 'a.txt', facts: { files: { 'a.txt': fact } } },
    })
    const stop = (fact: FileFact) => writeStop({}, { facts: { files: { 'a.txt': fact } } })
    expect(made(observe(missing), observe(found))).toEqual({ 'a.txt': 1 })
    expect(made(observe(missing), ...stop(found))).toEqual({ 'a.txt': 1 })
    expect(made(observe(found), ...stop(found))).toEqual({})
    expect(made(observe(missing), ...stop(found), ...stop(missing))).toEqual({})
    const unknown = { exists: 'unknown' } as const
    expect(made(observe(missing), ...stop(unknown))).toEqual({})
    const unfinished = writeSession([observe(missing), observe(found)]).slice(0, -2)
    expect(list(learnSessions([unfinished]), FAMILIES.made)).toEqual({})
    const nothing: EventBody = { type: 'file.observed', data: { path: 'a.txt' } }
    expect(made(nothing, { type: 'file.observed', data: { path: 'a.txt', facts: {} } })).toEqual({})
  })

  test('is one that a tool had succeeded on, or the called tool itself', () => {
    const at = (tool: string, path: string): WrittenCall => ({
      tool,
      args: { path },
      found,
      left: found,
    })
    const steps = [at('edit', 'a'), at('read', 'b'), at('edit', 'b'), at('edit', 'b')]
    const counts = learn(['look', ...steps, at('read', 'a')])
    expect(list(counts, FAMILIES.onFile)).toEqual({ edit: 3, read: 2 })
    expect(list(counts, FAMILIES.onOwnFile)).toEqual({ edit: 1 })
    expect(list(counts, FAMILIES.onMetFile, 'edit')).toEqual({ read: 2, edit: 1 })
    expect(list(counts, FAMILIES.onMetFile, 'read')).toEqual({ edit: 1 })
    // Without the calls on the tool's own file.
    expect(list(counts, FAMILIES.onReadFile, 'edit')).toEqual({ read: 1 })
    expect(list(counts, FAMILIES.fileSessions)).toEqual({ edit: 1, read: 1 })
    expect(list(counts, FAMILIES.readFileSessions, 'edit')).toEqual({})
  })

  test('is changed if its content before and after a call is known, and differs', () => {
    const call = (tool: string, before: string | null, after: string | null): WrittenCall => ({
      tool,
      args: { path: 'a.txt' },
      ...(before === null ? {} : { found: { ...found, fingerprint: before } }),
      ...(after === null ? {} : { left: { ...found, fingerprint: after } }),
    })
    const counts = learn([
      call('write', null, 'one'),
      call('edit', 'one', 'two'),
      call('read', null, 'two'),
      call('edit', 'two', null),
      { ...call('format', null, 'two'), found: { exists: true } },
      { ...call('edit', 'two', 'three'), outcome: 'failure' },
    ])
    expect(list(counts, FAMILIES.looked)).toEqual({ edit: 1, format: 1, read: 1 })
    expect(list(counts, FAMILIES.changed)).toEqual({ edit: 1 })
    expect(list(counts, FAMILIES.pathFacts)).toEqual({ edit: 1, format: 1 })
  })
})

describe('an argument', () => {
  const ship = (args: JsonObject): SessionStep => ({ tool: 'ship', args })

  test('has values, bounds and a prefix, each once a session', () => {
    const counts = learn([
      ship({ to: 'src/a', n: 5 }),
      ship({ to: 'src/a', n: 12 }),
      ship({ to: 'src/b', n: 7, last: true }),
    ])
    expect(list(counts, FAMILIES.argumentCalls, 'ship')).toEqual({
      '"to"': 3,
      '"n"': 3,
      '"last"': 1,
    })
    expect(list(counts, FAMILIES.argumentSessions, 'ship')).toEqual({
      '"to"': 1,
      '"n"': 1,
      '"last"': 1,
    })
    expect(list(counts, FAMILIES.value, 'ship', '"to"')).toEqual({ '"src/a"': 1, '"src/b"': 1 })
    expect(list(counts, FAMILIES.prefix, 'ship', '"to"')).toEqual({ 'src/': 1 })
    expect(list(counts, FAMILIES.largest, 'ship', '"n"')).toEqual({ 12: 1 })
    expect(list(counts, FAMILIES.smallest, 'ship', '"n"')).toEqual({ 5: 1 })
    for (const key of ['"to"', '"last"'])
      expect(list(counts, FAMILIES.largest, 'ship', key)).toEqual({})
    expect(list(counts, FAMILIES.prefix, 'ship', '"n"')).toEqual({})
    const digits = learn([ship({ n: '5' })])
    expect(list(digits, FAMILIES.largest, 'ship', '"n"')).toEqual({})
  })

  test('is one of the first 64 of its tool', () => {
    const args = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`a${i}`, i]))
    const counts = list(learn([ship(args), ship(args)]), FAMILIES.argumentCalls, 'ship')
    expect(Object.keys(counts)).toHaveLength(64)
    expect([counts['"a63"'], counts['"a64"']]).toEqual([2, undefined])
  })

  test('is hidden if its value, or all arguments, were removed', () => {
    const counts = learn([
      ship({ to: { $redacted: 'secrets' } }),
      ship({ $truncated: 9 }),
      ship({ $removed: 'old' }),
      ship({ to: { name: 'a' } }),
    ])
    expect(list(counts, FAMILIES.hidden, 'ship')).toEqual({ '"to"': 1, '': 2 })
  })
})
