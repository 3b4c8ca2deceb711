import { CUSTOM_TYPES, eventLog, extendedConfigDocument } from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replay } from '../analysis/index.ts'
import { celExpressions } from '../expression/index.ts'
import {
  type CheckerDocument,
  type CheckResult,
  type ConfigDocument,
  compileConfig,
  type PolicyDocument,
  type Problem,
  type StopDecision,
  type ToolDecision,
} from '../index.ts'
import { compileChecked, lintConfig } from './index.ts'

const HEAD = { schema_version: 1, ns: 'a', key: 'b' } as const
const options = { expressions: celExpressions(), customTypes: CUSTOM_TYPES }

type Fields = Partial<ConfigDocument>

function found(fields: Fields): readonly string[] {
  return lintConfig({ ...HEAD, ...fields }, options).map(
    ({ code, pointer }) => `${code} ${pointer}`,
  )
}

const order = (dependencies: Record<string, readonly string[]>, id = 'order'): PolicyDocument => ({
  id,
  type: 'sequential_dependency',
  dependencies,
})
const expression = (fields: object): PolicyDocument => ({ id: 'x', type: 'expression', ...fields })
const sections = [{ id: 's', tools: ['lint', 'test', 'deploy'] }]
const plan: CheckerDocument = { id: 'plan', type: 'plan' }
const ran = (id: string, tool: string): CheckerDocument => ({ id, type: 'tool_succeeded', tool })
const holds = (id: string, condition: string): CheckerDocument => ({
  id,
  type: 'expression',
  require: condition,
})
const tree = (all: boolean, ...checkers: readonly CheckerDocument[]): Fields => ({
  task_completion_checker: { id: 'tree', type: 'composite', all_must_pass: all, checkers },
})
const CHECKER = '/task_completion_checker'
const files = (read_tools: readonly string[], write_tools: readonly string[]): PolicyDocument => ({
  id: 'files',
  type: 'read_before_write',
  read_tools,
  write_tools,
})
const speaks = (id: string, calls: number, type = 'static'): object => ({
  id,
  type,
  ...(type === 'static' ? { feedback: 'Look.' } : {}),
  trigger: { every_n_calls: calls },
})
const heard = (...providers: readonly object[]): Fields => ({
  feedback_exclusive: true,
  // The table gives whole providers.
  feedback_providers: providers as NonNullable<ConfigDocument['feedback_providers']>,
})

const TABLE: readonly (readonly [string, Fields, Fields])[] = [
  [
    'unreachable_tool /policies/0',
    { policies: [expression({ tools: ['deploy'], deny_when: '(true)' })] },
    { policies: [expression({ tools: ['deploy'], deny_when: 'args.x' })] },
  ],
  [
    'unreachable_tool /policies/1/dependencies/deploy',
    { policies: [expression({ tools: ['test'], require: 'false' }), order({ deploy: ['test'] })] },
    {
      policies: [
        { ...expression({ tools: ['test'], require: 'false' }), mode: 'shadow' },
        order({ deploy: ['test'] }),
      ],
    },
  ],
  [
    'check_never_passes /task_completion_checker',
    { sections, task_completion_checker: ran('r', 'build') },
    { sections, task_completion_checker: ran('r', 'test') },
  ],
  [
    'check_never_passes /task_completion_checker/checkers/1',
    tree(false, plan, holds('h', 'false')),
    tree(false, plan, holds('h', 'session.calls > 1')),
  ],
  [
    'check_always_passes /task_completion_checker/checkers/0',
    tree(true, holds('h', 'true')),
    tree(true, plan),
  ],
  [
    'stop_never_passes /task_completion_checker',
    tree(true, plan, holds('h', 'false')),
    tree(false, plan, holds('h', 'false')),
  ],
  [
    'unreachable_check /task_completion_checker/checkers/1',
    tree(false, { id: 'e', type: 'composite', checkers: [] }, plan),
    tree(false, plan, { id: 'e', type: 'composite', checkers: [] }),
  ],
  [
    'unreachable_check /task_completion_checker/checkers/1',
    tree(true, holds('h', 'false'), plan),
    tree(true, plan, holds('h', 'false')),
  ],
  [
    'only_writers_read /policies/0/read_tools',
    { policies: [files(['edit'], ['edit', 'write'])] },
    { policies: [files(['edit', 'read'], ['edit', 'write'])] },
  ],
  [
    'reads_bypassed /policies/0',
    { policies: [files(['read'], ['write'])], aliases: { Bash: 'shell' } },
    {
      policies: [
        files(['read'], ['write']),
        expression({ tools: ['shell'], deny_when: "args.command.contains('>')" }),
      ],
      aliases: { Bash: 'shell' },
    },
  ],
  [
    'reads_bypassed /policies/0',
    {
      policies: [files(['read'], ['write'])],
      sections: [{ id: 's', tools: ['read', 'write', 'mcp__fs__write_file'] }],
    },
    {
      policies: [files(['read'], ['write', 'mcp__fs__write_file'])],
      sections: [{ id: 's', tools: ['read', 'write', 'mcp__fs__write_file'] }],
    },
  ],
  [
    'count_of_finished_calls /policies/0/require',
    { policies: [expression({ tools: ['deploy'], require: 'calls.deploy.calls < 2' })] },
    { policies: [expression({ tools: ['deploy'], require: 'calls.lint.calls < 2' })] },
  ],
  [
    'count_of_finished_calls /policies/0/deny_when',
    { policies: [expression({ deny_when: "calls['deploy'].succeeded >= 2" })] },
    { policies: [expression({ deny_when: "calls['deploy'].succeeded == 0" })] },
  ],
  [
    'stops_never_blocked /limits/max_stop_blocks',
    { task_completion_checker: plan, limits: { max_stop_blocks: 0 } },
    { task_completion_checker: plan, limits: { max_stop_blocks: 1 } },
  ],
  [
    'single_order /policies/0',
    { policies: [order({ b: ['a'], d: ['c'] }), order({ c: ['b'] }, 'more')] },
    { policies: [order({ b: ['a'], d: ['c', 'b'] }), order({ c: ['a'] }, 'more')] },
  ],
  [
    'chain_not_enforced /policies/0/dependencies/deploy/0',
    {
      policies: [
        order({ deploy: ['test'] }),
        { ...order({ test: ['lint'] }, 'more'), mode: 'shadow' },
      ],
    },
    { policies: [order({ deploy: ['test'] }), order({ test: ['lint'] }, 'more')] },
  ],
  [
    'undeclared_tool /policies/0/tools/1',
    {
      sections,
      policies: [
        { id: 'r', type: 'rate_limit', tools: ['test', 'build'], max_calls: 1, per_seconds: 1 },
      ],
    },
    {
      sections,
      aliases: { Build: 'build' },
      policies: [
        { id: 'r', type: 'rate_limit', tools: ['test', 'build'], max_calls: 1, per_seconds: 1 },
      ],
    },
  ],
  [
    'undeclared_tool /policies/0/tools/0',
    { sections, policies: [{ id: 'a', type: 'approval', tools: ['build'], timeout_seconds: 9 }] },
    { sections, policies: [{ id: 'a', type: 'approval', tools: ['test'], timeout_seconds: 9 }] },
  ],
  [
    'undeclared_tool /policies/0/tools/0',
    { sections, policies: [expression({ tools: ['build'], require: 'args.x' })] },
    { policies: [expression({ tools: ['build'], require: 'args.x' })] },
  ],
  [
    'undeclared_tool /feedback_providers/0/tool',
    {
      sections,
      feedback_providers: [
        { id: 'f', type: 'repeated_failure', tool: 'build', trigger: { every_n_calls: 1 } },
      ],
    },
    {
      sections,
      feedback_providers: [
        { id: 'f', type: 'repeated_failure', tool: 'test', trigger: { every_n_calls: 1 } },
      ],
    },
  ],
  [
    'rule_without_effect /policies/0',
    { policies: [order({ deploy: [] })] },
    { policies: [order({ deploy: ['test'] })] },
  ],
  [
    'denies_every_tool /policies/0/deny_when',
    { policies: [expression({ deny_when: "session.environment == 'production'" })] },
    { policies: [expression({ tools: ['a'], deny_when: "session.environment == 'args'" })] },
  ],
  [
    'denies_every_tool /policies/0/require',
    { policies: [expression({ require: "session.environment != 'tool'" })] },
    { policies: [expression({ require: 'session.environment != tool' })] },
  ],
  [
    'denies_every_tool /policies/0/deny_when',
    { policies: [expression({ deny_when: 'session.stops > 3' })] },
    { policies: [expression({ mode: 'shadow', deny_when: 'session.stops > 3' })] },
  ],
  [
    'denies_other_tools /policies/0/deny_when',
    { policies: [expression({ deny_when: "args.command.contains('rm')" })] },
    { policies: [expression({ deny_when: "has(args.command) && args.command.contains('rm')" })] },
  ],
  [
    'denies_other_tools /policies/0/require',
    { policies: [expression({ mode: 'shadow', require: "args.branch != 'main'" })] },
    { policies: [expression({ tools: ['push'], require: "args.branch != 'main'" })] },
  ],
  [
    'denies_other_tools /policies/0/deny_when',
    { policies: [expression({ deny_when: "calls.a.calls > 1 && args.a == '!has(args.a)'" })] },
    { policies: [expression({ deny_when: "tool == 'a' && args.a == '' || args.size() > 3" })] },
  ],
  [
    'rule_outside_section /sections/0/policies/0',
    {
      sections: [
        { id: 's', tools: ['a'], policies: [{ id: 'c', type: CUSTOM_TYPES[1], tools: ['b'] }] },
      ],
    },
    {
      sections: [
        { id: 's', tools: ['a'], policies: [{ id: 'c', type: CUSTOM_TYPES[1], tools: ['a'] }] },
      ],
    },
  ],
  [
    'provider_never_heard /feedback_providers/1',
    heard(speaks('loud', 1), speaks('late', 5)),
    heard(speaks('loud', 2), speaks('late', 5)),
  ],
  [
    'noisy_trigger /feedback_providers/0/trigger',
    heard(speaks('loud', 1)),
    heard(speaks('quiet', 1, 'repeated_call')),
  ],
]

describe('lint advice', () => {
  it.each(TABLE)('reports %s, and spares a similar document', (...[advice, earns, spares]) => {
    expect(found(earns)).toContain(advice)
    expect(found(spares)).not.toContain(advice)
  })

  it('names the tools of a sequential dependency that lack a prerequisite', () => {
    const messages = (dependencies: Record<string, readonly string[]>) =>
      lintConfig({ ...HEAD, policies: [order(dependencies)] }, options).map(
        ({ message }) => message,
      )
    expect(messages({})).toEqual([expect.stringContaining('names no tool')])
    expect(messages({ deploy: [] })).toEqual([
      expect.stringContaining('No tool is required before deploy'),
    ])
  })

  it('reports a stop that never passes together with the check that causes it', () => {
    expect(found({ sections, task_completion_checker: ran('r', 'build') })).toEqual([
      `stop_never_passes ${CHECKER}`,
      `check_never_passes ${CHECKER}`,
    ])
  })

  it('finishes for ten thousand chained tools within the time limit', () => {
    const needs = Array.from({ length: 10_000 }, (_, i) => {
      const needed = [`tool-${i}`, `tool-${Math.max(0, i - 1)}`]
      return [`tool-${i + 1}`, needed] as const
    })
    const blocked = expression({ tools: ['tool-0'], deny_when: 'true' })
    const policies = [order(Object.fromEntries(needs)), blocked]
    const problems = lintConfig({ ...HEAD, policies }, options)
    expect(problems).toHaveLength(10_002)
    expect(problems[0]?.message).toContain('tool-9, tool-10, …. If')
  })
})

function isError({ severity }: Pick<Problem, 'severity'>): boolean {
  return severity === 'error'
}

function checksIn(check: CheckResult): readonly CheckResult[] {
  return [check, ...(check.children ?? []).flatMap(checksIn)]
}

describe('lint over random documents and logs', () => {
  it('reports as errors exactly what compileChecked refuses, including all that the engine refuses', () => {
    fc.assert(
      fc.property(extendedConfigDocument, fc.boolean(), (document, evaluates) => {
        const given = evaluates ? options : {}
        const errors = lintConfig(document, given).filter(isError)
        const result = compileChecked(document, given)
        expect(result.ok).toBe(errors.length === 0)
        expect(result.problems.filter(isError)).toEqual(errors)
        const engine = compileConfig(document, given)
        expect(engine.ok).toBe(!engine.problems.some(isError))
        const refused = engine.problems.filter(isError)
        expect(errors).toEqual(
          expect.arrayContaining(
            refused.map(({ pointer, code }) => expect.objectContaining({ pointer, code })),
          ),
        )
      }),
    )
  })

  const constant = fc.constantFrom('true', 'false', '( true )')
  const leaf = fc.oneof(
    constant.map((condition) => (id: string) => holds(id, condition)),
    fc.constant((id: string): CheckerDocument => ({ id, type: 'plan' })),
    fc.constant((id: string) => ran(id, 'build')),
  )
  const shaped = fc
    .record({
      makers: fc.array(leaf, { maxLength: 4 }),
      all: fc.boolean(),
      source: constant,
    })
    .map(
      ({ makers, all, source }): ConfigDocument => ({
        ...HEAD,
        sections: [{ id: 's', tools: ['lint', 'test', 'deploy'] }],
        policies: [expression({ tools: ['test'], deny_when: source }), order({ deploy: ['test'] })],
        ...tree(all, ...makers.map((make, i) => make(`check-${i}`))),
      }),
    )

  it('unreachable tools are never allowed, impossible checks never pass, skipped checks never run', () => {
    fc.assert(
      fc.property(shaped, eventLog, (document, events) => {
        const coded = pointersByCode(document)
        const result = compileConfig(document, options)
        if (!result.ok) throw new Error(JSON.stringify(result.problems))
        // No harness has a tool that no section declares.
        const log = events.filter(({ data }) => !('tool' in data && data.tool === 'build'))
        for (const { effect } of replay(result.config, log)) {
          if (effect.kind === 'tool.decided') expectBlocked(coded, effect.data)
          if (effect.kind === 'stop.decided') expectAsForetold(coded, effect.data)
        }
      }),
    )
  })
})

type Coded = (code: string) => ReadonlySet<string>

function pointersByCode(document: ConfigDocument): Coded {
  const problems = lintConfig(document, options)
  return (wanted) =>
    new Set(problems.filter(({ code }) => code === wanted).map(({ pointer }) => pointer))
}

function expectBlocked(coded: Coded, { tool, decision }: ToolDecision): void {
  const isBlocked = coded('unreachable_tool').size > 0 && ['test', 'deploy'].includes(tool)
  expect(isBlocked && decision === 'allowed').toBe(false)
}

function expectAsForetold(coded: Coded, { verdict, check }: StopDecision): void {
  if (coded('stop_never_passes').size > 0) expect(verdict).not.toBe('allowed')
  for (const { pointer, status } of check === null ? [] : checksIn(check)) {
    if (coded('check_never_passes').has(pointer)) expect(status).not.toBe('passed')
    if (coded('check_always_passes').has(pointer)) expect(status).not.toBe('incomplete')
    if (coded('unreachable_check').has(pointer)) {
      expect(['not_evaluated', 'bypassed']).toContain(status)
    }
  }
}
