import { type ToldCall, tellCalls } from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import { celExpressions } from '../expression/index.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { PolicyDocument } from '../kinds/policies.ts'
import type { SessionEvent } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import {
  applyEdit,
  describeEvidence,
  describeFault,
  describeNoAnswer,
  type Findings,
  findUnfit,
  openPrevent,
} from './index.ts'

const HEAD: ConfigDocument = { schema_version: 1, ns: 'a', key: 'b' }
const options = { expressions: celExpressions() }

function compile(document: Partial<ConfigDocument>): CompiledConfig {
  const result = compileConfig({ ...HEAD, ...document }, options)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

const STOP = { tool: '' }

function findLast(events: readonly SessionEvent[], type: SessionEvent['type']): number {
  return events.findLast((event) => event.type === type)?.seq ?? 0
}

interface Asked {
  readonly config?: CompiledConfig
  readonly bad: readonly ToldCall[]
  readonly good: readonly (readonly ToldCall[])[]
  readonly onFound?: (findings: Findings) => void
}

function ask({ config = compile({}), bad, good, onFound = () => undefined }: Asked): Findings {
  const events = tellCalls(config, bad)
  const last = bad.at(-1)?.tool === '' ? 'stop.attempted' : 'tool.requested'
  const opened = openPrevent(config, events, findLast(events, last))
  if (!opened.ok) throw new Error(describeFault(opened.fault))
  for (const [i, calls] of good.entries()) opened.prevent.addGood(tellCalls(config, calls, i + 1))
  return opened.prevent.candidates({ onFound })
}

const bash = (command: string): ToldCall => ({ tool: 'bash', args: { command } })
const times = <Item>(count: number, item: Item): readonly Item[] => Array<Item>(count).fill(item)

const NO: Partial<ConfigDocument> = {
  policies: [{ id: 'no', type: 'expression', deny_when: 'true' }],
}
const ASK: Partial<ConfigDocument> = {
  policies: [{ id: 'ask', type: 'approval', tools: ['bash'], timeout_seconds: 9 }],
}

describe('openPrevent refuses', () => {
  test('an event that decides nothing', () => {
    const config = compile({})
    const opened = openPrevent(config, tellCalls(config, [bash('ls')]), 1)
    expect(opened).toEqual({ ok: false, fault: { code: 'event_decides_nothing' } })
  })

  test.each([
    { who: 'a rule', document: NO, call: bash('ls'), rule: 'no' },
    {
      who: 'a reviewer',
      document: ASK,
      call: { ...bash('ls'), answer: 'denied' as const },
      rule: 'ask',
    },
  ])('a call that $who refused already', ({ document, call, rule }) => {
    const config = compile(document)
    const events = tellCalls(config, [call])
    const opened = openPrevent(config, events, findLast(events, 'tool.requested'))
    expect(opened).toEqual({ ok: false, fault: { code: 'already_refused', rule } })
  })

  test('a stop that a check blocked', () => {
    const config = compile({
      task_completion_checker: { id: 'tests', type: 'tool_succeeded', tool: 'test' },
    })
    const events = tellCalls(config, [STOP])
    const opened = openPrevent(config, events, findLast(events, 'stop.attempted'))
    expect(opened).toEqual({ ok: false, fault: { code: 'already_refused', rule: 'tests' } })
  })
})

describe('candidates', () => {
  test('are made from the record of a decision, and from the approval of the call', () => {
    const policies = [
      { id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 900 },
    ] as const
    const config = compile({ policies })
    const events = tellCalls(config, [{ tool: 'deploy', answer: 'approved' }])
    const request = findLast(events, 'tool.requested')
    for (const seq of [request, request + 1, request + 2, request + 3]) {
      const opened = openPrevent(config, events, seq)
      expect(opened).toMatchObject({ ok: true, prevent: { tool: 'deploy' } })
      if (!opened.ok) continue
      const good = [{ tool: 'test' }, { tool: 'deploy', answer: 'approved' as const }]
      for (let i = 0; i < 3; i++) opened.prevent.addGood(tellCalls(config, good, i + 1))
      // Another reviewer would not help: one was asked.
      expect(opened.prevent.candidates().candidates.map(({ kind }) => kind)).toEqual(['order'])
    }
  })

  test('enforce a rule in shadow mode before anything else', () => {
    const policies = [
      { id: 'force', type: 'expression', mode: 'shadow', deny_when: 'args.command.contains("-f")' },
    ] as const
    const found = ask({
      config: compile({ policies }),
      bad: [bash('push -f')],
      good: times(3, [bash('push')]),
    })
    expect(found.candidates[0]).toMatchObject({
      kind: 'enforce',
      sentence: 'Enforce `force`: Denies every call when `args.command.contains("-f")`',
      changes: [{ kind: 'changed', subject: 'Policy `force`', detail: 'mode: shadow → enforce' }],
      denies: 0,
      outcome: 'denied',
    })
  })

  test('of a shadow rule for every tool are refuted by sessions that never call the tool', () => {
    const policies = [
      { id: 'all', type: 'expression', mode: 'shadow', deny_when: 'session.calls > 1' },
    ] as const
    const found = ask({
      config: compile({ policies }),
      bad: [bash('a'), bash('b'), bash('c')],
      good: times(3, [{ tool: 'x' }, { tool: 'y' }, { tool: 'z' }]),
    })
    expect(found.candidates.map(({ kind }) => kind)).not.toContain('enforce')
  })

  test('widen a rule, add to its prerequisites, and to what makes them outdated', () => {
    const force = {
      id: 'force',
      type: 'expression',
      deny_when: 'args.command.contains("-f")',
    } as const
    const [wider] = ask({
      config: compile({ policies: [{ ...force, tools: ['shell'] }] }),
      bad: [bash('push -f')],
      good: times(3, [bash('push')]),
    }).candidates
    expect(wider?.document.policies).toEqual([{ ...force, tools: ['shell', 'bash'] }])
    const order = {
      id: 'order',
      type: 'sequential_dependency',
      dependencies: { go: ['a'] },
    } as const
    const config = compile({ policies: [order] })
    const [more] = ask({
      config,
      bad: [{ tool: 'a' }, { tool: 'go' }],
      good: times(3, [{ tool: 'a' }, { tool: 'b' }, { tool: 'go' }]),
    }).candidates
    expect(more?.document.policies).toEqual([{ ...order, dependencies: { go: ['a', 'b'] } }])
    const [newer] = ask({
      config,
      bad: [{ tool: 'a' }, { tool: 'w' }, { tool: 'go' }],
      good: times(3, [{ tool: 'w' }, { tool: 'a' }, { tool: 'go' }]),
    }).candidates
    expect(newer?.document.policies).toEqual([{ ...order, after: ['w'] }])
  })

  test('of a stop join the checks that are there', () => {
    const tests = { id: 'tests', type: 'tool_succeeded', tool: 'test' } as const
    const [first] = ask({
      config: compile({ task_completion_checker: tests }),
      bad: [{ tool: 'test' }, { tool: 'write' }, STOP],
      good: times(3, [{ tool: 'write' }, { tool: 'test' }, STOP]),
    }).candidates
    expect(first?.document.task_completion_checker).toEqual({ ...tests, after: ['write'] })
    const found = ask({
      config: compile({ task_completion_checker: tests }),
      bad: [{ tool: 'test' }, STOP],
      good: times(3, [{ tool: 'test' }, { tool: 'lint' }, STOP]),
    })
    expect(found.candidates[0]?.document.task_completion_checker).toEqual({
      id: 'all',
      type: 'composite',
      checkers: [tests, { id: 'lint-at-end', type: 'tool_succeeded', tool: 'lint' }],
    })
    expect(found.candidates[0]).toMatchObject({ outcome: 'blocked', denies: 0 })
    expect(found.candidates.map(describeEvidence)[0]).toMatch(
      /^Refuses nothing in 3 good sessions with 3 good stops\..* This is little evidence\.$/,
    )
  })

  test('join a part that good calls have with one that they do not have', () => {
    const call = (target: string, size: string): ToldCall => ({
      tool: 'deploy',
      args: { target, size },
    })
    const good = [call('prod', 'small'), call('test', 'large'), ...times(30, call('test', 'small'))]
    const { candidates } = ask({ bad: [call('prod', 'large')], good: good.map((one) => [one]) })
    const joined = candidates.find(({ kind }) => kind === 'condition')
    expect(joined).toMatchObject({
      atoms: ['args.target == "prod"', 'args.size == "large"'],
      denies: 0,
    })
  })

  test('propose nothing about an argument that was removed from a log once', () => {
    const secret: ToldCall = { tool: 'bash', args: { command: { $redacted: 'keys' } } }
    const found = ask({ bad: [bash('push -f')], good: [[bash('push')], [secret]] })
    expect(found.candidates.map(({ kind }) => kind)).toEqual(['approval'])
    expect(
      ask({ bad: [secret], good: [[bash('push')]] }).candidates.map(({ kind }) => kind),
    ).toEqual(['approval'])
  })

  test.each<[JsonObject, readonly JsonObject[], string]>([
    [
      { command: 'git push --force origin main' },
      [{ command: 'git push origin main' }, { command: 'git log' }],
      '(" " + args.command + " ").contains(" --force ")',
    ],
    [
      { command: 'rm\t-rf /' },
      [{ command: 'rm a.txt' }, { command: 'ls' }],
      'args.command.contains("-rf /")',
    ],
    [
      { url: 'https://evil.example/x?y=1' },
      [{ url: 'https://docs.example/a' }, { url: 'https://docs.example/b' }],
      'args.url.startsWith("https://evil.example/")',
    ],
    [
      { path: '.github/workflows/ci.yml' },
      [{ path: 'src/a.ts' }, { path: '.github/labels.yml' }],
      'args.path.startsWith(".github/workflows/")',
    ],
    [
      { to: 'x@evil.example' },
      [{ to: 'a@team.example' }, { to: 'b@team.example' }],
      'args.to.endsWith("@evil.example")',
    ],
    [{ amount: 5000 }, [{ amount: 20 }, { amount: 100 }], 'args.amount > 100'],
    [{ amount: -3 }, [{ amount: 20 }, { amount: 100 }], 'args.amount < 20'],
    [
      { flags: ['--no-verify', '-m'] },
      [{ flags: ['-m'] }, { flags: [] }],
      '"--no-verify" in args.flags',
    ],
    [{ force: true }, [{ force: false }, {}], 'args.force == true'],
  ])('of a call with %j say what good calls do not have', (args, others, condition) => {
    const call = (one: JsonObject) => ({ tool: 'x', args: one })
    const good = others.flatMap((one) => times(10, [call(one)]))
    const { candidates } = ask({ bad: [call(args)], good })
    const found = candidates.find(({ kind }) => kind === 'condition')
    const [name] = Object.keys(args)
    expect(found?.sentence).toBe(`Denies calls of \`x\` when \`has(args.${name}) && ${condition}\``)
  })

  test('lower a limit that the tool has, or add one for the window in which good sessions call it less', () => {
    const limit = {
      id: 'rate',
      type: 'rate_limit',
      tools: ['bash'],
      max_calls: 9,
      per_seconds: 30,
    } as const
    const calls = (count: number) => times(count, bash('ls'))
    const good = times(20, calls(2))
    const lowered = ask({ config: compile({ policies: [limit] }), bad: calls(6), good })
    const edits = lowered.candidates.map(({ edit }) => edit)
    expect(edits).toContainEqual({ kind: 'change_policy', policy: { ...limit, max_calls: 2 } })
    const others = [
      { ...limit, mode: 'shadow' },
      { ...limit, tools: ['bash', 'sh'] },
    ] as const
    for (const policies of others.map((one) => [one])) {
      const { candidates } = ask({ config: compile({ policies }), bad: calls(6), good })
      const rate = candidates.find(({ kind }) => kind === 'rate')
      expect(rate?.edit).toMatchObject({
        kind: 'add_policy',
        policy: { max_calls: 2, tools: ['bash'] },
      })
    }
  })

  test.each<[string, readonly string[], boolean]>([
    ['few values in enough calls', [...times(10, 'dev'), ...times(10, 'test')], true],
    ['too few calls', [...times(9, 'dev'), ...times(10, 'test')], false],
    ['one call of 100 with a value that came once', [...times(99, 'dev'), 'test'], true],
    ['one call of 99 with a value that came once', [...times(98, 'dev'), 'test'], false],
    ['six values', ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((one) => times(4, one)), true],
    ['seven values', ['a', 'b', 'c', 'd', 'e', 'f', 'g'].flatMap((one) => times(4, one)), false],
    ['the value of the incident, too', [...times(20, 'dev'), ...times(2, 'prod')], false],
  ])('allow only the values of good calls: %s', (_, values, isOffered) => {
    const call = (target: string): ToldCall => ({ tool: 'deploy', args: { target } })
    const good = values.map((target) => [call(target)])
    const { candidates } = ask({ bad: [call('prod')], good })
    const found = candidates.find(({ kind }) => kind === 'values')
    const list = [...new Set(values)].map((one) => JSON.stringify(one)).join(', ')
    expect(found?.sentence.includes(`args.target in [${list}]`) ?? false).toBe(isOffered)
  })

  test('are at most five, of which three are conditions, or as few as the caller keeps', () => {
    const words = { a: 'x --bad', b: 'y --bad', c: 7, d: 'prod', e: 'eu' }
    const good = Array.from({ length: 25 }, (_, i) => [
      { tool: 'x', args: { a: `x${i}`, b: `y${i}`, c: 1, d: 'dev', e: 'us' } },
    ])
    const events = tellCalls(compile({}), [{ tool: 'x', args: words }])
    const opened = openPrevent(compile({}), events, findLast(events, 'tool.requested'))
    if (!opened.ok) throw new Error(describeFault(opened.fault))
    for (const [i, calls] of good.entries())
      opened.prevent.addGood(tellCalls(compile({}), calls, i + 1))
    const list = (keep: number) =>
      opened.prevent.candidates({ keep }).candidates.map(({ kind }) => kind)
    expect(list(9)).toHaveLength(5)
    expect(list(9).filter((kind) => kind === 'condition')).toHaveLength(3)
    expect(list(1)).toEqual(list(9).slice(0, 1))
  })

  test('are no tool at all where no good session calls it, and told one by one', () => {
    const told: string[][] = []
    const { candidates } = ask({
      bad: [{ tool: 'drop' }],
      good: times(3, [bash('ls')]),
      onFound: (found) => told.push(found.candidates.map(({ kind }) => kind)),
    })
    expect(candidates.map(({ kind }) => kind)).toEqual(['tool', 'approval'])
    expect(told).toEqual([['tool'], ['tool', 'approval']])
  })

  test('say how often a reviewer would be asked where nothing else tells the call', () => {
    const found = ask({ bad: [bash('ls')], good: times(5, [bash('ls'), bash('ls')]) })
    expect(found.candidates).toMatchObject([{ kind: 'approval', asks: 10, asksPerDay: 2.5 }])
    expect(describeNoAnswer(found)).toBe(
      'No recorded difference separates this call from 10 good calls. A reviewer can decide each one (about 3 calls a day).',
    )
    const stop = ask({ bad: [STOP], good: [[STOP]] })
    expect(stop.candidates).toEqual([])
    expect(describeNoAnswer(stop)).toBe('No recorded difference separates this from 1 good one.')
  })

  test('are near misses where they refuse few good sessions, which they name', () => {
    const usual = [{ tool: 'test' }, { tool: 'deploy' }]
    const found = ask({
      bad: [{ tool: 'deploy' }],
      good: [[{ tool: 'deploy' }], ...times(49, usual)],
    })
    expect(found.nearMisses).toMatchObject([{ kind: 'order', denied: ['sess_1'] }])
    const [near] = found.nearMisses
    expect(near && describeEvidence(near)).toMatch(
      /^Would have refused something in 1 of 50 good sessions\./,
    )
  })

  test('may be near misses in less than 3% of good sessions, and are at most two', () => {
    const usual = [{ tool: 'a' }, { tool: 'b' }, { tool: 'c' }, { tool: 'go' }]
    const find = (count: number, denied = 1) =>
      ask({
        bad: [{ tool: 'go' }],
        good: [...times(denied, [{ tool: 'go' }]), ...times(count - denied, usual)],
      })
    expect(find(33).nearMisses).toEqual([])
    expect(find(34).nearMisses).toMatchObject([{ kind: 'order' }, { kind: 'order' }])
    expect(find(40, 2).nearMisses).toEqual([])
  })

  test('may refuse as many good sessions as the caller permits', () => {
    const events = tellCalls(compile({}), [{ tool: 'go' }])
    const opened = openPrevent(compile({}), events, 2)
    if (!opened.ok) throw new Error('The call was allowed.')
    for (const [i, calls] of [['go'], ['go'], ['a', 'go'], ['a', 'go']].entries()) {
      const told = calls.map((tool) => ({ tool }))
      opened.prevent.addGood(tellCalls(compile({}), told, i + 1))
    }
    const list = (maxDenied: number) =>
      opened.prevent.candidates({ maxDenied }).candidates.map(({ kind, denied }) => [kind, denied])
    expect(list(2)).toContainEqual(['order', ['sess_2', 'sess_1']])
    expect(list(1)).toEqual([['approval', []]])
  })

  test('limit the longest window first, and a limit of the document before that', () => {
    const list = (...policies: readonly PolicyDocument[]) =>
      ask({
        config: compile({ policies }),
        bad: times(4, { tool: 'go' }),
        good: times(9, [{ tool: 'go' }]),
      }).candidates.flatMap(({ kind, edit }) => (kind === 'rate' ? [edit] : []))
    const windows = [3600, 600, 60].map((per_seconds) => ({ policy: { per_seconds } }))
    expect(list()).toMatchObject(windows)
    const limit = { id: 'own', type: 'rate_limit', tools: ['go'], max_calls: 9 } as const
    const own = { ...limit, per_seconds: 30 }
    expect(list(own)[0]).toMatchObject({ kind: 'change_policy', policy: { ...own, max_calls: 1 } })
  })

  test('say how much was read, and how much was tried', () => {
    const found = ask({
      bad: [{ tool: 'go' }],
      good: [[{ tool: 'a' }], [{ tool: 'a' }, { tool: 'go' }, { tool: 'go' }]],
    })
    expect(found).toMatchObject({
      used: { sessions: 2, calls: 2, sessionsLeftOut: 0, callsLeftOut: 0 },
      candidates: [{ kind: 'order', evidence: { goodCalls: 2, goodSessions: 1 } }, {}],
      ...{ tried: 2, isCut: false },
    })
  })

  test('ask a reviewer on average of all days, or of one where sessions are of less', () => {
    const found = ask({ bad: [{ tool: 'go' }], good: [times(3, { tool: 'go' })] })
    expect(found.candidates).toMatchObject([{ kind: 'approval', asks: 3, asksPerDay: 3 }])
  })

  test('are none that would make the document invalid, if it is not so already', () => {
    const order = (tool: string, needed: string) => ({
      ...{ id: tool, type: 'sequential_dependency' as const, dependencies: { [tool]: [needed] } },
    })
    const find = (...policies: readonly PolicyDocument[]) =>
      ask({
        config: compile({ policies }),
        bad: [{ tool: 'go' }],
        good: times(3, [{ tool: 'a' }, { tool: 'go' }]),
      }).candidates.map(({ kind }) => kind)
    // `a` needs `go`, so `go` cannot need `a`.
    const shadow = { ...order('a', 'go'), mode: 'shadow' as const }
    expect(find(shadow)).toEqual(['approval'])
    expect(find(shadow, order('x', 'x'))).toEqual(['order', 'approval'])
  })

  test('of a rule with more tools are refuted by sessions with these tools alone', () => {
    const find = (deny_when: string, calls: readonly ToldCall[], tools?: readonly string[]) => {
      const shadow = { id: 'own', type: 'expression', mode: 'shadow', deny_when } as const
      const policies = [{ ...shadow, ...(tools && { tools }) }]
      const bad = [{ tool: 'go', args: { force: true } }]
      const found = ask({ config: compile({ policies }), bad, good: times(3, calls) })
      return found.candidates.map(({ kind }) => kind).includes('enforce')
    }
    const forced = [{ tool: 'x', args: { force: true } }]
    expect(find('has(args.force)', forced, ['go', 'x'])).toBe(false)
    expect(find('has(args.force)', forced)).toBe(false)
    expect(find('has(args.force)', forced, ['go'])).toBe(true)
    expect(find('has(args.force)', [{ tool: 'x' }], ['go', 'x'])).toBe(true)
  })

  test('rest on the newest 10,000 sessions', () => {
    const opened = openPrevent(compile({}), tellCalls(compile({}), [{ tool: 'go' }]), 2)
    if (!opened.ok) throw new Error('The call was allowed.')
    const [start, request] = tellCalls(compile({}), [{ tool: 'go' }])
    for (let i = 0; i < 20_005; i++) {
      const events = [start, request].flatMap((one) => (one ? [{ ...one, at: i }] : []))
      opened.prevent.addGood(i < 3 ? events.slice(0, 1) : events)
    }
    const { used } = opened.prevent.candidates({ isAborted: () => true })
    expect(used).toEqual({
      ...{ sessions: 10_000, calls: 10_000, sessionsLeftOut: 10_005, callsLeftOut: 10_002 },
    })
  })

  test('end with the time of the caller', () => {
    const config = compile({})
    const events = tellCalls(config, [bash('ls')])
    const opened = openPrevent(config, events, 2)
    if (!opened.ok) throw new Error('The call was allowed.')
    const found = opened.prevent.candidates({ isAborted: () => true })
    expect(found).toMatchObject({ candidates: [], isCut: true })
  })
})

test('an added rule gets an id that is free and well formed in the document that it is added to', () => {
  const policy = { id: 'Über Wide', type: 'expression', deny_when: 'true' } as const
  const once = applyEdit(HEAD, { kind: 'add_policy', policy })
  const twice = applyEdit(once, { kind: 'add_policy', policy })
  expect(twice.policies?.map(({ id }) => id)).toEqual(['ber-wide', 'ber-wide-2'])
})

test.each([
  ['still runs', []],
  ['did not complete', [{ type: 'session.ended', data: { reason: 'failed' } }]],
  [
    'ended without a stop that passed',
    [
      { type: 'stop.decided', data: { message: 'No.' } },
      { type: 'session.ended', data: { reason: 'completed' } },
    ],
  ],
  [
    'was not enforced throughout',
    [
      { type: 'enforcement.lapsed', data: {} },
      { type: 'session.ended', data: { reason: 'completed' } },
    ],
  ],
  [null, [{ type: 'session.ended', data: { reason: 'completed' } }]],
])('findUnfit says %s', (unfit, events) => {
  // Only the fields that it reads.
  expect(findUnfit(events as unknown as readonly SessionEvent[])).toBe(unfit)
})
