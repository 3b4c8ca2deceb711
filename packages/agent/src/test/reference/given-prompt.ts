import { omitUndefined } from '@signalbox/core'
import * as z from 'zod/v4'
import {
  DeadlineFeedback,
  Feedback,
  type FeedbackProvider,
  type FeedbackProviderConfig,
  MarkdownSection,
  type PolicyDeclaration,
  PromptTemplate,
  ReadBeforeWritePolicy,
  SequentialDependencyPolicy,
  StaticFeedbackProvider,
  Tool,
  type ToolPolicy,
  ToolResult,
} from '../../index.ts'
import type { ReferenceLine, StepOf } from './reference-line.ts'

type Prompt = ReferenceLine['given']['prompt']
type PolicyGiven = Prompt['policies'][number]
type ProviderGiven = Prompt['feedback_providers'][number]

export interface Stage {
  behavior: StepOf<'tool'>['behavior']
  handlerCalled: boolean
  policyLog: string[][]
}

/** Throws GuardrailError `prompt_invalid`. */
export function givenPrompt(prompt: Prompt, stage: Stage): PromptTemplate {
  const createGivenTool = (name: string) => givenTool(name, stage)
  return new PromptTemplate({
    ns: prompt.ns,
    key: prompt.key,
    sections: [
      new MarkdownSection({ tools: prompt.tools.map(createGivenTool) }),
      ...prompt.sections.map(
        ({ key, tools }) => new MarkdownSection({ key, tools: tools.map(createGivenTool) }),
      ),
    ],
    policies: prompt.policies.map((policy) => givenPolicy(policy, stage)),
    feedbackProviders: prompt.feedback_providers.map(givenProvider),
  })
}

function givenTool(name: string, stage: Stage) {
  return new Tool({
    name,
    parameters: z.looseObject({}),
    handler: async (_, { filesystem }) => {
      stage.handlerCalled = true
      const { raise, success = true, message = 'OK', writes = {} } = stage.behavior
      for (const [path, content] of Object.entries(writes)) await filesystem.write(path, content)
      if (raise !== undefined) throw new Error(messageIn(raise))
      return success ? ToolResult.ok(null, message) : ToolResult.error(message)
    },
  })
}

function messageIn(error: string): string {
  return error.slice(error.indexOf(':') + 1)
}

function givenPolicy(policy: PolicyGiven, stage: Stage): PolicyDeclaration {
  switch (policy.type) {
    case 'sequential_dependency':
      return new SequentialDependencyPolicy({ dependencies: policy.dependencies })
    case 'read_before_write':
      // These rows follow specs/vectors/reference/README.md.
      return new ReadBeforeWritePolicy({ readsExpireOnChange: false, writesCountAsReads: false })
    case 'custom':
      return givenCustom(policy, stage)
    default:
      return policy satisfies never
  }
}

function givenCustom(
  { name, deny, raise_on_check }: Extract<PolicyGiven, { type: 'custom' }>,
  { policyLog }: Stage,
): ToolPolicy {
  return {
    id: name,
    name,
    check: ({ tool }) => {
      policyLog.push([name, 'check', tool])
      if (raise_on_check !== undefined) throw new Error(messageIn(raise_on_check))
      const denies = deny?.tools.includes(tool) === true
      return denies ? { allowed: false, reason: deny.reason } : { allowed: true }
    },
    onResult: ({ tool }) => void policyLog.push([name, 'on_result', tool]),
  }
}

function givenProvider({ provider, trigger }: ProviderGiven): FeedbackProviderConfig {
  const { every_n_calls, every_n_seconds, on_file_created } = trigger
  return {
    provider: createGivenProvider(provider),
    trigger: {
      ...omitUndefined({
        everyNCalls: every_n_calls,
        everyNSeconds: every_n_seconds,
        onFileCreated: on_file_created === undefined ? undefined : { filename: on_file_created },
      }),
    },
  }
}

function createGivenProvider(
  provider: ProviderGiven['provider'],
): FeedbackProviderConfig['provider'] {
  switch (provider.type) {
    case 'static':
      return new StaticFeedbackProvider({ feedback: provider.feedback })
    case 'deadline':
      return new DeadlineFeedback()
    case 'custom':
      return failingProvider(provider)
    default:
      return provider satisfies never
  }
}

function failingProvider({
  name,
  summary,
  error,
}: Extract<ProviderGiven['provider'], { type: 'custom' }>): FeedbackProvider {
  return {
    name,
    shouldRun: () => {
      throw new Error(messageIn(error))
    },
    provide: () => new Feedback({ providerName: name, summary }),
  }
}
