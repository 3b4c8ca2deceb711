// Compiles a config document once: rules in their order, indexed by the tools that they concern, so that a decision
// costs what its own rules cost and not what the document weighs.
import type { Checker } from './completion/checker.ts'
import { compileChecker } from './completion/registry.ts'
import type {
  ConfigDocument,
  PolicyDocument,
  RuleMode,
  SectionDocument,
  TriggerDocument,
} from './config.ts'
import type { Provider } from './feedback/provider.ts'
import { compileProvider, isKnownProvider } from './feedback/registry.ts'
import { pointerTo } from './json.ts'
import { lintConfig } from './lint.ts'
import { normalizePath } from './path.ts'
import type { CompiledPolicy } from './policies/policy.ts'
import { compilePolicy, isKnownPolicy } from './policies/registry.ts'
import type { Problem } from './problem.ts'

export interface CompiledProvider {
  readonly id: string
  readonly pointer: string
  readonly type: string
  readonly mode: RuleMode
  readonly trigger: TriggerDocument
  /** Normal form of the trigger's file; null without one, or when it lies outside the workspace. */
  readonly file: string | null
  readonly provider: Provider
}

export interface CompiledConfig {
  readonly document: ConfigDocument
  readonly promptName: string
  readonly providers: readonly CompiledProvider[]
  readonly exclusiveFeedback: boolean
  readonly checker: Checker | null
  readonly maxStopBlocks: number
  /** Canonical name of a harness's tool. */
  canonicalTool(name: string): string
  /** Policies that can deny this tool, section's first, then the prompt's, in declared order. */
  policiesFor(tool: string): readonly CompiledPolicy[]
  /** Policies that remember this tool's successes, wherever they are declared. */
  rememberersOf(tool: string): readonly CompiledPolicy[]
}

export type CompileResult =
  | { readonly ok: true; readonly config: CompiledConfig; readonly problems: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] }

export const DEFAULT_MAX_STOP_BLOCKS = 10

/** Refuses a document with any problem of severity `error`. */
export function compileConfig(document: ConfigDocument): CompileResult {
  const problems = lintConfig(document)
  if (problems.some((problem) => problem.severity === 'error')) return { ok: false, problems }
  return { ok: true, config: build(document), problems }
}

function build(document: ConfigDocument): CompiledConfig {
  const aliases = new Map(Object.entries(document.aliases ?? {}))
  const sections = sectionsOf(document.sections ?? [], '/sections')
  const ofPrompt = compilePolicies(document.policies ?? [], '/policies')
  const governing = indexBy(ofPrompt, (policy) => policy.policy.denies)
  for (const { section, policies } of sections) {
    for (const tool of section.tools ?? []) {
      const own = policies.filter((policy) => policy.policy.denies.includes(tool))
      if (own.length > 0) governing.set(tool, [...own, ...(governing.get(tool) ?? [])])
    }
  }
  const all = [...sections.flatMap(({ policies }) => policies), ...ofPrompt]
  const remembering = indexBy(all, (policy) => policy.policy.remembers)
  const checker = document.task_completion_checker
  return {
    document,
    promptName: document.name ?? `${document.ns}:${document.key}`,
    providers: compileProviders(document),
    exclusiveFeedback: document.feedback_exclusive ?? false,
    checker: checker === undefined ? null : compileChecker(checker, '/task_completion_checker'),
    maxStopBlocks: document.limits?.max_stop_blocks ?? DEFAULT_MAX_STOP_BLOCKS,
    canonicalTool: (name) => aliases.get(name) ?? name,
    policiesFor: (tool) => governing.get(tool) ?? [],
    rememberersOf: (tool) => remembering.get(tool) ?? [],
  }
}

interface PlacedSection {
  readonly section: SectionDocument
  readonly policies: readonly CompiledPolicy[]
}

function sectionsOf(sections: readonly SectionDocument[], pointer: string): PlacedSection[] {
  return sections.flatMap((section, i) => {
    const here = pointerTo(pointer, i)
    const policies = compilePolicies(section.policies ?? [], pointerTo(here, 'policies'))
    return [
      { section, policies },
      ...sectionsOf(section.sections ?? [], pointerTo(here, 'sections')),
    ]
  })
}

/** Unknown optional rules are left out here; lint reports them. */
function compilePolicies(documents: readonly PolicyDocument[], pointer: string): CompiledPolicy[] {
  return documents.flatMap((document, i) => {
    const mode = document.mode ?? 'enforce'
    if (!isKnownPolicy(document) || mode === 'off') return []
    const { id, type } = document
    return [{ id, type, mode, pointer: pointerTo(pointer, i), policy: compilePolicy(document) }]
  })
}

function compileProviders(document: ConfigDocument): CompiledProvider[] {
  return (document.feedback_providers ?? []).flatMap((provider, i) => {
    const mode = provider.mode ?? 'enforce'
    if (!isKnownProvider(provider) || mode === 'off') return []
    const { id, type, trigger } = provider
    const filename = trigger.on_file_created?.filename
    return [
      {
        id,
        pointer: pointerTo('/feedback_providers', i),
        type,
        mode,
        trigger,
        file:
          filename === undefined
            ? null
            : normalizePath(filename, { workspaceRoot: null, mountPoint: null }),
        provider: compileProvider(provider),
      },
    ]
  })
}

function indexBy(
  policies: readonly CompiledPolicy[],
  toolsOf: (policy: CompiledPolicy) => readonly string[],
): Map<string, readonly CompiledPolicy[]> {
  const index = new Map<string, readonly CompiledPolicy[]>()
  for (const policy of policies) {
    for (const tool of new Set(toolsOf(policy)))
      index.set(tool, [...(index.get(tool) ?? []), policy])
  }
  return index
}
