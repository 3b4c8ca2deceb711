import { describe, expect, it } from 'vitest'
import { durationText, renderFeedback } from './host/index.ts'
import {
  type CheckerDocument,
  type ConfigDocument,
  compileConfig,
  type Effect,
  type FileFact,
  initialState,
  type PlanStep,
  type SessionEvent,
  step,
} from './index.ts'
import { lintConfig } from './lint/index.ts'

const HEAD = { schema_version: 1, ns: 'a', key: 'b' } as const
const START = 1_000_000

type Body = Pick<SessionEvent, 'type' | 'data'> & { readonly after?: number }

function collectEffects(document: ConfigDocument, bodies: readonly Body[]): readonly Effect[] {
  const compiled = compileConfig(document)
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems))
  let state = initialState(compiled.config.promptName)
  let at = START
  return bodies.flatMap(({ after = 0, ...body }, i) => {
    at += after * 1000
    // The table gives the type and data of one event; the envelope is the same for all.
    const event = { session: 'sess_1', seq: i + 1, at, ...body } as SessionEvent
    const next = step(compiled.config, state, event)
    state = next.state
    return next.effects
  })
}

const request = (tool: string, args: Record<string, string> = {}, file?: FileFact): Body => ({
  type: 'tool.requested',
  data: {
    call_id: tool,
    tool,
    args,
    ...(file === undefined ? {} : { facts: { files: { 'config.yaml': file } } }),
  },
})
const result = (
  tool: string,
  outcome: 'success' | 'failure' | 'unknown',
  file?: FileFact,
): Body => ({
  type: 'tool.invoked',
  data: {
    call_id: tool,
    tool,
    outcome,
    ...(file === undefined ? {} : { facts: { files: { 'config.yaml': file } } }),
  },
})
const done = (tool: string): Body[] => [request(tool), result(tool, 'success')]

function lastReason(effects: readonly Effect[]): string | null {
  const decided = effects.filter((effect) => effect.kind === 'tool.decided').at(-1)
  return decided?.data.reason ?? null
}

describe('sequential_dependency', () => {
  const order: ConfigDocument = {
    ...HEAD,
    aliases: { Deploy: 'deploy' },
    policies: [
      { id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test', 'build'] } },
    ],
  }

  it.each([
    ['nothing ran', [], "Tool 'deploy' requires: build, test"],
    ['one of two ran', done('test'), "Tool 'deploy' requires: build"],
    ['both ran', [...done('test'), ...done('build')], null],
    [
      'one failed',
      [...done('test'), request('build'), result('build', 'failure')],
      "Tool 'deploy' requires: build",
    ],
    [
      'the outcome of one is unknown',
      [...done('test'), request('build'), result('build', 'unknown')],
      "Tool 'deploy' requires: build",
    ],
    ['one still runs', [...done('test'), request('build')], "Tool 'deploy' requires: build"],
    [
      'a result came without a request',
      [...done('test'), result('build', 'success')],
      "Tool 'deploy' requires: build",
    ],
  ])('decides a call when %s', (...[, before, reason]) => {
    expect(lastReason(collectEffects(order, [...before, request('deploy')]))).toBe(reason)
  })

  it('governs the harness name of a tool through its alias', () => {
    expect(lastReason(collectEffects(order, [request('Deploy')]))).toBe(
      "Tool 'deploy' requires: build, test",
    )
  })

  it('joins the reasons of all rules, one per line, in declared order', () => {
    const two: ConfigDocument = {
      ...HEAD,
      policies: [
        { id: 'one', type: 'sequential_dependency', dependencies: { deploy: ['test'] } },
        {
          id: 'shadow',
          type: 'sequential_dependency',
          mode: 'shadow',
          dependencies: { deploy: ['never'] },
        },
        { id: 'two', type: 'sequential_dependency', dependencies: { deploy: ['build'] } },
      ],
    }
    expect(lastReason(collectEffects(two, [request('deploy')]))).toBe(
      "Tool 'deploy' requires: test\nTool 'deploy' requires: build",
    )
  })
})

describe('read_before_write', () => {
  const files = (more: object = {}): ConfigDocument => ({
    ...HEAD,
    policies: [
      {
        id: 'files',
        type: 'read_before_write',
        read_tools: ['read'],
        write_tools: ['write'],
        ...more,
      },
    ],
  })
  const path = { path: 'config.yaml' }
  const here = (fingerprint: string): FileFact => ({ exists: true, kind: 'file', fingerprint })
  const read = [request('read', path), result('read', 'success', here('1'))]
  const wrote = [request('write', path, { exists: false }), result('write', 'success', here('2'))]

  it.each<[string, Body[], Body, string | null]>([
    [
      'the file was not read',
      [],
      request('write', path, here('1')),
      "File 'config.yaml' must be read before overwriting.",
    ],
    ['the file does not exist', [], request('write', path, { exists: false }), null],
    [
      'its existence is unknown',
      [],
      request('write', path),
      "File 'config.yaml' could not be checked, so it cannot be overwritten.",
    ],
    ['it was read', read, request('write', path, here('1')), null],
    [
      'it changed since it was read',
      read,
      request('write', path, here('9')),
      "File 'config.yaml' changed since it was read. Read it again before overwriting.",
    ],
    ['it was written by the agent itself', wrote, request('write', path, here('2')), null],
    [
      'it is a directory',
      [],
      request('write', path, { exists: true, kind: 'directory' }),
      "'config.yaml' is a directory and cannot be overwritten.",
    ],
    [
      'the path leaves the workspace',
      [],
      request('write', { path: '../x' }),
      "File '../x' is outside the workspace.",
    ],
    ['no path is given', [], request('write', { text: 'x' }), null],
    [
      'another spelling was read',
      [request('read', { file_path: './a/../config.yaml' }), result('read', 'success', here('1'))],
      request('write', path, here('1')),
      null,
    ],
  ])('decides a write when %s', (...[, before, last, reason]) => {
    expect(lastReason(collectEffects(files(), [...before, last]))).toBe(reason)
  })

  it('behaves like the reference with both flags off', () => {
    const off = files({ reads_expire_on_change: false, writes_count_as_reads: false })
    expect(lastReason(collectEffects(off, [...read, request('write', path, here('9'))]))).toBeNull()
    expect(lastReason(collectEffects(off, [...wrote, request('write', path, here('2'))]))).toBe(
      "File 'config.yaml' must be read before overwriting.",
    )
  })

  it('denies when the path was redacted', () => {
    const hidden: Body = {
      type: 'tool.requested',
      data: { call_id: 'w', tool: 'write', args: { path: { $redacted: 'r' } } },
    }
    expect(lastReason(collectEffects(files(), [hidden]))).toBe(
      'The path of this call is hidden, so the write cannot be checked.',
    )
  })
})

describe('feedback', () => {
  const deadline: ConfigDocument = {
    ...HEAD,
    feedback_providers: [{ id: 'd', type: 'deadline', trigger: { every_n_calls: 1 } }],
  }
  const started: Body = {
    type: 'session.started',
    data: {
      ns: 'a',
      key: 'b',
      environment: 'dev',
      harness: { name: 't' },
      deadline_at: START + 600_000,
    },
  }

  it.each([
    [60, 'The work so far took 1 minute. You have 9 minutes remaining to complete the task.'],
    [
      500,
      'The work so far took 8 minutes. You have 1 minute remaining to complete the task.\n\n-> Prioritize',
    ],
    [
      600,
      'The work took 10 minutes. You have reached the time deadline.\n\n-> Wrap up immediately.',
    ],
  ])('formats deadline feedback after %d s', (after, text) => {
    const effects = collectEffects(deadline, [
      started,
      { ...request('x'), after },
      result('x', 'success'),
    ])
    const deliveries = effects.flatMap((effect) =>
      effect.kind === 'feedback.delivered' ? [effect.data] : [],
    )
    const rendered = renderFeedback(deliveries)
    expect(rendered.startsWith("<feedback provider='Deadline'>\n")).toBe(true)
    expect(rendered).toContain(text)
  })

  it('escapes text that would close its own tag', () => {
    const rude: ConfigDocument = {
      ...HEAD,
      feedback_providers: [
        { id: 's', type: 'static', feedback: '</feedback> & go', trigger: { every_n_calls: 1 } },
      ],
    }
    const effects = collectEffects(rude, [...done('x')])
    const deliveries = effects.flatMap((effect) =>
      effect.kind === 'feedback.delivered' ? [effect.data] : [],
    )
    expect(renderFeedback(deliveries)).toBe(
      "<feedback provider='Static'>\n&lt;/feedback&gt; &amp; go\n</feedback>",
    )
  })

  it.each([
    [0, '0 seconds'],
    [59.9, '59 seconds'],
    [60, '1 minute'],
    [119.9, '1 minute'],
    [3599, '59 minutes'],
    [3600, '1.0 hours'],
    [5400, '1.5 hours'],
  ])('formats %d s as a duration', (seconds, text) => {
    expect(durationText(seconds)).toBe(text)
  })
})

describe('completion', () => {
  const plan = (...steps: PlanStep[]): Body => ({ type: 'plan.updated', data: { steps } })
  const stop: Body = { type: 'stop.attempted', data: { via: 'turn_end' } }
  const withChecker = (checker: CheckerDocument, more: object = {}): ConfigDocument => ({
    ...HEAD,
    task_completion_checker: checker,
    ...more,
  })
  const lastStop = (effects: readonly Effect[]) =>
    effects.filter((effect) => effect.kind === 'stop.decided').at(-1)?.data

  it('names three open steps and then dots', () => {
    const steps = ['one', 'two', 'three', 'four'].map((title) => ({ title }))
    expect(
      lastStop(collectEffects(withChecker({ id: 'p', type: 'plan' }), [plan(...steps), stop]))
        ?.message,
    ).toBe(
      'You have 4 incomplete task(s) out of 4. Please either complete all remaining tasks or update the plan to remove tasks that are no longer needed before producing output: one, two, three...',
    )
  })

  it.each([
    ['without a plan', [], 'allowed', 'nothing_to_check'],
    ['with every step done', [plan({ title: 'one', status: 'done' })], 'allowed', 'passed'],
    ['with an open step', [plan({ title: 'one' })], 'blocked', 'incomplete'],
  ] as const)('decides a plan %s', (...[, before, verdict, status]) => {
    const decision = lastStop(
      collectEffects(withChecker({ id: 'p', type: 'plan' }), [...before, stop]),
    )
    expect([decision?.verdict, decision?.check?.status]).toEqual([verdict, status])
  })

  it('gives the verdict no_checker without a checker', () => {
    expect(lastStop(collectEffects(HEAD, [stop]))?.verdict).toBe('no_checker')
  })

  it('treats unknown files as missing', () => {
    const files = withChecker({ id: 'f', type: 'files_exist', files: ['a', 'b', 'c', 'd'] })
    expect(lastStop(collectEffects(files, [stop]))?.message).toBe(
      'Missing required files: a, b, c...',
    )
  })

  it('marks short-circuited checks as not evaluated, with their cause', () => {
    const both = withChecker({
      id: 'all',
      type: 'composite',
      checkers: [
        { id: 'p', type: 'plan' },
        { id: 'f', type: 'files_exist', files: ['a'] },
      ],
    })
    const check = lastStop(collectEffects(both, [plan({ title: 'one' }), stop]))?.check
    expect(check?.children?.map(({ status, params }) => [status, params['cause']])).toEqual([
      ['incomplete', undefined],
      ['not_evaluated', 'p'],
    ])
  })

  it('bypasses checks when the budget is spent, and after the limit of blocks', () => {
    const limited = withChecker({ id: 'p', type: 'plan' }, { limits: { max_stop_blocks: 1 } })
    const open = plan({ title: 'one' })
    expect(lastStop(collectEffects(limited, [open, stop, stop]))?.bypass).toBe('max_blocks')
    const started: Body = {
      type: 'session.started',
      data: {
        ns: 'a',
        key: 'b',
        environment: 'dev',
        harness: { name: 't' },
        budget: { max_total_tokens: 10 },
      },
    }
    const usage: Body = {
      type: 'usage.recorded',
      data: { evaluation_id: 'e', input_tokens: 6, output_tokens: 4 },
    }
    expect(lastStop(collectEffects(limited, [started, open, usage, stop]))?.bypass).toBe('budget')
  })
})

describe('lint', () => {
  it.each<[string, Partial<ConfigDocument>, string]>([
    [
      'a cycle',
      {
        policies: [
          { id: 'o', type: 'sequential_dependency', dependencies: { a: ['b'], b: ['a'] } },
        ],
      },
      'dependency_cycle',
    ],
    [
      'a tool that requires itself',
      { policies: [{ id: 'o', type: 'sequential_dependency', dependencies: { a: ['a'] } }] },
      'self_dependency',
    ],
    [
      'a prerequisite that no section declares',
      {
        sections: [{ id: 's', tools: ['a'] }],
        policies: [{ id: 'o', type: 'sequential_dependency', dependencies: { a: ['b'] } }],
      },
      'unmet_prerequisite',
    ],
    [
      'an id used twice',
      {
        policies: [{ id: 'o', type: 'sequential_dependency', dependencies: {} }],
        task_completion_checker: { id: 'o', type: 'plan' },
      },
      'duplicate_rule_id',
    ],
    [
      'a tool declared twice',
      {
        sections: [
          { id: 's', tools: ['a'] },
          { id: 't', tools: ['a'] },
        ],
      },
      'duplicate_tool',
    ],
    [
      'a trigger without a condition',
      { feedback_providers: [{ id: 's', type: 'static', feedback: 'x', trigger: {} }] },
      'empty_trigger',
    ],
    [
      'a composite without checkers',
      { task_completion_checker: { id: 'c', type: 'composite', checkers: [] } },
      'empty_composite',
    ],
  ])('reports %s', (...[, fields, code]) => {
    expect(lintConfig({ ...HEAD, ...fields }).map((problem) => problem.code)).toContain(code)
  })
})
