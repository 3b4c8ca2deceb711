// Rules keep their order and are indexed by tool, so that the cost of a decision does not depend on the document's size.

import type { Checker } from '../kinds/checkers/checker.ts'
import { compileChecker } from '../kinds/checkers.ts'
import { admits, declareTool, requireExpressions } from '../kinds/compilation.ts'
import type { Compilation, CompileOptions } from '../kinds/compile-options.ts'
import type { ConfigDocument, SectionDocument } from '../kinds/config.ts'
import { CONTENT_KINDS } from '../kinds/content/content-kinds.ts'
import type { CompiledContentRule, ContentRuleDocument } from '../kinds/content/content-rule.ts'
import type { Provider } from '../kinds/feedback/provider.ts'
import { type CompiledTrigger, compileTrigger } from '../kinds/feedback/trigger.ts'
import { compileProvider, PROVIDER_TYPES } from '../kinds/feedback.ts'
import type { CompiledPolicy } from '../kinds/policies/policy.ts'
import { compilePolicy, POLICY_TYPES, type PolicyDocument } from '../kinds/policies.ts'
import { pointerTo } from '../model/json.ts'
import type { Refusal } from '../model/refusal.ts'
import type { RuleMode } from '../model/rule.ts'
import { type SectionRules, type ToolRules, toolRules } from './tool-rules.ts'

export interface CompiledProvider extends CompiledTrigger {
  readonly id: string
  readonly pointer: string
  readonly type: string
  readonly mode: RuleMode
  readonly provider: Provider
}

/** Created only by `compileConfig`; immutable. */
export interface CompiledConfig {
  readonly document: ConfigDocument
  readonly options: CompileOptions
  readonly promptName: string
  readonly providers: readonly CompiledProvider[]
  readonly exclusiveFeedback: boolean
  /** Every content rule that acts or is in shadow mode, wherever it is declared. */
  readonly content: readonly CompiledContentRule[]
  readonly checker: Checker | null
  readonly maxStopBlocks: number
  canonicalTool(name: string): string
  rulesFor(tool: string): ToolRules
  readonly tracksFailures: boolean
  readonly tracksRepetition: boolean
}

export type CompileResult =
  | { readonly ok: true; readonly config: CompiledConfig; readonly problems: readonly Refusal[] }
  | { readonly ok: false; readonly problems: readonly Refusal[] }

export const DEFAULT_MAX_STOP_BLOCKS = 10

/**
 * Refuses documents that cannot be enforced as written: unknown types, duplicate names, conditions that cannot be evaluated here, checkers
 * nested too deeply. `problems` also lists the optional rules that are skipped. Settings that can be enforced but cannot be intended, such
 * as a cycle of prerequisites, are errors of lint: to publish or load a document, use `compileChecked` (`@signalbox/core/lint`).
 */
export function compileConfig(
  document: ConfigDocument,
  options: CompileOptions = {},
): CompileResult {
  const problems: Refusal[] = []
  const config = build(document, { options, problems, rules: new Map(), tools: new Map() })
  const isRefused = problems.some(({ severity }) => severity === 'error')
  return isRefused ? { ok: false, problems } : { ok: true, config, problems }
}

function build(document: ConfigDocument, compilation: Compilation): CompiledConfig {
  const aliases = new Map(Object.entries(document.aliases ?? {}))
  const sections = compileSections(document.sections ?? [], '/sections', compilation)
  const promptPolicies = compilePolicies(document.policies ?? [], '/policies', compilation)
  const promptContent = compileContent(document.content ?? [], '/content', compilation)
  const providers = compileProviders(document, compilation)
  const checker = document.task_completion_checker
  return {
    document,
    options: compilation.options,
    promptName: document.name ?? `${document.ns}:${document.key}`,
    providers,
    content: [...sections.flatMap(({ content }) => content), ...promptContent],
    exclusiveFeedback: document.feedback_exclusive ?? false,
    checker:
      checker === undefined
        ? null
        : compileChecker(checker, { pointer: '/task_completion_checker', depth: 1 }, compilation),
    maxStopBlocks: document.limits?.max_stop_blocks ?? DEFAULT_MAX_STOP_BLOCKS,
    canonicalTool: (name) => aliases.get(name) ?? name,
    rulesFor: toolRules(sections, { policies: promptPolicies, content: promptContent }),
    tracksFailures: providers.some(({ provider }) => provider.tracks === 'failures'),
    tracksRepetition: providers.some(({ provider }) => provider.tracks === 'repetition'),
  }
}

function compileSections(
  sections: readonly SectionDocument[],
  pointer: string,
  compilation: Compilation,
): SectionRules[] {
  return sections.flatMap((section, i) => {
    const here = pointerTo(pointer, i)
    const tools = pointerTo(here, 'tools')
    for (const [k, tool] of (section.tools ?? []).entries()) {
      declareTool(compilation, tool, pointerTo(tools, k))
    }
    const own = pointerTo(here, 'policies')
    return [
      {
        section,
        policies: compilePolicies(section.policies ?? [], own, compilation),
        content: compileContent(section.content ?? [], pointerTo(here, 'content'), compilation),
      },
      ...compileSections(section.sections ?? [], pointerTo(here, 'sections'), compilation),
    ]
  })
}

/** Rules that are off are checked, too, because switching one on must not make the document invalid. */
function compilePolicies(
  documents: readonly PolicyDocument[],
  base: string,
  compilation: Compilation,
): CompiledPolicy[] {
  return documents.flatMap((document, i) => {
    const pointer = pointerTo(base, i)
    if (!admits(compilation, document, { pointer, known: POLICY_TYPES })) return []
    const policy = compilePolicy(document, pointer, compilation)
    const { id, type, mode = 'enforce' } = document
    return policy === null || mode === 'off' ? [] : [{ id, type, mode, pointer, policy }]
  })
}

function compileContent(
  documents: readonly ContentRuleDocument[],
  base: string,
  compilation: Compilation,
): CompiledContentRule[] {
  return documents.flatMap((document, i) => {
    const pointer = pointerTo(base, i)
    const { id, kind, mode = 'enforce' } = document
    if (!admits(compilation, { id, type: kind }, { pointer, known: CONTENT_KINDS })) return []
    if (kind === 'pattern') {
      const at = pointerTo(pointer, 'matches')
      requireExpressions(compilation, at)?.pattern(document.matches, at, compilation)
    }
    return mode === 'off' ? [] : [{ document, pointer, mode }]
  })
}

function compileProviders(
  { feedback_providers = [] }: ConfigDocument,
  compilation: Compilation,
): CompiledProvider[] {
  return feedback_providers.flatMap((document, i) => {
    const pointer = pointerTo('/feedback_providers', i)
    const { id, type, trigger, mode = 'enforce' } = document
    if (!admits(compilation, document, { pointer, known: PROVIDER_TYPES }) || mode === 'off') {
      return []
    }
    const provider = compileProvider(document)
    return [{ id, pointer, type, mode, ...compileTrigger(trigger), provider }]
  })
}
