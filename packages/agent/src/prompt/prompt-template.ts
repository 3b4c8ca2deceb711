// Compiles to one config document, which can be enforced here or published through the control plane.
import {
  type ConfigDocument,
  omitUndefined,
  type PolicyDocument,
  type SectionDocument,
} from '@signalbox/core'
import type { CustomRules } from '@signalbox/runtime'
import { GuardrailError } from '@signalbox/runtime/base'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { Plan } from '../state/built-in-slices.ts'
import type { SliceKey } from '../state/slice.ts'
import { checkerDocument } from './checker-declaration.ts'
import type { TaskCompletionChecker } from './completion.ts'
import { createCustomRules, type RuleHost } from './custom-answers.ts'
import { type PlanSource, planSource } from './plan-source.ts'
import { type PolicyDeclaration, policyDocument } from './policy-declaration.ts'
import type { PromptInfo } from './prompt-info.ts'
import { type FeedbackProviderConfig, providerDocument } from './provider-declaration.ts'
import type { ParameterValue } from './render.ts'
import { toSlug } from './rule-options.ts'
import { RuleScribe } from './rule-scribe.ts'
import { allSections, type MarkdownSection } from './section.ts'
import type { AnyTool } from './tool.ts'
import type { ToolPolicy } from './tool-policy.ts'

export type PromptParameters = { readonly [name: string]: ParameterValue }

export type ConfigExtras = Pick<
  ConfigDocument,
  'aliases' | 'description' | 'final_verification' | 'lease' | 'limits' | 'metadata' | 'redaction'
>

export interface PromptTemplateOptions<Params extends object, Output> {
  readonly ns: string
  readonly key: string
  /** Absent: `ns:key`. */
  readonly name?: string
  readonly sections: readonly MarkdownSection[]
  /** Schema of the parameters in the text. Absent: any text, number or boolean. */
  readonly parameters?: StandardSchemaV1<unknown, Params>
  /** Schema of a run's output. Absent: text. */
  readonly output?: StandardSchemaV1<unknown, Output>
  /** Policies that govern every tool. */
  readonly policies?: readonly PolicyDeclaration[]
  readonly feedbackProviders?: readonly FeedbackProviderConfig[]
  /** True: only the first provider with feedback delivers it. Absent: false. */
  readonly feedbackExclusive?: boolean
  /** Absent: stops are not checked. */
  readonly taskCompletionChecker?: TaskCompletionChecker
  readonly slices?: readonly SliceKey[]
  readonly config?: ConfigExtras
}

export interface CompiledPrompt {
  readonly document: ConfigDocument
  readonly custom: CustomRules
  readonly policies: readonly ToolPolicy[]
  readonly plans: readonly PlanSource[]
  host(session: string, host: RuleHost): () => void
}

export class PromptTemplate<Params extends object = PromptParameters, Output = string>
  implements PromptInfo
{
  readonly ns: string
  readonly key: string
  readonly name: string
  readonly sections: readonly MarkdownSection[]
  readonly parameters: StandardSchemaV1<unknown, Params> | null
  readonly output: StandardSchemaV1<unknown, Output> | null
  readonly policies: readonly PolicyDeclaration[]
  readonly feedbackProviders: readonly FeedbackProviderConfig[]
  readonly taskCompletionChecker: TaskCompletionChecker | null
  readonly slices: readonly SliceKey[]
  /** Tools by name, in reading order. */
  readonly tools: ReadonlyMap<string, AnyTool>
  readonly #options: PromptTemplateOptions<Params, Output>
  #compiled: CompiledPrompt | null = null

  /** Throws GuardrailError `prompt_invalid` if two tools have the same name. */
  constructor(options: PromptTemplateOptions<Params, Output>) {
    this.#options = options
    this.ns = options.ns
    this.key = options.key
    this.name = options.name ?? `${options.ns}:${options.key}`
    this.sections = options.sections
    this.parameters = options.parameters ?? null
    this.output = options.output ?? null
    this.policies = options.policies ?? []
    this.feedbackProviders = options.feedbackProviders ?? []
    this.taskCompletionChecker = options.taskCompletionChecker ?? null
    this.slices = options.slices ?? []
    this.tools = indexTools(options.sections)
  }

  /** Finds a tool by its own name, or by a harness's name for it (`config.aliases`); null: the prompt has no such tool. */
  toolNamed(name: string): AnyTool | null {
    const aliases = this.#options.config?.aliases ?? {}
    const canonical = Object.hasOwn(aliases, name) ? aliases[name] : undefined
    return this.tools.get(canonical ?? name) ?? null
  }

  policiesForTool(name: string): readonly PolicyDeclaration[] {
    const section = allSections(this.sections).find(({ tools }) =>
      tools.some((t) => t.name === name),
    )
    return [...new Set([...(section?.policies ?? []), ...this.policies])]
  }

  /** Config document in the control plane's format. Not yet validated: `createGuardrails` and the control plane do that. */
  document(): ConfigDocument {
    return this.compiled().document
  }

  /** Code behind the custom rules: `createGuardrails({ …, custom: template.customRules() })`. */
  customRules(): CustomRules {
    return this.compiled().custom
  }

  compiled(): CompiledPrompt {
    this.#compiled ??= this.compileWith(this.taskCompletionChecker)
    return this.#compiled
  }

  compileWith(checker: TaskCompletionChecker | null): CompiledPrompt {
    const scribe = new RuleScribe(this.tools.keys())
    const document = this.#document(checker, scribe)
    const hosts = new Map<string, RuleHost>()
    return {
      document,
      custom: createCustomRules(scribe, (session) => findHost(hosts, session)),
      policies: [...new Set([...scribe.policies.values()].map(({ rule }) => rule))],
      plans: scribe.plans.size === 0 ? [planSource(Plan)] : [...scribe.plans.values()],
      host: (session, host) => {
        hosts.set(session, host)
        return () => void hosts.delete(session)
      },
    }
  }

  #document(checker: TaskCompletionChecker | null, scribe: RuleScribe): ConfigDocument {
    const { ns, key, name, config, feedbackExclusive = false } = this.#options
    const sections = new SectionWriter(scribe, this.policies).documents(this.sections)
    const policies = [...new Set(this.policies)].map((policy) => policyDocument(policy, scribe))
    const providers = this.feedbackProviders.map((each) => providerDocument(each, scribe))
    return {
      schema_version: 1,
      ns,
      key,
      ...omitUndefined({ name }),
      ...config,
      ...omitUndefined({
        sections: sections.length === 0 ? undefined : sections,
        policies: policies.length === 0 ? undefined : policies,
        feedback_providers: providers.length === 0 ? undefined : providers,
        feedback_exclusive: feedbackExclusive ? true : undefined,
        task_completion_checker: checker === null ? undefined : checkerDocument(checker, scribe),
      }),
    }
  }
}

function findHost(hosts: ReadonlyMap<string, RuleHost>, session: string): RuleHost {
  const host = hosts.get(session)
  if (host === undefined)
    throw new Error('This session has no prompt session. Open one with createPromptSession.')
  return host
}

function indexTools(sections: readonly MarkdownSection[]): ReadonlyMap<string, AnyTool> {
  const tools = new Map<string, AnyTool>()
  for (const tool of allSections(sections).flatMap((section) => section.tools)) {
    if (tools.has(tool.name))
      throw new GuardrailError(
        'prompt_invalid',
        `The tool "${tool.name}" is declared twice. Declare it in one section only.`,
      )
    tools.set(tool.name, tool)
  }
  return tools
}

class SectionWriter {
  readonly #scribe: RuleScribe
  readonly #promptPolicies: ReadonlySet<PolicyDeclaration>
  readonly #keys = new Set<string>()

  constructor(scribe: RuleScribe, promptPolicies: readonly PolicyDeclaration[]) {
    this.#scribe = scribe
    this.#promptPolicies = new Set(promptPolicies)
  }

  documents(sections: readonly MarkdownSection[]): readonly SectionDocument[] {
    return sections.map((section) => this.#document(section))
  }

  #document(section: MarkdownSection): SectionDocument {
    const { title, tools } = section
    const own = [...new Set(section.policies)].filter((policy) => !this.#promptPolicies.has(policy))
    const policies = own.map((policy): PolicyDocument => policyDocument(policy, this.#scribe))
    return {
      id: this.#key(section),
      ...omitUndefined({
        title: title ?? undefined,
        tools: tools.length === 0 ? undefined : tools.map(({ name }) => name),
        policies: policies.length === 0 ? undefined : policies,
        sections: section.sections.length === 0 ? undefined : this.documents(section.sections),
      }),
    }
  }

  #key({ key, title }: MarkdownSection): string {
    const base = key ?? toSlug(title ?? 'section')
    for (let count = 1; ; count += 1) {
      const id = count === 1 ? base : `${base}-${count}`
      if (this.#keys.has(id)) continue
      this.#keys.add(id)
      return id
    }
  }
}
