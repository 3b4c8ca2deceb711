import { compileConfig } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { parseConfigText } from '@signalbox/wire'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/v4'
import {
  CompositeChecker,
  ExpressionChecker,
  FilesExistChecker,
  LLMJudgeChecker,
  PlanBasedChecker,
  ToolSucceededChecker,
} from './built-in-checkers.ts'
import {
  ApprovalPolicy,
  ExpressionPolicy,
  RateLimitPolicy,
  ReadBeforeWritePolicy,
  SequentialDependencyPolicy,
} from './built-in-policies.ts'
import {
  DeadlineFeedback,
  RepeatedCallFeedback,
  RepeatedFailureFeedback,
  StaticFeedbackProvider,
  ToolUsageMonitor,
} from './built-in-providers.ts'
import { Prompt } from './prompt.ts'
import { PromptTemplate } from './prompt-template.ts'
import { MarkdownSection } from './section.ts'
import { type AnyTool, Tool } from './tool.ts'
import { PolicyDecision, type ToolPolicy } from './tool-policy.ts'
import { ToolResult } from './tool-result.ts'

function tool(name: string): AnyTool {
  return new Tool({ name, parameters: z.strictObject({}), handler: () => ToolResult.ok('') })
}

function createPrompt(...sections: MarkdownSection[]): Prompt {
  return new Prompt(new PromptTemplate({ ns: 'team', key: 'main', sections }))
}

describe('rendering a prompt', () => {
  test('nests headings with the sections, and removes common indentation', () => {
    const prompt = createPrompt(
      new MarkdownSection({
        title: 'Task',
        template: `
          Write:
            - notes
        `,
        sections: [
          new MarkdownSection({ title: 'Style', template: 'Short.' }),
          new MarkdownSection({ template: 'No heading.' }),
        ],
      }),
      new MarkdownSection({ title: 'Tools' }),
    )
    expect(prompt.render().text).toBe(
      '## Task\n\nWrite:\n  - notes\n\n### Style\n\nShort.\n\nNo heading.\n\n## Tools',
    )
  })

  test('fills in parameters, including those in titles, and keeps an escaped one', () => {
    const template = `\${count} notes for \${who}, dry: \${dry}; $\${who}`
    const prompt = createPrompt(new MarkdownSection({ title: `For \${who}`, template }))
    const bound = prompt.bind({ who: 'Ada', count: 1 }).bind({ count: 2, dry: false })
    expect(bound.render().text).toBe(`## For Ada\n\n2 notes for Ada, dry: false; \${who}`)
  })

  test('rendering a prompt never reads a value as a template', () => {
    const prompt = createPrompt(new MarkdownSection({ template: `\${a} \${b}` }))
    expect(prompt.bind({ a: `\${b}`, b: '$&' }).render().text).toBe(`\${b} $&`)
  })

  test('names a missing parameter with its section', () => {
    const prompt = createPrompt(new MarkdownSection({ title: 'Task', template: `Do \${what}.` }))
    expect(() => prompt.render()).toThrow('The section "Task" needs a value for "what".')
    expect(() => createPrompt(new MarkdownSection({ template: `\${toString}` })).render()).toThrow(
      'A section needs a value for "toString".',
    )
  })

  test('applies the defaults and refusals of a parameter schema', () => {
    const template = new PromptTemplate({
      ns: 'team',
      key: 'main',
      sections: [new MarkdownSection({ template: `\${n} of \${kind}` })],
      parameters: z.object({ n: z.int(), kind: z.string().default('notes') }),
    })
    expect(new Prompt(template).bind({ n: 2 }).render().text).toBe('2 of notes')
    expect(() => new Prompt(template).bind({ n: 0.5 }).render()).toThrow('refused at "n"')
  })

  test('refuses structured values, because text cannot show them', () => {
    const template = new PromptTemplate({
      ns: 'team',
      key: 'main',
      sections: [new MarkdownSection({ title: 'Task', template: `\${list}` })],
      parameters: z.object({ list: z.array(z.string()) }),
    })
    expect(() => new Prompt(template).bind({ list: [] }).render()).toThrow('"list" is neither')
  })
})

describe('the output of a prompt', () => {
  const template = new PromptTemplate({
    ns: 'team',
    key: 'main',
    sections: [],
    output: z.strictObject({ done: z.boolean() }),
  })

  test('the output of a prompt is parsed by the schema, from a value or from JSON text', async () => {
    const prompt = new Prompt(template)
    expect(await prompt.parseOutput({ done: true })).toEqual({ done: true })
    expect(await prompt.parseOutput('{"done": false}')).toEqual({ done: false })
  })

  test.each(['not JSON', '{"done": 1}', {}, null])(
    'is refused in phase response for %j',
    async (given) => {
      await expect(new Prompt(template).parseOutput(given)).rejects.toMatchObject({
        name: 'PromptEvaluationError',
        phase: 'response',
        promptName: 'team:main',
      })
    },
  )

  test('the output of a prompt is text without a schema', async () => {
    expect(await createPrompt().parseOutput('{"a"')).toBe('{"a"')
    await expect(createPrompt().parseOutput({})).rejects.toThrow('it is not text')
  })
})

const custom: ToolPolicy = { name: 'OfficeHours', check: () => PolicyDecision.allow() }

const everything = new PromptTemplate({
  ns: 'team',
  key: 'main',
  name: 'Everything',
  sections: [
    new MarkdownSection({
      title: 'Files',
      tools: [tool('read_file'), tool('write_file')],
      policies: [new ReadBeforeWritePolicy({ mountPoint: '/workspace' }), custom],
    }),
    new MarkdownSection({
      title: 'Ship it',
      tools: [tool('test'), tool('deploy')],
      policies: [
        new SequentialDependencyPolicy({ dependencies: { deploy: new Set(['test']) } }),
        custom,
      ],
      sections: [new MarkdownSection({ title: 'Ship it', tools: [tool('roll_back')] })],
    }),
  ],
  policies: [
    new RateLimitPolicy({ tools: ['deploy'], maxCalls: 2, perSeconds: 60 }),
    new ExpressionPolicy({
      tools: ['deploy'],
      denyWhen: 'args.force == true',
      reason: 'No force.',
    }),
    new ExpressionPolicy({ require: 'calls.deploy.failed < 3', mode: 'shadow' }),
    new ApprovalPolicy({ id: 'ask-first', tools: ['roll_back'], timeoutSeconds: 30 }),
  ],
  feedbackProviders: [
    {
      provider: new DeadlineFeedback({ warningThresholdSeconds: 60 }),
      trigger: { everyNSeconds: 30 },
    },
    {
      provider: new StaticFeedbackProvider({ feedback: 'Read it.' }),
      trigger: { onFileCreated: { filename: 'AGENTS.md' } },
    },
    { provider: new ToolUsageMonitor({ maxCallsWithoutProgress: 5 }), trigger: { everyNCalls: 5 } },
    { provider: new RepeatedFailureFeedback({ tool: 'test' }), trigger: { everyNCalls: 2 } },
    { provider: new RepeatedCallFeedback({ times: 4 }), trigger: { everyNCalls: 2 } },
  ],
  taskCompletionChecker: new CompositeChecker({
    checkers: [
      new PlanBasedChecker(),
      new FilesExistChecker(['CHANGELOG.md']),
      new ToolSucceededChecker({ tool: 'test', after: ['write_file'] }),
      new LLMJudgeChecker({ criteria: 'It reads well.', requireAdapter: false }),
      new ExpressionChecker({ require: 'calls.deploy.succeeded > 0', feedback: 'Deploy it.' }),
    ],
    allMustPass: true,
  }),
  config: { final_verification: 'error', limits: { max_stop_blocks: 5 } },
})

describe('the config document of a prompt', () => {
  test('the config document of a prompt is accepted by the control plane and compiled by core when it has every built-in rule', () => {
    const parsed = parseConfigText(JSON.stringify(everything.document()))
    expect(parsed).toMatchObject({ ok: true })
    const compiled = compileConfig(everything.document(), {
      expressions: celExpressions(),
      customTypes: Object.keys(everything.customRules().policies ?? {}),
    })
    expect(compiled.problems.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  test('names sections by title and rules by type, with unique ids', () => {
    const {
      sections = [],
      policies = [],
      feedback_providers: providers = [],
    } = everything.document()
    expect(sections.map(({ id }) => id)).toEqual(['files', 'ship-it'])
    expect(sections[1]?.sections?.[0]?.id).toBe('ship-it-2')
    expect(sections.flatMap((each) => each.policies ?? []).map(({ id }) => id)).toEqual([
      'read-before-write',
      'office-hours',
      'sequential-dependency',
      'office-hours-2',
    ])
    expect(policies.map(({ id }) => id)).toEqual([
      'rate-limit',
      'expression',
      'expression-2',
      'ask-first',
    ])
    expect(providers.map(({ id }) => id)).toEqual([
      'deadline',
      'static',
      'tool-usage',
      'repeated-failure',
      'repeated-call',
    ])
  })

  test('the config document of a prompt has the fields of the reference implementation', () => {
    const document = everything.document()
    expect(document.sections?.[0]?.policies?.[0]).toEqual({
      id: 'read-before-write',
      type: 'read_before_write',
      read_tools: ['read_file'],
      write_tools: ['write_file'],
      mount_point: '/workspace',
    })
    expect(document.policies?.[0]).toEqual({
      id: 'rate-limit',
      type: 'rate_limit',
      tools: ['deploy'],
      max_calls: 2,
      per_seconds: 60,
    })
    expect(document.feedback_providers?.[1]).toEqual({
      id: 'static',
      type: 'static',
      trigger: { on_file_created: { filename: 'AGENTS.md' } },
      feedback: 'Read it.',
    })
    expect(document).toMatchObject({
      schema_version: 1,
      name: 'Everything',
      final_verification: 'error',
      limits: { max_stop_blocks: 5 },
    })
  })

  test('lists a policy that the prompt and a section share once, at the prompt', () => {
    const shared = new SequentialDependencyPolicy({ dependencies: { deploy: ['test'] } })
    const template = new PromptTemplate({
      ns: 'a',
      key: 'b',
      sections: [
        new MarkdownSection({ tools: [tool('test'), tool('deploy')], policies: [shared] }),
      ],
      policies: [shared],
    })
    expect(template.document().sections?.[0]).not.toHaveProperty('policies')
    expect(template.document().policies).toHaveLength(1)
    expect(template.policiesForTool('deploy')).toEqual([shared])
  })

  test('the config document of a prompt is the same each time', () => {
    expect(everything.document()).toBe(everything.document())
    expect(JSON.stringify(everything.compileWith(everything.taskCompletionChecker).document)).toBe(
      JSON.stringify(everything.document()),
    )
  })
})

describe('a prompt template', () => {
  test('refuses two tools with the same name', () => {
    const sections = [
      new MarkdownSection({ tools: [tool('a')] }),
      new MarkdownSection({ tools: [tool('a')] }),
    ]
    expect(() => new PromptTemplate({ ns: 'a', key: 'b', sections })).toThrow(
      '"a" is declared twice',
    )
  })

  test('lists the policies of a tool: those of its section first, then those of the prompt', () => {
    const names = (name: string) => everything.policiesForTool(name).length
    expect([names('write_file'), names('deploy'), names('roll_back')]).toEqual([6, 6, 4])
    const [files] = everything.sections
    expect(everything.policiesForTool('write_file')).toEqual([
      ...(files?.policies ?? []),
      ...everything.policies,
    ])
  })
})
