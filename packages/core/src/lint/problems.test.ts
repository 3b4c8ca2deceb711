import { CUSTOM_TYPES } from '@signalbox/testkit'
import { describe, expect, it } from 'vitest'
import { celExpressions } from '../expression/index.ts'
import type { CompileOptions, ConfigDocument, JsonValue, Problem, ProblemFix } from '../index.ts'
import { compileChecked, lintConfig, listRulePlaces } from './index.ts'

const HEAD = { schema_version: 1, ns: 'a', key: 'b' } as const
const OPTIONS: CompileOptions = { expressions: celExpressions(), customTypes: CUSTOM_TYPES }

const set = (pointer: string, value: JsonValue): ProblemFix => ({ kind: 'set', pointer, value })
const remove = (pointer: string): ProblemFix => ({ kind: 'remove', pointer })
const rename = (pointer: string, name: string): ProblemFix => ({ kind: 'rename', pointer, name })

type Wanted = readonly [
  code: string,
  pointer: string,
  message: string,
  fix?: ProblemFix | undefined,
]

const problem = (
  severity: Problem['severity'],
  [code, pointer, message, fix]: Wanted,
): Problem => ({
  pointer,
  code,
  severity,
  message,
  ...(fix === undefined ? {} : { fix }),
})
const error = (...wanted: Wanted): Problem => problem('error', wanted)
const warning = (...wanted: Wanted): Problem => problem('warning', wanted)

const order = (dependencies: object, id = 'order') => ({
  id,
  type: 'sequential_dependency',
  dependencies,
})
const condition = (fields: object, id = 'x') => ({ id, type: 'expression', ...fields })
const rate = (...tools: readonly string[]) => ({
  id: 'rate',
  type: 'rate_limit',
  tools,
  max_calls: 1,
  per_seconds: 1,
})
const files = (read_tools: readonly string[], write_tools: readonly string[]) => ({
  id: 'files',
  type: 'read_before_write',
  read_tools,
  write_tools,
})
const hint = (trigger: object, id = 'hint') => ({ id, type: 'static', feedback: 'x', trigger })
const deadline = (trigger: object, more: object = {}) => ({
  id: 'd',
  type: 'deadline',
  trigger,
  ...more,
})
const holds = (require: string, id = 'h') => ({ id, type: 'expression', require })
const ran = (tool: string, more: object = {}) => ({
  id: 'r',
  type: 'tool_succeeded',
  tool,
  ...more,
})
const group = (all_must_pass: boolean, ...checkers: readonly object[]) => ({
  id: 'group',
  type: 'composite',
  all_must_pass,
  checkers,
})
const plan = { id: 'plan', type: 'plan' }
const sections = [{ id: 's', tools: ['lint', 'test', 'deploy'] }]
const CHECKER = '/task_completion_checker'
const OR_CUSTOM = 'or a custom type that the runtime has code for.'
const NEVER_STOPS = warning(
  'stop_never_passes',
  CHECKER,
  'No stop can ever pass these checks: the agent is sent back until limits.max_stop_blocks is reached. Correct the checks below.',
)
const neverPasses = (pointer: string, fix?: ProblemFix): Problem =>
  warning(
    'check_never_passes',
    pointer,
    'This check can never pass, because its tool can never run or its condition is false. Correct it or remove it.',
    fix,
  )
const alwaysPasses = (pointer: string): Problem =>
  warning(
    'check_always_passes',
    pointer,
    'This check always passes. Correct its condition or remove it.',
    remove(pointer),
  )
const undeclared = (tool: string, pointer: string, fix?: ProblemFix): Problem =>
  warning(
    'undeclared_tool',
    pointer,
    `No section declares the tool "${tool}", so this has no effect. Declare it or correct its name.`,
    fix,
  )
const namesNoTool = warning(
  'rule_without_effect',
  '/policies/0',
  'This rule names no tool, so it never denies anything. Name one or remove the rule.',
  remove('/policies/0'),
)

/** Rows are written as stored JSON, which lint is there to check. */
function lint(fields: object, options = OPTIONS): readonly Problem[] {
  return lintConfig({ ...HEAD, ...fields } as ConfigDocument, options)
}

type Row = readonly [name: string, fields: object, problems: readonly Problem[]]

const NAMES_AND_TYPES: readonly Row[] = [
  [
    'a repeated section id',
    { sections: [{ id: 's' }, { id: 's-2' }, { id: 's' }] },
    [
      error(
        'duplicate_section_id',
        '/sections/2/id',
        'The section id "s" is already used at /sections/0. Use a different id here.',
        set('/sections/2/id', 's-3'),
      ),
    ],
  ],
  [
    'a rule id of another kind of rule, whose next numbers are used by all kinds',
    {
      policies: [order({ a: ['b'] }, 'x'), order({ c: ['d'] }, 'x-2')],
      feedback_providers: [hint({ every_n_calls: 5 }, 'x-3'), hint({ every_n_calls: 5 }, 'x')],
      task_completion_checker: { id: 'x-4', type: 'plan' },
    },
    [
      error(
        'duplicate_rule_id',
        '/feedback_providers/1/id',
        'The rule id "x" is already used at /policies/0. Use a different id here.',
        set('/feedback_providers/1/id', 'x-5'),
      ),
    ],
  ],
  [
    'a tool in two sections',
    { sections: [...sections, { id: 't', tools: ['ci', 'lint'] }] },
    [
      error(
        'duplicate_tool',
        '/sections/1/tools/1',
        'The tool "lint" is already declared at /sections/0/tools/0. Declare it in one section only.',
        remove('/sections/1/tools/1'),
      ),
    ],
  ],
  [
    'a misspelled policy type',
    { policies: [{ ...order({ a: ['b'] }), type: 'sequental_dependency' }] },
    [
      error(
        'unknown_type',
        '/policies/0/type',
        `The type "sequental_dependency" is not known here. Use one of: sequential_dependency, read_before_write, expression, rate_limit, approval, ${OR_CUSTOM}`,
        set('/policies/0/type', 'sequential_dependency'),
      ),
    ],
  ],
  [
    'a misspelled provider type',
    { feedback_providers: [{ ...hint({ every_n_calls: 5 }), type: 'statc' }] },
    [
      error(
        'unknown_type',
        '/feedback_providers/0/type',
        `The type "statc" is not known here. Use one of: deadline, static, tool_usage, repeated_failure, repeated_call, ${OR_CUSTOM}`,
        set('/feedback_providers/0/type', 'static'),
      ),
    ],
  ],
  [
    'a misspelled checker type',
    { task_completion_checker: { id: 'c', type: 'plann' } },
    [
      error(
        'unknown_type',
        `${CHECKER}/type`,
        `The type "plann" is not known here. Use one of: plan, files_exist, composite, tool_succeeded, llm_judge, expression, ${OR_CUSTOM}`,
        set(`${CHECKER}/type`, 'plan'),
      ),
    ],
  ],
  [
    'optional rules of a misspelled custom type and of a type like no other',
    {
      policies: [
        { id: 'one', type: 'custom:polcy', optional: true },
        { id: 'two', type: 'zzz', optional: true },
      ],
    },
    [
      warning(
        'skipped_unknown_type',
        '/policies/0/type',
        'The type "custom:polcy" is not known here, so this optional rule is skipped.',
        set('/policies/0/type', 'custom:policy'),
      ),
      warning(
        'skipped_unknown_type',
        '/policies/1/type',
        'The type "zzz" is not known here, so this optional rule is skipped.',
      ),
    ],
  ],
  [
    'a rule with both conditions, and one with neither',
    { policies: [condition({ deny_when: 'has(args.x)', require: 'args.y' }), condition({}, 'y')] },
    ['/policies/0', '/policies/1'].map((pointer) =>
      error(
        'expression_condition',
        pointer,
        'An expression needs exactly one condition: "deny_when", which denies the call when it is true, or "require", which denies it when it is false.',
      ),
    ),
  ],
]

const ORDER: readonly Row[] = [
  [
    'a tool that needs itself',
    { policies: [order({ a: ['a'] })] },
    [
      error(
        'self_dependency',
        '/policies/0/dependencies/a/0',
        '"a" requires itself, so it could never run. Remove the prerequisite.',
        remove('/policies/0/dependencies/a/0'),
      ),
    ],
  ],
  [
    'a prerequisite that makes itself outdated, and no tool that is only watched',
    { sections, policies: [{ ...order({ deploy: ['test'] }), after: ['test', 'wirte', 'lint'] }] },
    [
      error(
        'self_dependency',
        '/policies/0/after/0',
        'A success of "test" would make itself outdated, so what requires it could never run. Remove it here or from the prerequisites.',
        remove('/policies/0/after/0'),
      ),
      warning(
        'undeclared_tool',
        '/policies/0/after/1',
        'No section declares the tool "wirte", so this has no effect. Declare it or correct its name.',
      ),
    ],
  ],
  [
    'each prerequisite on a cycle over two rules, and none outside it',
    { policies: [order({ a: ['z', 'b'], d: ['a'] }), order({ b: ['c'], c: ['a'] }, 'more')] },
    (
      [
        ['a', 'b', '/policies/0/dependencies/a/1'],
        ['b', 'c', '/policies/1/dependencies/b/0'],
        ['c', 'a', '/policies/1/dependencies/c/0'],
      ] as const
    ).map(([from, to, pointer]) =>
      error(
        'dependency_cycle',
        pointer,
        `"${from}" and "${to}" require each other, directly or through others, so neither could ever run. Remove one of the prerequisites.`,
        remove(pointer),
      ),
    ),
  ],
  [
    'prerequisites that no section declares, but none of a rule that is off',
    {
      sections,
      policies: [
        order({ deploy: ['lnt', 'security_scan', 'test'] }),
        { ...order({ deploy: ['absent'] }, 'off'), mode: 'off' },
      ],
    },
    [
      error(
        'unmet_prerequisite',
        '/policies/0/dependencies/deploy/0',
        'No section declares the tool "lnt", so "deploy" could never run. Declare "lnt" or remove the prerequisite.',
        set('/policies/0/dependencies/deploy/0', 'lint'),
      ),
      error(
        'unmet_prerequisite',
        '/policies/0/dependencies/deploy/1',
        'No section declares the tool "security_scan", so "deploy" could never run. Declare "security_scan" or remove the prerequisite.',
        remove('/policies/0/dependencies/deploy/1'),
      ),
    ],
  ],
  [
    'one sequence of four tools over two rules',
    { policies: [order({ b: ['a'], d: ['c'] }), order({ c: ['b'] }, 'more')] },
    [
      warning(
        'single_order',
        '/policies/0',
        'The rules allow only one order: a, b, c, d. If the work is a fixed sequence, a workflow is better than an agent; if not, remove the prerequisites that are not needed.',
      ),
    ],
  ],
  ['no sequence of three tools', { policies: [order({ b: ['a'], c: ['b'] })] }, []],
  [
    'no sequence with two ends',
    { policies: [order({ b: ['a'], c: ['b'], d: ['c'], e: ['d'], f: ['d'] })] },
    [],
  ],
  ['no sequence with two starts', { policies: [order({ c: ['a', 'b'], d: ['c'] })] }, []],
  [
    'no sequence of a rule that is in shadow mode',
    { policies: [{ ...order({ b: ['a'], c: ['b'], d: ['c'] }), mode: 'shadow' }] },
    [],
  ],
  [
    'prerequisites whose own prerequisites are in shadow mode or switched off',
    {
      policies: [
        order({ deploy: ['test', 'build', 'scan'] }),
        { ...order({ test: ['lint', 'format'] }, 'shadowed'), mode: 'shadow' },
        { ...order({ test: ['x'], build: ['lint'], scan: ['lint'] }, 'stopped'), mode: 'off' },
        order({ scan: ['lint'] }, 'kept'),
      ],
    },
    [
      warning(
        'chain_not_enforced',
        '/policies/0/dependencies/deploy/0',
        '"deploy" relies on "test", but nothing enforces that "test" comes after "lint": the rule "shadowed" is in shadow mode. Enforce it, or also name "lint" here.',
      ),
      warning(
        'chain_not_enforced',
        '/policies/0/dependencies/deploy/1',
        '"deploy" relies on "build", but nothing enforces that "build" comes after "lint": the rule "stopped" is switched off. Enforce it, or also name "lint" here.',
      ),
    ],
  ],
  [
    'no chain over a rule of a section that lacks the tool',
    {
      sections: [
        {
          ...sections[0],
          policies: [{ ...order({ test: ['lint'], fmt: ['lint'] }), mode: 'shadow' }],
        },
        { id: 'empty', policies: [{ ...order({ lint: ['ci'] }, 'more'), mode: 'shadow' }] },
      ],
      policies: [order({ deploy: ['fmt', 'lint'] }, 'all')],
      aliases: { Format: 'fmt', Ci: 'ci' },
    },
    [
      warning(
        'rule_outside_section',
        '/sections/0/policies/0',
        "A section's rule governs only the section's tools, and fmt is not declared in it. Move the rule to the prompt or declare the tool here.",
      ),
      warning(
        'rule_outside_section',
        '/sections/1/policies/0',
        "A section's rule governs only the section's tools, and lint is not declared in it. Move the rule to the prompt or declare the tool here.",
      ),
    ],
  ],
]

const TOOLS: readonly Row[] = [
  ...[order({}), rate(), files(['read'], []), condition({ tools: [], require: 'args.x' })].map(
    (rule): Row => [
      `a rule of type ${rule.type} without a tool`,
      { policies: [rule] },
      [namesNoTool],
    ],
  ),
  [
    'tools without prerequisites',
    { policies: [order({ deploy: [], test: [] })] },
    [
      warning(
        'rule_without_effect',
        '/policies/0',
        'No tool is required before deploy, test, so this rule never denies anything. Name the tools that must succeed first, or remove the rule.',
        remove('/policies/0'),
      ),
    ],
  ],
  ['no rule that governs every tool', { policies: [condition({ require: 'has(args.x)' })] }, []],
  [
    'tools that no section declares, in every kind of rule, except rules that are off',
    {
      sections,
      policies: [
        order({ deplooy: ['lint'] }),
        files(['lint'], ['Test', 'far_away']),
        { ...rate('absent'), mode: 'off' },
      ],
      feedback_providers: [
        { id: 'f', type: 'repeated_failure', tool: 'tset', trigger: { every_n_calls: 1 } },
        { id: 'c', type: CUSTOM_TYPES[2], trigger: { every_n_calls: 1 } },
      ],
      task_completion_checker: group(true, ran('test', { after: ['deploy', 'lnt'] })),
    },
    [
      undeclared(
        'deplooy',
        '/policies/0/dependencies/deplooy',
        rename('/policies/0/dependencies/deplooy', 'deploy'),
      ),
      undeclared('Test', '/policies/1/write_tools/0', set('/policies/1/write_tools/0', 'test')),
      undeclared('far_away', '/policies/1/write_tools/1'),
      undeclared('tset', '/feedback_providers/0/tool'),
      undeclared(
        'lnt',
        `${CHECKER}/checkers/0/after/1`,
        set(`${CHECKER}/checkers/0/after/1`, 'lint'),
      ),
    ],
  ],
  [
    'names with the characters of a pointer, and no rename to a name that is in use',
    {
      sections,
      policies: [order({ 'de/ploy': ['lint'], 'dep~loy': ['lint'], 'te~st': ['lint'], test: [] })],
    },
    [
      undeclared(
        'de/ploy',
        '/policies/0/dependencies/de~1ploy',
        rename('/policies/0/dependencies/de~1ploy', 'deploy'),
      ),
      undeclared(
        'dep~loy',
        '/policies/0/dependencies/dep~0loy',
        rename('/policies/0/dependencies/dep~0loy', 'deploy'),
      ),
      undeclared('te~st', '/policies/0/dependencies/te~0st'),
    ],
  ],
  [
    'only a warning about the section for a rule that names tools outside it',
    { sections: [{ id: 's', tools: ['a'], policies: [rate('a', 'b', 'c')] }] },
    [
      warning(
        'rule_outside_section',
        '/sections/0/policies/0',
        "A section's rule governs only the section's tools, and b, c are not declared in it. Move the rule to the prompt or declare the tool here.",
      ),
    ],
  ],
  [
    'nothing about rules of a section that govern every tool or its own',
    {
      sections: [
        {
          id: 'outer',
          tools: ['a'],
          policies: [rate('a'), condition({ require: 'has(args.x)' })],
          sections: [{ id: 'inner', tools: ['b'] }],
        },
      ],
    },
    [],
  ],
  [
    'tools that can never run, with the tools that need them',
    {
      policies: [
        condition({ tools: ['test'], require: ' ( false ) ' }, 'closed'),
        order({ deploy: ['test', 'lint'], announce: ['deploy'], lint: ['fmt'] }),
        { ...order({ other: ['test'] }, 'shadowed'), mode: 'shadow' },
        { ...condition({ tools: ['lint'], deny_when: 'true' }, 'tried'), mode: 'shadow' },
        condition({ tools: ['fmt'], deny_when: 'false' }, 'open'),
      ],
    },
    [
      warning(
        'unreachable_tool',
        '/policies/0',
        'The tool "test" can never run: the rule "closed" always denies it. Change the condition or remove the tool.',
      ),
      ...(
        [
          ['deploy', 'test'],
          ['announce', 'deploy'],
        ] as const
      ).map(([tool, needed]) =>
        warning(
          'unreachable_tool',
          `/policies/1/dependencies/${tool}`,
          `The tool "${tool}" can never run: it needs "${needed}", which can never run. Remove the prerequisite or let "${needed}" run.`,
        ),
      ),
    ],
  ],
  [
    'every tool of a section whose rule denies always',
    {
      sections: [
        { id: 's', tools: ['a', 'b'], policies: [condition({ deny_when: 'true' }, 'shut')] },
        { id: 't', tools: ['c'], policies: [order({ c: ['b'], a: ['c'] })] },
        { id: 'u', policies: [condition({ deny_when: 'true' }, 'idle')] },
      ],
    },
    [
      warning(
        'rule_outside_section',
        '/sections/1/policies/0',
        "A section's rule governs only the section's tools, and a is not declared in it. Move the rule to the prompt or declare the tool here.",
      ),
      ...(['a', 'b'] as const).map((tool) =>
        warning(
          'unreachable_tool',
          '/sections/0/policies/0',
          `The tool "${tool}" can never run: the rule "shut" always denies it. Change the condition or remove the tool.`,
        ),
      ),
      warning(
        'unreachable_tool',
        '/sections/1/policies/0/dependencies/c',
        'The tool "c" can never run: it needs "b", which can never run. Remove the prerequisite or let "b" run.',
      ),
    ],
  ],
  [
    'every declared tool under a rule of the prompt that denies always',
    { sections: [{ id: 's', tools: ['a'] }], policies: [condition({ require: 'false' })] },
    [
      warning(
        'unreachable_tool',
        '/policies/0',
        'The tool "a" can never run: the rule "x" always denies it. Change the condition or remove the tool.',
      ),
    ],
  ],
]

const POLICIES: readonly Row[] = [
  [
    'files that no tool can read',
    { policies: [files([], ['write'])] },
    [
      error(
        'no_read_tool',
        '/policies/0/read_tools',
        'No tool can read, so every existing file is locked. Name the tools that read in read_tools.',
      ),
    ],
  ],
  [
    'readers that must have read before, with and without a writer that is left',
    {
      policies: [
        files(['open', 'edit'], ['open', 'write', 'edit']),
        { ...files(['open'], ['open']), id: 'locked' },
        { ...files(['open'], ['open']), id: 'off', mode: 'off' },
      ],
    },
    [
      warning(
        'only_writers_read',
        '/policies/0/read_tools',
        'Every tool that reads is also one that must have read before, so an existing file can never be read or written. Take open, edit out of write_tools, or name another reading tool.',
        set('/policies/0/write_tools', ['write']),
      ),
      warning(
        'only_writers_read',
        '/policies/1/read_tools',
        'Every tool that reads is also one that must have read before, so an existing file can never be read or written. Take open out of write_tools, or name another reading tool.',
      ),
    ],
  ],
  [
    'commands and foreign tools that a read rule does not see',
    {
      aliases: { Terminal: 'bash', Run: 'run_in_terminal' },
      sections: [{ id: 's', tools: ['read', 'write', 'mcp__fs__edit', 'mcp__git', 'bashful'] }],
      policies: [
        files(['read'], ['write']),
        { ...files(['read'], ['write']), id: 'stopped', mode: 'off' },
        { ...rate('bash', 'shell'), id: 'limits', mode: 'shadow' },
        { ...condition({ tools: ['bash'], require: 'args.x' }), mode: 'off' },
        { id: 'ask', type: 'approval', tools: ['shell', 'mcp__git'], timeout_seconds: 9 },
      ],
    },
    [
      undeclared('shell', '/policies/2/tools/1'),
      undeclared('shell', '/policies/4/tools/0'),
      warning(
        'reads_bypassed',
        '/policies/0',
        'A command of bash, run_in_terminal can write any file, and this rule does not see it. Add an expression or approval rule on bash, run_in_terminal.',
      ),
      warning(
        'reads_bypassed',
        '/policies/0',
        'If mcp__fs__edit writes files, this rule does not see it. Map it to a canonical name in aliases, or name it in write_tools or read_tools.',
      ),
    ],
  ],
  [
    'no command that a rule on every tool sees',
    {
      aliases: { Terminal: 'bash' },
      policies: [files(['read'], ['write']), condition({ deny_when: 'has(args.x)' })],
    },
    [],
  ],
  [
    'limits on finished calls, once for each rule',
    {
      policies: [
        condition({ require: 'calls.a.calls < 2 && calls["b"].succeeded <= 3' }, 'one'),
        condition({ tools: ['b'], require: "calls.a.calls < 2 && calls['b'].calls<9" }, 'two'),
        condition({ deny_when: 'calls.a.succeeded > 2' }, 'three'),
        { ...condition({ deny_when: 'calls.a.calls > 2' }, 'four'), mode: 'off' },
        condition({ deny_when: 'calls.a.calls < 2' }, 'five'),
        condition({ require: 'calls.a.calls >= 2' }, 'six'),
        condition({ tools: ['c'], deny_when: 'calls.a.calls > 2' }, 'seven'),
      ],
    },
    (
      [
        ['a', '/policies/0/require'],
        ['b', '/policies/1/require'],
        ['a', '/policies/2/deny_when'],
      ] as const
    ).map(([tool, pointer]) =>
      warning(
        'count_of_finished_calls',
        pointer,
        `calls counts calls that have finished, so several calls of ${tool} that are requested at once can pass this limit. Use a rate_limit, which counts allowed calls.`,
      ),
    ),
  ],
  [
    'conditions that deny every call of every tool, but none that is limited or tried',
    {
      sections: [{ id: 's', policies: [condition({ deny_when: 'session.stops > 3' }, 'in')] }],
      policies: [
        condition({ deny_when: 'session.stops > 3 && session.environment != "tool"' }, 'one'),
        condition({ require: "session.environment != 'args'" }, 'two'),
        { ...condition({ require: 'session.stops < 3' }, 'off'), mode: 'off' },
        condition({ tools: ['a'], require: 'session.stops < 3' }, 'limited'),
        condition({ require: 'session.stops < 3 || tool == "a"' }, 'reads'),
        condition({ require: 'true' }, 'constant'),
        condition({ deny_when: 'has(args.session) && args.session.tool' }, 'field'),
      ],
    },
    (
      [
        ['/policies/0/deny_when', 'once it holds'],
        ['/policies/1/require', 'while it does not hold'],
      ] as const
    ).map(([pointer, when]) =>
      warning(
        'denies_every_tool',
        pointer,
        `This condition reads only session, so ${when} every call of every tool is denied. Limit the rule with tools, read tool or args, or try it with mode "shadow".`,
      ),
    ),
  ],
  [
    'conditions on arguments that not every tool has, with the test that they exist',
    {
      policies: [
        condition({ deny_when: 'args.command.contains("args.other")' }, 'one'),
        condition({ require: 'args.branch != "main" && has(args.force) && args.force' }, 'two'),
        condition({ deny_when: 'args.a == args.b // both' }, 'three'),
        condition({ deny_when: 'has(args.command) && args.command == ""' }, 'tested'),
        condition({ deny_when: '"command" in args && args.command == ""' }, 'listed'),
        condition({ deny_when: 'tool == "shell" && args.command == ""' }, 'named'),
        { ...condition({ deny_when: 'args.command == ""' }, 'off'), mode: 'off' },
      ],
    },
    [
      warning(
        'denies_other_tools',
        '/policies/0/deny_when',
        'A call without the argument command is denied, because this condition cannot be evaluated for it. Name the tools that have it, or test has(args.command) first.',
        set('/policies/0/deny_when', 'has(args.command) && (args.command.contains("args.other"))'),
      ),
      warning(
        'denies_other_tools',
        '/policies/1/require',
        'A call without the argument branch is denied, because this condition cannot be evaluated for it. Name the tools that have it, or test has(args.branch) first.',
        set(
          '/policies/1/require',
          '!(has(args.branch)) || (args.branch != "main" && has(args.force) && args.force)',
        ),
      ),
      warning(
        'denies_other_tools',
        '/policies/2/deny_when',
        'A call without the argument a or b is denied, because this condition cannot be evaluated for it. Name the tools that have it, or test has(args.a) && has(args.b) first.',
      ),
    ],
  ],
]

const PROVIDERS: readonly Row[] = [
  [
    'a trigger without a condition',
    { feedback_providers: [hint({})] },
    [
      error(
        'empty_trigger',
        '/feedback_providers/0/trigger',
        'The trigger has no condition, so it never fires. Add every_n_calls, every_n_seconds or on_file_created.',
        set('/feedback_providers/0/trigger/every_n_calls', 10),
      ),
    ],
  ],
  [
    'files outside the workspace, with and without a path that is left',
    {
      feedback_providers: [
        hint({ on_file_created: { filename: '../../out/./a.txt' } }, 'one'),
        hint({ on_file_created: { filename: '..' } }, 'two'),
        hint({ on_file_created: { filename: 'a.txt' } }, 'three'),
      ],
    },
    [
      error(
        'file_outside_workspace',
        '/feedback_providers/0/trigger/on_file_created',
        'The file "../../out/./a.txt" lies outside the workspace. Use a path inside it.',
        set('/feedback_providers/0/trigger/on_file_created/filename', 'out/a.txt'),
      ),
      error(
        'file_outside_workspace',
        '/feedback_providers/1/trigger/on_file_created',
        'The file ".." lies outside the workspace. Use a path inside it.',
      ),
    ],
  ],
  [
    'feedback after every call, except of types that have something to say only at times',
    {
      feedback_providers: [
        hint({ every_n_calls: 1 }),
        { id: 'u', type: 'tool_usage', trigger: { every_n_calls: 1 } },
        deadline({ every_n_calls: 1 }),
        { id: 'c', type: 'repeated_call', trigger: { every_n_calls: 1 } },
        { id: 'f', type: 'repeated_failure', trigger: { every_n_calls: 1 } },
        { id: 'own', type: CUSTOM_TYPES[2], trigger: { every_n_calls: 1 } },
      ],
    },
    [0, 1, 2].map((at) =>
      warning(
        'noisy_trigger',
        `/feedback_providers/${at}/trigger`,
        'This provider gives feedback after every call. A larger every_n_calls is easier to read.',
        set(`/feedback_providers/${at}/trigger/every_n_calls`, 10),
      ),
    ),
  ],
  [
    'deadline feedback that may come after the deadline',
    {
      feedback_providers: [
        deadline({ every_n_seconds: 300 }),
        { ...deadline({ every_n_seconds: 61 }, { warning_threshold_seconds: 60 }), id: 'own' },
        { ...deadline({ every_n_seconds: 120 }), id: 'equal' },
        { ...deadline({ every_n_seconds: 300, every_n_calls: 5 }), id: 'calls' },
        { ...deadline({ on_file_created: { filename: 'a' } }), id: 'file' },
      ],
    },
    (
      [
        [0, 120, 300],
        [1, 60, 61],
      ] as const
    ).map(([at, threshold, seconds]) =>
      warning(
        'threshold_shorter_than_period',
        `/feedback_providers/${at}/trigger`,
        `The warning begins ${threshold} s before the deadline but feedback comes every ${seconds} s, so the warning may never come. Shorten every_n_seconds or raise warning_threshold_seconds.`,
        set(`/feedback_providers/${at}/trigger/every_n_seconds`, threshold),
      ),
    ),
  ],
  [
    'providers behind one that always gives feedback, except those that are off',
    {
      feedback_exclusive: true,
      feedback_providers: [
        { id: 'c', type: 'repeated_call', trigger: { every_n_calls: 1 } },
        { ...hint({ every_n_calls: 1 }, 'tried'), mode: 'shadow' },
        hint({ every_n_calls: 2 }, 'seldom'),
        hint({ every_n_calls: 1 }, 'loud'),
        { ...hint({ every_n_calls: 5 }, 'off'), mode: 'off' },
        hint({ every_n_calls: 5 }, 'late'),
      ],
    },
    [
      ...[1, 3].map((at) =>
        warning(
          'noisy_trigger',
          `/feedback_providers/${at}/trigger`,
          'This provider gives feedback after every call. A larger every_n_calls is easier to read.',
          set(`/feedback_providers/${at}/trigger/every_n_calls`, 10),
        ),
      ),
      warning(
        'provider_never_heard',
        '/feedback_providers/5',
        'This provider never gives feedback: feedback_exclusive is set, and "loud" before it gives feedback after every call. Move it before "loud", or make "loud" less frequent.',
        remove('/feedback_providers/5'),
      ),
    ],
  ],
]

const CHECKERS: readonly Row[] = [
  [
    'files outside the workspace',
    {
      task_completion_checker: {
        id: 'c',
        type: 'files_exist',
        files: ['a.txt', '../b.txt'],
      },
    },
    [
      error(
        'file_outside_workspace',
        `${CHECKER}/files/1`,
        'The file "../b.txt" lies outside the workspace, so no stop could ever pass. Use a path inside it.',
        set(`${CHECKER}/files/1`, 'b.txt'),
      ),
    ],
  ],
  [
    'composites without checkers, which always pass and so decide',
    {
      task_completion_checker: group(false, plan, { ...group(true), id: 'empty' }, holds('1 > 0')),
    },
    [
      warning(
        'empty_composite',
        `${CHECKER}/checkers/1/checkers`,
        'A composite without checkers always passes. Add a checker or remove it.',
        remove(`${CHECKER}/checkers/1`),
      ),
      warning(
        'unreachable_check',
        `${CHECKER}/checkers/2`,
        'This check is never evaluated, because "empty" before it always passes and so decides. Move it before "empty" or remove it.',
        remove(`${CHECKER}/checkers/2`),
      ),
    ],
  ],
  [
    'a check that never passes, and those after it',
    { task_completion_checker: group(true, plan, holds('(false)'), { ...plan, id: 'last' }) },
    [
      NEVER_STOPS,
      neverPasses(`${CHECKER}/checkers/1`),
      warning(
        'unreachable_check',
        `${CHECKER}/checkers/2`,
        'This check is never evaluated, because "h" before it never passes and so decides. Move it before "h" or remove it.',
        remove(`${CHECKER}/checkers/2`),
      ),
    ],
  ],
  [
    'a tool that no section declares',
    { sections, task_completion_checker: ran('tests') },
    [NEVER_STOPS, neverPasses(CHECKER, set(`${CHECKER}/tool`, 'test'))],
  ],
  [
    'a tool that can never run, where no section declares tools',
    {
      policies: [condition({ tools: ['test'], deny_when: 'true' })],
      task_completion_checker: ran('test'),
    },
    [
      warning(
        'unreachable_tool',
        '/policies/0',
        'The tool "test" can never run: the rule "x" always denies it. Change the condition or remove the tool.',
      ),
      NEVER_STOPS,
      neverPasses(CHECKER),
    ],
  ],
  [
    'a choice of which none can pass, inside checks that always pass',
    {
      task_completion_checker: group(true, holds('true', 'yes'), {
        ...group(false, holds('false', 'no'), holds('false', 'never')),
        id: 'choice',
      }),
    },
    [
      NEVER_STOPS,
      alwaysPasses(`${CHECKER}/checkers/0`),
      neverPasses(`${CHECKER}/checkers/1/checkers/0`),
      neverPasses(`${CHECKER}/checkers/1/checkers/1`),
    ],
  ],
  [
    'nothing about checks that depend on the agent',
    {
      task_completion_checker: group(
        true,
        plan,
        ran('any'),
        holds('session.calls > 1'),
        { id: 'f', type: 'files_exist', files: ['a'] },
        { id: 'j', type: 'llm_judge', criteria: 'Done.' },
        { id: 'own', type: CUSTOM_TYPES[0] },
      ),
    },
    [],
  ],
  [
    'blocked stops that are all allowed',
    { limits: { max_stop_blocks: 0 }, task_completion_checker: plan },
    [
      warning(
        'stops_never_blocked',
        '/limits/max_stop_blocks',
        '“Maximum blocked stops” (max_stop_blocks) is 0, which turns blocking off: the checks only record. Remove it for the default of 10, or raise it.',
        remove('/limits/max_stop_blocks'),
      ),
    ],
  ],
  ['no limit without checks', { limits: { max_stop_blocks: 0 } }, []],
]

const lease = (field: string, message: string, fix?: number): Problem =>
  error(
    'lease_calibration',
    `/lease/${field}`,
    message,
    fix === undefined ? undefined : set(`/lease/${field}`, fix),
  )
const LEASES: readonly Row[] = [
  [
    'times that do not fit together, with the nearest whole numbers that do',
    {
      lease: {
        visibility_timeout: 1200.5,
        max_processing_time: 600.5,
        extension: 1201,
        interval: 601,
      },
    },
    [
      lease(
        'visibility_timeout',
        'visibility_timeout (1200.5 s) must be greater than watchdog_threshold + max_processing_time (720 s + 600.5 s = 1320.5 s), or a message is delivered again while its worker still works.',
        1321,
      ),
      lease(
        'extension',
        'extension (1201 s) must be less than visibility_timeout (1200.5 s), or a stuck worker holds its message longer after a beat than without one.',
        1200,
      ),
      lease(
        'interval',
        'interval (601 s) must be less than half of extension (1201 s / 2 = 600.5 s), or one late beat lets the lease run out.',
        600,
      ),
    ],
  ],
  [
    'times that no whole number fits',
    { lease: { extension: 2 } },
    [
      lease(
        'interval',
        'interval (60 s) must be less than half of extension (2 s / 2 = 1 s), or one late beat lets the lease run out.',
      ),
    ],
  ],
  [
    'times that are not positive',
    { lease: { interval: 0, watchdog_threshold: -1 } },
    [
      lease(
        'watchdog_threshold',
        'watchdog_threshold is -1, but it must be a number of seconds greater than 0.',
      ),
      lease('interval', 'interval is 0, but it must be a number of seconds greater than 0.', 149),
    ],
  ],
]

describe('lint reports', () => {
  it.each([
    ...NAMES_AND_TYPES,
    ...ORDER,
    ...TOOLS,
    ...POLICIES,
    ...PROVIDERS,
    ...CHECKERS,
    ...LEASES,
  ])('%s', (...[, fields, problems]) => {
    expect(lint(fields)).toEqual(problems)
  })

  it('missing code for conditions and for custom types, without options', () => {
    const fields = {
      policies: [condition({ deny_when: 'has(args.x)' }), { id: 'own', type: 'custom:policy' }],
      task_completion_checker: holds('stop.via == "x"'),
    }
    const message =
      'No engine for expressions is configured. Pass celExpressions() from @signalbox/core/expression as the option "expressions".'
    expect(lint(fields, {})).toEqual([
      error('expression_engine_missing', '/policies/0/deny_when', message),
      error(
        'unknown_type',
        '/policies/1/type',
        `The type "custom:policy" is not known here. Use one of: sequential_dependency, read_before_write, expression, rate_limit, approval, ${OR_CUSTOM}`,
      ),
      error('expression_engine_missing', `${CHECKER}/require`, message),
    ])
    expect(lint(fields, { ...OPTIONS, customTypes: 'any' })).toEqual([])
  })

  it('the message of the expression engine for a condition that it cannot read', () => {
    const [found, ...others] = lint({ policies: [condition({ require: 'args.(' })] })
    expect(others).toEqual([])
    expect(found).toMatchObject({ code: 'expression_invalid', pointer: '/policies/0/require' })
    expect(found?.message).toEqual(expect.any(String))
  })

  it('the first checker below the deepest allowed level, and places no deeper one', () => {
    const nest = (depth: number): object =>
      depth > 20 ? plan : { ...group(true, nest(depth + 1)), id: `c-${depth}` }
    const document = { task_completion_checker: nest(1) }
    const deepest = `${CHECKER}${'/checkers/0'.repeat(16)}`
    expect(lint(document)).toEqual([
      error('too_deep', deepest, 'Checkers are nested deeper than 16. Flatten the tree.'),
    ])
    expect(listRulePlaces({ ...HEAD, ...document } as ConfigDocument).map(({ id }) => id)).toEqual(
      Array.from({ length: 17 }, (_, i) => `c-${i + 1}`),
    )
  })

  it('the rule that exceeds the limit of prerequisites, and no advice on their order', () => {
    const sequence = order({ b: ['a'], c: ['b'], d: ['c'] })
    const wide = (count: number) => ({
      ...order({ wide: Array.from({ length: count }, (_, i) => `tool-${i}`) }, 'wide'),
      mode: 'shadow',
    })
    expect(lint({ policies: [sequence, wide(19_998), order({}, 'idle')] })).toEqual([
      error(
        'too_many_prerequisites',
        '/policies/1/dependencies',
        'The rules name more than 20000 prerequisites together. Name fewer, or move some of the tools to separate configs.',
      ),
      { ...namesNoTool, pointer: '/policies/2', fix: remove('/policies/2') },
    ])
    expect(lint({ policies: [sequence, wide(19_997)] }).map(({ code }) => code)).toEqual([
      'single_order',
    ])
  })

  it('errors by kind: repeated names, policies, their order, feedback, checks, the lease', () => {
    const document = {
      ...HEAD,
      sections: [
        { id: 's', tools: ['lint'], policies: [order({ lint: ['lint'] }, 'one'), rate('lint')] },
        { id: 's', tools: ['lint'], policies: [{ ...rate('lint'), id: 'one' }] },
        { id: 't', tools: ['lint'] },
      ],
      policies: [files([], ['lint']), condition({})],
      feedback_providers: [{ ...hint({ every_n_calls: 5 }), type: 'zzz' }, hint({}, 'empty')],
      task_completion_checker: { id: 'c', type: 'zzz' },
      lease: { interval: 200 },
    } as unknown as ConfigDocument
    const { ok, problems } = compileChecked(document, OPTIONS)
    expect(ok).toBe(false)
    expect(problems.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
      'duplicate_section_id /sections/1/id',
      'duplicate_tool /sections/1/tools/0',
      'duplicate_tool /sections/2/tools/0',
      'duplicate_rule_id /sections/1/policies/0/id',
      'expression_condition /policies/1',
      'no_read_tool /policies/0/read_tools',
      'self_dependency /sections/0/policies/0/dependencies/lint/0',
      'unknown_type /feedback_providers/0/type',
      'empty_trigger /feedback_providers/1/trigger',
      `unknown_type ${CHECKER}/type`,
      'lease_calibration /lease/interval',
    ])
  })
})
